#include "step/stepper.hpp"

#include <fmt/format.h>

namespace consort::step {

unit::StepOutcome Stepper::step(fleet::Fleet& fleet, couple::RunState& state, const Interval& interval) {
  try {
    const auto events = state.events;
    point_.begin(state, interval);
    const auto outcome = take(fleet, state, interval);
    if (outcome.completed()) [[likely]] {
      state.t = interval.end;
    } else {
      const bool stays = !interval.may_roll_back && fleet.size() == 1;
      // The caller does not continue from there.
      if (outcome.why == unit::Why::discarded || (outcome.why == unit::Why::event && !stays)) return outcome;
      state.t = interval.end;
      if (stays) state.t = outcome.why == unit::Why::event ? outcome.reached : state.stop.at;
    }
    state.n = 0;
    ++state.steps;
    point_.end(state, interval, events);
    return outcome;
  } catch (const couple::ConversionFailed& failure) {
    throw failure
        .with_text(fmt::format("in the step from t = {} s to {} s: {}", interval.t, interval.end, failure.what()))
        .at(interval.t);
  }
}

}  // namespace consort::step
