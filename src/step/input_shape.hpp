// How inputs move within a step when they are known to end somewhere: polynomials through their end and their past.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "couple/gather.hpp"
#include "couple/history.hpp"
#include "couple/run_state.hpp"
#include "graph/plan.hpp"
#include "step/stepper.hpp"

namespace consort::step {

class InputShape {
 public:
  // `order`: of the polynomials; 0: inputs have the value of their end all the time.
  InputShape(const graph::Plan& plan, int order);

  // All inputs as they are at the beginning of the step, which the history remembers; those from outside go on as they
  // went.
  void begin(couple::RunState& state, const Interval& interval);
  // Where an input comes if it goes on as it went.
  [[nodiscard]] double guess(const couple::RunState& state, std::uint32_t input) const;
  // The input ends at `end`; as often as wanted for the step that begin() was called for.
  void end_at(couple::RunState& state, std::uint32_t input, double end) const;

 private:
  int order_;
  couple::Gather everything_;
  std::vector<std::uint32_t> external_;
  int past_ = 0;   // points that polynomials go through beside the end
  int known_ = 0;  // points that guesses go through
  couple::Weights guess_{}, going_on_{}, through_{};
};

}  // namespace consort::step
