// What decides on inputs beside connections: tables, scenarios; later laws and added efforts.
#pragma once

#include <cstdint>

#include "base/time.hpp"
#include "couple/interval.hpp"
#include "couple/run_state.hpp"

namespace consort::couple {

class InputSource {
 public:
  virtual ~InputSource() = default;
  // Asks for the slots of what it remembers; once, before the run.
  virtual void prepare(RunState&) {}
  // What is due at a communication point, once, before any step from there is tried. True: inputs change by it.
  virtual bool begin_due(RunState&) { return false; }
  // The values at state.t, where they are external signals: after a step, and before the first.
  virtual void at_point(RunState&) {}
  // For a step that is about to be tried, any number of times; before routing. Scratch alone may be changed beside
  // external signals.
  virtual void begin_step(const Interval&, RunState&) {}
  // Puts its values in place of what was routed, for the step that begin_step() was called for.
  virtual void apply(RunState&) const {}
  // The same with the values at state.t, for outputs that follow inputs without a step.
  virtual void apply_at_point(RunState&) const {}
  // In event mode: sets the clocks that tick at state.t.
  virtual void tick(const RunState&, fleet::Fleet&) {}
  // Whether apply() or apply_at_point() may change something in this run.
  [[nodiscard]] virtual bool overrides_inputs() const { return false; }
  // Whether an element of the inputs' Float64 column is not what is connected to it, now.
  [[nodiscard]] virtual bool overrides(std::uint32_t, const RunState&) const { return false; }
  // The next time after state.t at which something jumps.
  [[nodiscard]] virtual Time next_event(const RunState&) const { return fleet::never; }
  // The next time after state.t that steps of variable size should end at beside that.
  [[nodiscard]] virtual Time next_corner(const RunState&) const { return fleet::never; }
};

}  // namespace consort::couple
