#include "step/stepper.hpp"

#include <fmt/format.h>

namespace consort::step {

bool Stepper::declare_next(std::span<const graph::UnitId> units, const fleet::Fleet& fleet) {
  may_discard_.resize(fleet.size());
  for (const auto u : units) all_go_back_ = all_go_back_ && fleet.traits(u).can_roll_back();
  for (const auto u : units) may_discard_[u] = all_go_back_;
  return all_go_back_;
}

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
