// Inputs that take their values at ticks and hold them between ticks: connections with `sample`.
#pragma once

#include <vector>

#include "couple/gather.hpp"
#include "couple/input_source.hpp"
#include "couple/run_state.hpp"
#include "graph/plan.hpp"

namespace consort::couple {

// Tick k is at start + k * period; a communication point that is nearer to it than `near` is at the tick. The values
// are those at the communication point, before the step from there.
class SampledInputs final : public InputSource {
 public:
  SampledInputs() = default;
  // `step`: of equal communication steps; 0 if steps vary. The plan must outlive this object. Throws Error (input) if a
  // period is not a multiple of the step.
  SampledInputs(const graph::Plan& plan, Time start, Duration step, Duration near);

  [[nodiscard]] bool empty() const { return held_.empty(); }
  void prepare(RunState& state) override;
  bool begin_due(RunState& state) override;
  void apply(RunState& state) const override;
  void apply_at_point(RunState& state) const override;
  [[nodiscard]] bool overrides_inputs() const override { return !held_.empty(); }
  [[nodiscard]] bool overrides(std::uint32_t input, const RunState& state) const override;
  [[nodiscard]] Time next_event(const RunState& state) const override;

 private:
  struct Held {
    const graph::Sampling* sampling = nullptr;
    std::size_t at = 0;  // in values_
    Gather routes{};     // into its unit
  };

  Time start_ = 0;
  Duration near_ = 0;
  std::vector<Held> held_;
  Slot<std::uint64_t> next_;    // by held input: its next tick; 0: it had none yet
  Slot<std::uint64_t> values_;  // their bytes
};

}  // namespace consort::couple
