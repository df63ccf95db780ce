// Ends steps at events, which all units settle together: around any controller.
//
// A step is tried as the controller does it, with units that stop at events. When one does, everything goes back to
// where the step began, and the controller tries again to come to the time of the event and no further; once more when
// an earlier one appears. What stands at the end of an accepted step is settled by couple::EventIteration. This is
// around controllers and not inside of steppers, because those who compare solutions have to compare them before the
// event, at the same time.
//
// Only where all units can roll back and take steps of any size; otherwise events inside of steps are handled by each
// unit where they happen, and a note says so.
#pragma once

#include <memory>

#include "step/controller.hpp"

namespace consort::step {

// The controller of a row, made with setup.events, which must not be null.
[[nodiscard]] std::unique_ptr<Controller> make_event_controller(const ControllerSetup& setup, const ControllerRow& row);

}  // namespace consort::step
