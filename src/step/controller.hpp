// Chooses the size of each step, for any stepper.
//
// A controller is created for a plan and a fleet before the run. If a unit lacks a required capability, creating the
// controller throws Error (input) with alternatives. Its memory of the run is in RunState::control and in slots of
// RunState::memory.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "couple/error_estimate.hpp"
#include "couple/event_iteration.hpp"
#include "couple/power_bonds.hpp"
#include "couple/run_state.hpp"
#include "fleet/fleet.hpp"
#include "graph/document.hpp"
#include "graph/plan.hpp"
#include "step/stepper.hpp"

namespace consort::step {

class Controller {
 public:
  virtual ~Controller() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  // Takes one accepted step towards `limit`, but not beyond. Throws Error (run) if no step is small enough; the state
  // is then that of the last accepted step. If ControllerSetup::events is set, controllers of the table also return
  // `event` with the time of the first event inside a step that they tried. Units and state are then undefined until
  // the caller restores them; the controller's memory is as if the step had not been tried.
  virtual unit::StepOutcome advance(Stepper& stepper, fleet::Fleet& fleet, couple::RunState& state, Time limit) = 0;
  // Reserves slots; once, before the first step.
  virtual void prepare(couple::RunState&) {}
  // Notes for the report on the reliability of the error estimate, one line each.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
  // Warnings for the report on the run so far, one line each.
  [[nodiscard]] virtual std::vector<std::string> warnings(const couple::RunState&) const { return {}; }
  // The outputs whose errors are estimated, in the order of ControlState::signals; empty if nothing is estimated.
  [[nodiscard]] virtual std::span<const couple::EstimatedOutput> estimated() const { return {}; }
};

struct ControllerSetup {
  const graph::Plan& plan;
  const graph::RunSettings& settings;
  fleet::Fleet& fleet;
  Stepper& stepper;
  Grid grid;                    // of the requested communication step
  double tolerance = 1e-4;      // of the coupling error, if the settings specify none
  std::vector<bool> is_late{};  // by unit: outputs with feed-through use the inputs of the step, not consistent ones
  const couple::PowerBonds* bonds = nullptr;  // must outlive the controller
  // If set, steps end at events and all units settle them together. Null: each unit handles events inside steps alone.
  // Must outlive the controller.
  couple::EventIteration* events = nullptr;
  // Each unit handles events inside steps alone even so, and events of the system happen at the ends of steps.
  bool events_at_points = false;
  // For fixed steps of a single unit: the unit stays where it stopped at an event, and the caller settles the event.
  bool stays_at_events = false;
};

// Rows of the table in controllers.cpp.
struct ControllerRow {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Controller> (*make)(const ControllerSetup&) = nullptr;
  bool varies = true;         // false: all steps are equal
  bool estimates = true;      // estimates errors of outputs, so that norms, divisors and shares of the tolerance apply
  bool extrapolates = false;  // estimates errors of extrapolated inputs
};
[[nodiscard]] std::span<const ControllerRow> controllers();
// By name; fixed steps if it is empty. Throws Error (input) that lists the available controllers.
[[nodiscard]] const ControllerRow& find_controller(std::string_view name);
// If ControllerSetup::events is set, the controller ends steps at events (event_controller.hpp).
[[nodiscard]] std::unique_ptr<Controller> make_controller(const ControllerSetup& setup);

// For controllers that vary the step. Throws Error (input) that names a unit with equal steps only.
void require_variable_steps(const ControllerSetup& setup, std::string_view controller);

}  // namespace consort::step
