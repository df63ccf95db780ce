// Wraps any controller so that steps end at events, which all units settle together.
//
// The inner controller tries a step in which units stop at events. If a unit stops, units and state are restored and
// the controller tries to reach exactly the time of the event; again if an earlier event appears. Events at the end of
// an accepted step are settled by couple::EventIteration. This wraps controllers instead of steppers, because
// controllers that compare solutions must compare them before the event, at the same time.
//
// Used only if all units can roll back and take steps of any size; otherwise each unit handles events inside steps
// alone, and a note says so.
#pragma once

#include <memory>

#include "step/controller.hpp"

namespace consort::step {

// Wraps the controller of a row, created with setup.events, which must not be null.
[[nodiscard]] std::unique_ptr<Controller> make_event_controller(const ControllerSetup& setup, const ControllerRow& row);

}  // namespace consort::step
