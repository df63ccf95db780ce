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
    {"jacobi", "all units at once, with what the others computed in the step before", make_jacobi},
    {"gauss-seidel",
     "one after another, with the newest values of those before; independent ones at once",
     make_gauss_seidel,
     {.order = true}},
    {"scheduled", "one after another and at once, as given, nested in any way", make_scheduled, {.schedule = true}},
    {"iterated",
     "steps repeated until inputs agree with the outputs at their end; for units that can go back",
     make_iterated,
     {.iteration = true}},
});

// Whether some unit's output follows an input that another unit drives: also one that drives nobody may be recorded.
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
  // What compares extrapolated inputs wants all of them to be so.
  if (name.empty() && find_controller(setup.settings.control.controller).extrapolates) name = "jacobi";
  if (name.empty()) name = has_feed_through(setup.plan) ? "gauss-seidel" : "jacobi";
  return find_row(stepper_rows, name, "stepper", "", "stepper").make(setup);
}

}  // namespace consort::step
