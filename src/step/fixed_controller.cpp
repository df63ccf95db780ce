#include "step/fixed_controller.hpp"

#include <algorithm>
#include <cmath>

namespace consort::step {

unit::StepOutcome FixedController::advance(Stepper& stepper, fleet::Fleet& fleet, couple::RunState& state, Time limit) {
  const Duration near = grid_.tolerance();
  auto& next = state.memory.stays.at(next_);
  next = std::max<std::uint64_t>(next, 1);
  Time point = grid_.point(next);
  while (next < grid_.intervals() && point <= state.t + near) point = grid_.point(++next);
  // The tolerance for events is smaller than that for other limits.
  const Time end = limit < point - (stops_at_events_ ? fleet::slack(state.t, point) : near) ? limit : point;
  ++state.control.unit_steps;
  Duration h = end - state.t;
  if (whole_ && std::abs(h - grid_.step()) <= near) h = grid_.step();
  const auto outcome = stepper.step(fleet, state, {state.t, h, end, may_go_back_, Past::usual, stops_at_events_});
  if (outcome.why != unit::Why::event || !may_go_back_) ++state.control.accepted;
  return outcome;
}

}  // namespace consort::step
