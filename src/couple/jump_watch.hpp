// Finds outputs that jump inside accepted steps. Two solutions that both jump agree, so that no comparison shows it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "couple/error_estimate.hpp"
#include "couple/run_state.hpp"
#include "graph/plan.hpp"

namespace consort::couple {

// An output jumps if it is far from a straight line through its last values, compared with its recent changes of slope,
// its range, and the tolerance. Connected outputs of types without arithmetic jump whenever they change. The memory is
// in ControlState.
class JumpWatch {
 public:
  JumpWatch(const graph::Plan& plan, const ErrorEstimate& estimate);

  // Call it between ErrorEstimate::compare() and count(), for an accepted step of length h that ended at t. `expected`:
  // an event was known at one of its ends. `before` and `now`: the outputs at its ends, of types other than Float64;
  // the others are those that were compared.
  void look(ControlState& control, const Columns& before, const Columns& now, Time t, Duration h, bool expected) const;
  // For ControlState::jumps.
  [[nodiscard]] const std::string& name(std::size_t index) const { return names_[index]; }

 private:
  struct Discrete {
    Type type = Type::Int32;
    std::uint32_t element = 0;  // of the outputs' column of its type
  };
  void look_at_slopes(ControlState& control, Time t, Duration h, bool finds_jumps) const;
  // Counts a jump if `distance` is large compared with the tolerance and with the range of the output.
  void add_if_large(ControlState& control, std::size_t output, double value, double distance, Time t) const;

  const ErrorEstimate& estimate_;
  std::vector<Discrete> discrete_;
  std::vector<std::string> names_;  // of estimated outputs, then of discrete ones
};

}  // namespace consort::couple
