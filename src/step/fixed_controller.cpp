#include "step/fixed_controller.hpp"

namespace consort::step {

Time FixedController::goal(const couple::RunState& state, Time limit) const {
  const Duration near = Grid::slack * grid_.step();
  while (next_ < grid_.intervals() && grid_.point(next_) <= state.t + near) ++next_;
  const Time point = grid_.point(next_);
  return limit < point - near ? limit : point;
}

unit::StepOutcome FixedController::advance(Stepper& stepper, unit::Fleet& fleet, couple::RunState& state, Time limit) {
  const Time end = goal(state, limit);
  return stepper.step(fleet, state, {state.t, end - state.t, end, false});
}

}  // namespace consort::step
