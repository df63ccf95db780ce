#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/registry.hpp"
#include "step/controller.hpp"
#include "step/iterated_stepper.hpp"
#include "step/stepper.hpp"
#include "step/wave_stepper.hpp"

namespace consort::step {

namespace {

constexpr auto stepper_rows = std::to_array<StepperRow>({
    {"jacobi", "all units in parallel, with inputs from the step before", make_jacobi},
    {"gauss-seidel",
     "one unit after another, with new values of the units before; independent units in parallel",
     make_gauss_seidel,
     {.order = true}},
    {"scheduled", "serial and parallel groups as given, with any nesting", make_scheduled, {.schedule = true}},
    {"iterated",
     "repeats steps until inputs agree with the outputs at their end; units must be able to roll back",
     make_iterated,
     {.iteration = true}},
});

// True if an output depends on an input that another unit drives. Units that drive no unit count, too: their outputs
// may be recorded.
bool has_feed_through(const graph::Plan& plan) {
  return std::any_of(plan.connections.begin(), plan.connections.end(), [&](const auto& c) {
    return c.from != graph::no_unit && c.from != c.to && !plan.units[c.to].feed_through[c.input].empty();
  });
}

}  // namespace

std::span<const StepperRow> steppers() { return stepper_rows; }

std::unique_ptr<Stepper> make_stepper(const StepperSetup& setup) {
  std::string_view name = setup.settings.stepper;
  if (name.empty() && !setup.settings.schedule.empty()) name = "scheduled";
  if (name.empty() && !setup.settings.order.empty()) name = "gauss-seidel";
  // A controller that compares extrapolated inputs needs all inputs extrapolated.
  if (name.empty() && find_controller(setup.settings.control.controller).extrapolates) name = "jacobi";
  if (name.empty()) name = has_feed_through(setup.plan) ? "gauss-seidel" : "jacobi";
  return find_row(stepper_rows, name, "stepper", "", "stepper").make(setup);
}

}  // namespace consort::step
