#include "step/stepper.hpp"

#include <fmt/format.h>

namespace consort::step {

unit::StepOutcome Stepper::step(fleet::Fleet& fleet, couple::RunState& state, const Interval& interval) {
  try {
    const auto events = state.events;
    point_.begin(state, interval);
    const auto outcome = take(fleet, state, interval);
    // Nobody goes on from there.
    if (outcome.why == unit::Why::discarded || outcome.why == unit::Why::event) return outcome;
    state.t = interval.end;
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
