#include "step/fixed_controller.hpp"

namespace consort::step {

unit::StepOutcome FixedController::advance(Stepper& stepper, unit::Fleet& fleet, couple::RunState& state, Time limit) {
  const Duration near = Grid::slack * grid_.step();
  while (next_ < grid_.intervals() && grid_.point(next_) <= state.t + near) ++next_;
  const Time point = grid_.point(next_);
  const Time end = limit < point - near ? limit : point;
  ++state.control.unit_steps;
  ++state.control.accepted;
  return stepper.step(fleet, state, {state.t, end - state.t, end, false});
}

}  // namespace consort::step
