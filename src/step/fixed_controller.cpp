#include "step/fixed_controller.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "step/step_size.hpp"

namespace consort::step {

FixedController::FixedController(const ControllerSetup& setup)
    : grid_(setup.grid),
      stops_at_events_(setup.events != nullptr || setup.stays_at_events),
      may_go_back_(setup.events != nullptr) {
  for (graph::UnitId u = 0; u < setup.fleet.size(); ++u) {
    if (!setup.fleet.traits(u).variable_step) return;
    if (setup.stepper.may_discard(u)) may_discard_.push_back(u);
  }
  if (may_discard_.empty() || setup.fleet.size() == 1) return;
  units_ = setup.fleet.reserve_snapshot(may_discard_);
  saved_ = std::make_unique<SavedRun>(setup.plan, setup.fleet);
}

unit::StepOutcome FixedController::advance(Stepper& stepper, fleet::Fleet& fleet, couple::RunState& state, Time limit) {
  const Duration near = grid_.tolerance();
  auto& next = state.memory.stays.at(next_);
  next = std::max<std::uint64_t>(next, 1);
  Time point = grid_.point(next);
  while (next < grid_.intervals() && point <= state.t + near) point = grid_.point(++next);
  Time end = point;
  if (limit < point && limit < point - slack(state.t, point)) [[unlikely]]
    end = limit;
  if (state.discards > 0 && units_ && is_discard_expected(state)) [[unlikely]]
    return step_together(stepper, fleet, state, end);
  return step_alone(stepper, fleet, state, end);
}

bool FixedController::is_discard_expected(const couple::RunState& state) const {
  return std::any_of(may_discard_.begin(), may_discard_.end(), [&](auto u) { return state.apart[u].count > 0; });
}

Duration FixedController::size_of(Time begin, Time end) const {
  return std::abs(end - begin - grid_.step()) <= slack(begin, end) ? grid_.step() : end - begin;
}

unit::StepOutcome FixedController::step_alone(Stepper& stepper, fleet::Fleet& fleet, couple::RunState& state,
                                              Time end) {
  ++state.control.unit_steps;
  const Duration h = size_of(state.t, end);
  const auto outcome = stepper.step(fleet, state, {state.t, h, end, may_go_back_, Past::usual, stops_at_events_});
  if (outcome.why != unit::Why::event || !may_go_back_) ++state.control.accepted;
  return outcome;
}

// If saving fails although units offer rollback, the run continues as if they did not.
bool FixedController::save(fleet::Fleet& fleet, const couple::RunState& state) {
  try {
    fleet.save(*units_);
  } catch (const Error&) {
    units_.reset();
    return false;
  }
  saved_->keep(state);
  return true;
}

unit::StepOutcome FixedController::step_together(Stepper& stepper, fleet::Fleet& fleet, couple::RunState& state,
                                                 Time end) {
  constexpr int most_discarded = 10;
  Duration wanted = end - state.t;
  for (int discarded = 0;;) {
    if (!save(fleet, state)) return step_alone(stepper, fleet, state, end);
    const Duration h = fit_step(wanted, end - state.t);
    const Time to = h >= end - state.t ? end : state.t + h;
    ++state.control.unit_steps;
    Interval interval{state.t, to == end ? size_of(state.t, end) : h, to, true, Past::usual, stops_at_events_};
    interval.units_may_discard = discarded < most_discarded;
    const auto outcome = stepper.step(fleet, state, interval);
    if (outcome.why == unit::Why::discarded) {
      fleet.restore(*units_);
      saved_->bring_back(state);
      // First try the part that the unit reports as reached.
      const Duration done = outcome.reached - interval.t;
      wanted = discarded == 0 && done > 0 && done < h ? done : h / 2;
      ++discarded;
      continue;
    }
    if (outcome.why != unit::Why::event || !may_go_back_) ++state.control.accepted;
    if (!outcome.completed() || state.t >= end) return outcome;
  }
}

}  // namespace consort::step
