#include "step/fixed_controller.hpp"

#include <algorithm>

namespace consort::step {

unit::StepOutcome FixedController::advance(Stepper& stepper, fleet::Fleet& fleet, couple::RunState& state, Time limit) {
  const Duration near = Grid::slack * grid_.step();
  auto& next = state.memory.stays.at(next_);
  next = std::max<std::uint64_t>(next, 1);
  while (next < grid_.intervals() && grid_.point(next) <= state.t + near) ++next;
  const Time point = grid_.point(next);
  const Time end = limit < point - near ? limit : point;
  ++state.control.unit_steps;
  ++state.control.accepted;
  return stepper.step(fleet, state, {state.t, end - state.t, end, false});
}

}  // namespace consort::step
