// Sources of inputs besides connections: tables and scenarios; later control laws and added efforts.
#pragma once

#include <cstdint>

#include "base/time.hpp"
#include "couple/interval.hpp"
#include "couple/run_state.hpp"

namespace consort::couple {

class InputSource {
 public:
  virtual ~InputSource() = default;
  // Reserves slots; called once, before the run.
  virtual void prepare(RunState&) {}
  // Applies actions that are due at a communication point; called once, before any step from there is tried. Returns
  // true if inputs change.
  virtual bool begin_due(RunState&) { return false; }
  // Writes the values at state.t to external signals: before the first step and after each step.
  virtual void at_point(RunState&) {}
  // Prepares a step before routing; called for every trial. It may only change scratch data and external signals.
  virtual void begin_step(const Interval&, RunState&) {}
  // Overwrites routed values for the step of the last begin_step().
  virtual void apply(RunState&) const {}
  // Overwrites with values at state.t, for outputs that are evaluated without a step.
  virtual void apply_at_point(RunState&) const {}
  // In event mode: sets the clocks that tick at state.t.
  virtual void tick(const RunState&, fleet::Fleet&) {}
  // True if apply() or apply_at_point() may change inputs in this run.
  [[nodiscard]] virtual bool overrides_inputs() const { return false; }
  // True if an element of the inputs' Float64 column currently differs from its connected output because of this
  // source.
  [[nodiscard]] virtual bool overrides(std::uint32_t, const RunState&) const { return false; }
  // The next time after state.t with a discontinuity.
  [[nodiscard]] virtual Time next_event(const RunState&) const { return fleet::never; }
  // The next time after state.t, other than next_event(), at which steps of variable size should end.
  [[nodiscard]] virtual Time next_corner(const RunState&) const { return fleet::never; }
};

}  // namespace consort::couple
