// How far to go next, over any stepper.
//
// A controller is made for a plan and a fleet before the run; what units cannot do for it is an Error (input) then,
// with alternatives. What it remembers of the run is in RunState::control and in slots of RunState::memory.
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
#include "graph/plan.hpp"
#include "graph/run_settings.hpp"
#include "step/stepper.hpp"

namespace consort::step {

class Controller {
 public:
  virtual ~Controller() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  // One accepted step towards `limit`, and not beyond it. Throws Error (run) when no step is small enough; the state is
  // then that of the last accepted step. Made with ControllerSetup::events, controllers of the table also return
  // event, at the time of the first one inside of a step that they tried: units and state stand anywhere, and the
  // caller takes it back; what controllers remember is as if it had not been tried.
  virtual unit::StepOutcome advance(Stepper& stepper, fleet::Fleet& fleet, couple::RunState& state, Time limit) = 0;
  // Asks for the slots of what it remembers; once, before the first step.
  virtual void prepare(couple::RunState&) {}
  // What the error estimate is worth for this system, one line each, for the report.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
  // What the run so far gives reason to warn of, one line each.
  [[nodiscard]] virtual std::vector<std::string> warnings(const couple::RunState&) const { return {}; }
  // The outputs whose errors are estimated, as in ControlState::signals; none where nothing is.
  [[nodiscard]] virtual std::span<const couple::EstimatedOutput> estimated() const { return {}; }
};

struct ControllerSetup {
  const graph::Plan& plan;
  const graph::RunSettings& settings;
  fleet::Fleet& fleet;
  Stepper& stepper;
  Grid grid;                    // of the communication step that was asked for
  double tolerance = 1e-4;      // of the coupling error, where the settings name none
  std::vector<bool> is_late{};  // by unit: outputs follow inputs directly, with those of the step, not consistent ones
  const couple::PowerBonds* bonds = nullptr;  // must outlive the controller
  bool whole_steps = false;                   // equal steps are exactly equal, for units that take no other
  // Where steps end at events, which all units settle together; null: events inside of steps are handled where they
  // happen. Must outlive the controller.
  couple::EventIteration* events = nullptr;
  // Of fixed steps of a unit that is alone: it stays where it stopped at an event, which the caller settles.
  bool stays_at_events = false;
};

// Rows of the table in controllers.cpp.
struct ControllerRow {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Controller> (*make)(const ControllerSetup&) = nullptr;
  bool varies = true;     // steps are not equal
  bool estimates = true;  // the errors of outputs, so that norms, divisors and shares of the tolerance mean something
  bool extrapolates = false;  // its estimate is that of extrapolated inputs
};
[[nodiscard]] std::span<const ControllerRow> controllers();
// By name; fixed steps when it is empty. Throws Error (input) that lists those available.
[[nodiscard]] const ControllerRow& find_controller(std::string_view name);
// With ControllerSetup::events, one that ends steps at events (event_controller.hpp).
[[nodiscard]] std::unique_ptr<Controller> make_controller(const ControllerSetup& setup);

// For controllers that vary the step. Throws Error (input) that names a unit which takes equal steps only.
void require_variable_steps(const ControllerSetup& setup, std::string_view controller);

}  // namespace consort::step
