#include "engine/prepared_stepper.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "couple/gather.hpp"

namespace consort::engine {

PreparedStepper::PreparedStepper(const Parts& parts) : p_(parts) {
  if (!p_.scenario.empty()) is_overridden_ = [this](std::uint32_t input) { return p_.scenario.overrides(input); };
  if (p_.timeline != nullptr) agreeing_ = p_.timeline->activity("outputs made consistent");
}

unit::StepOutcome PreparedStepper::step(unit::Fleet& fleet, couple::RunState& state, const step::Interval& interval) {
  try {
    return try_step(fleet, state, interval);
  } catch (const couple::ConversionFailed& failure) {
    events_seen_ = events_of(fleet);
    throw run_error("in the step from t = {} s to {} s: {}", interval.t, interval.end, failure.what());
  } catch (...) {
    events_seen_ = events_of(fleet);  // whoever tries again does not take those of the failed trial for new ones
    throw;
  }
}

unit::StepOutcome PreparedStepper::try_step(unit::Fleet& fleet, couple::RunState& state,
                                            const step::Interval& interval) {
  begin_ = interval.t;
  if (!p_.scenario.empty()) p_.scenario.prepare(interval.t, interval.end);
  if (!p_.inputs.empty()) p_.inputs.for_step(interval.t, interval.end, p_.polynomials, state);
  const Time event = p_.polynomials ? next_event(interval.t) : unit::never;
  const auto outcome = p_.stepper.step(fleet, state, interval);
  if (outcome.why == unit::Why::discarded) {  // nobody goes on from there
    if (p_.polynomials) events_seen_ = events_of(fleet);
    return outcome;
  }
  if (p_.bonds != nullptr) p_.bonds->observe(state, interval.h, is_overridden_);
  if (p_.polynomials) forget_past_of_events(fleet, state, event);
  if (!p_.inputs.empty()) p_.inputs.at(state.t, state);
  if (p_.consistency != nullptr) {
    const unit::Timeline::Span span(p_.timeline, agreeing_);
    (*p_.consistency)(fleet, state);
  }
  return outcome;
}

Time PreparedStepper::next_event(Time t) const {
  if (p_.scenario.empty() && p_.inputs.empty()) return unit::never;
  Time next = unit::never;
  if (const auto event = p_.scenario.next_after(t + p_.slack)) next = std::min(next, *event);
  if (const auto event = p_.inputs.next_event_after(t)) next = std::min(next, *event);
  return next;
}

// Polynomials must not go through what jumped: after an event the past does not count. `event`: the next one of tables
// and scenarios when the step began.
void PreparedStepper::forget_past_of_events(unit::Fleet& fleet, couple::RunState& state, Time event) {
  const std::uint64_t events = events_of(fleet);
  if (event <= state.t + p_.slack || events != events_seen_) state.history.drop();
  events_seen_ = events;
}

std::uint64_t PreparedStepper::events_of(const unit::Fleet& fleet) {
  std::uint64_t events = 0;
  for (unit::UnitId u = 0; u < fleet.size(); ++u) events += fleet.counts(u).events;
  return events;
}

}  // namespace consort::engine
