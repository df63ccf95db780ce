#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/registry.hpp"
#include "step/controller.hpp"
#include "step/event_controller.hpp"
#include "step/fixed_controller.hpp"

namespace consort::step {

// Factories used only in controller_rows; each is defined in the file named after it.
std::unique_ptr<Controller> make_richardson(const ControllerSetup& setup);
std::unique_ptr<Controller> make_modified(const ControllerSetup& setup);
std::unique_ptr<Controller> make_ecco(const ControllerSetup& setup);

namespace {

std::unique_ptr<Controller> make_fixed(const ControllerSetup& setup) {
  return std::make_unique<FixedController>(setup);
}

constexpr auto controller_rows = std::to_array<ControllerRow>({
    {.name = "fixed",
     .description = "equal steps, without an error estimate",
     .make = make_fixed,
     .varies = false,
     .estimates = false},
    {.name = "richardson",
     .description = "compares two steps with one of twice the size; units must be able to roll back",
     .make = make_richardson},
    {.name = "modified",
     .description = "like richardson, but both solutions share their first half, which is cheaper",
     .make = make_modified,
     .extrapolates = true},
    {.name = "ecco",
     .description = "uses the power exchanged over power bonds; never repeats steps, so it works with any unit",
     .make = make_ecco,
     .estimates = false},
});

}  // namespace

std::span<const ControllerRow> controllers() { return controller_rows; }

const ControllerRow& find_controller(std::string_view name) {
  return name.empty() ? controller_rows.front()
                      : find_row(controller_rows, name, "step size controller", "", "control.controller");
}

std::unique_ptr<Controller> make_controller(const ControllerSetup& setup) {
  const auto& row = find_controller(setup.settings.control.controller);
  return setup.events == nullptr ? row.make(setup) : make_event_controller(setup, row);
}

void require_variable_steps(const ControllerSetup& setup, std::string_view controller) {
  for (const auto& unit : setup.fleet.traits())
    require_in_unit(unit.name, unit.variable_step,
                    "the controller '{}' varies the communication step, but unit '{}' takes equal steps only; use the "
                    "controller 'fixed', or replace the unit",
                    controller, unit.name);
}

}  // namespace consort::step
