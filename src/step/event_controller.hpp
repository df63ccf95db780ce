// Wraps any controller so that steps end at events, which all units settle together.
//
// The inner controller tries a step in which units stop at events. If a unit stops, units and state are restored and
// the controller tries to reach exactly the time of the event; again if an earlier event appears. Events at the end of
// an accepted step are settled by couple::EventIteration. This wraps controllers instead of steppers, because
// controllers that compare solutions must compare them before the event, at the same time.
//
// Events of the system (couple::SystemEvents) are located between two steps of all units: if a condition became true in
// an accepted step, units and state are restored, and shorter steps bracket the time at which it becomes true
// (EventSearch in event_search.hpp), to a part `event_time` of the communication step. The step then ends at the side
// where the condition is true. A condition that becomes true and false again within one step is not seen, except right
// after its own event, where it often leaves and returns within one step (a bounce): then steps up to earlier times
// look for a time at which it is false. Conditions that depend only on what changes at events are not located: they
// become true at the time of those events, or, if a unit has no events, at a communication point.
//
// All of that is used only if all units can roll back and take steps of any size; otherwise each unit handles events
// inside steps alone, events of the system happen at the end of a step, and a note says so.
#pragma once

#include <memory>
#include <string>

#include "step/controller.hpp"

namespace consort::step {

// Why steps cannot end at events, as a clause that names units: "'a' takes equal steps only". Empty if they can.
[[nodiscard]] std::string obstacle_to_events(const fleet::Fleet& fleet);

// Wraps the controller of a row, created with setup.events, which must not be null. With setup.events_at_points, events
// of the system happen at the ends of steps even if they could be located, and units handle theirs alone.
[[nodiscard]] std::unique_ptr<Controller> make_event_controller(const ControllerSetup& setup, const ControllerRow& row);

}  // namespace consort::step
