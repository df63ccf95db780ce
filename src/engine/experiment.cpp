#include "engine/experiment.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error.hpp"
#include "step/controller.hpp"

namespace consort::engine {

namespace {

// The best value of a property among the units' default experiments.
template <class Property, class Better>
std::optional<double> from_units(const graph::Plan& plan, Property property, Better better) {
  std::optional<double> best;
  for (const auto& u : plan.units) {
    const std::optional<double> value = property(*u.description);
    if (value && std::isfinite(*value) && (!best || better(*value, *best))) best = value;
  }
  return best;
}

std::optional<double> step_hint(const describe::Description& d) {
  if (const auto* cs = d.interface(describe::InterfaceType::co_simulation); cs != nullptr && cs->fixed_internal_step)
    if (*cs->fixed_internal_step > 0) return cs->fixed_internal_step;
  const auto hint = d.default_experiment.step_size;
  return hint && *hint > 0 ? hint : std::nullopt;
}

bool has_fmus(const graph::Plan& plan) {
  return std::any_of(plan.units.begin(), plan.units.end(), [](const auto& u) { return !u.component.is_native(); });
}

// If the tolerance of solvers exceeds this part of the coupling tolerance, solver errors disturb the error estimate.
constexpr double part_for_solvers = 0.1;

void choose_tolerances(const graph::Plan& plan, const graph::RunSettings& settings, SystemExperiment& e,
                       report::SystemReport& report) {
  const auto& said = plan.experiment;
  const auto& control = settings.control;
  const bool is_said = settings.tolerance || said.tolerance;
  if (is_said) {
    e.tolerance = settings.tolerance ? *settings.tolerance : *said.tolerance;
  } else {
    const auto hint = from_units(
        plan, [](const auto& d) { return d.default_experiment.tolerance; }, std::less<>());
    e.tolerance = hint.value_or(1e-4);
  }
  require_setting("experiment.tolerance", std::isfinite(e.tolerance) && e.tolerance > 0,
                  "the tolerance must be positive, not {}", e.tolerance);
  e.coupling_tolerance = control.tolerance.value_or(e.tolerance);
  const bool estimates = step::find_controller(control.controller).estimates && e.coupling_tolerance > 0;
  const double fine = part_for_solvers * e.coupling_tolerance;
  if (!is_said) {
    const bool finer = estimates && fine < e.tolerance;
    if (finer) e.tolerance = fine;
    report.assumed.push_back(fmt::format("tolerance {:.3g}{}", e.tolerance,
                                         finer ? " of the units' solvers, a tenth of the coupling tolerance" : ""));
  } else if (estimates && e.tolerance > fine * (1 + 1e-9) && has_fmus(plan)) {
    report.notes.push_back(fmt::format(
        "the tolerance of the units' solvers is {:.3g}, and that of the coupling error {:.3g}: solver errors disturb "
        "the estimate unless solvers are ten times finer; set the coupling tolerance to {:.3g} and the tolerance of "
        "the solvers to {:.3g}",
        e.tolerance, e.coupling_tolerance, e.coupling_tolerance, fine));
  }
}

}  // namespace

SystemExperiment choose_experiment(const graph::Plan& plan, const graph::RunSettings& settings,
                                   std::span<const fleet::UnitTraits> units, report::SystemReport& report) {
  SystemExperiment e;
  const auto& said = plan.experiment;
  auto& assumed = report.assumed;
  e.start = settings.start.value_or(said.start.value_or(0.0));

  if (settings.stop || said.stop) {
    e.stop = settings.stop ? *settings.stop : *said.stop;
  } else {
    const auto hint = from_units(
        plan, [](const auto& d) { return d.default_experiment.stop_time; }, std::greater<>());
    e.stop = hint && *hint > e.start ? *hint : e.start + 1;
    assumed.push_back(hint && *hint > e.start ? fmt::format("stop time {} s, the latest of the units'", e.stop)
                                              : fmt::format("stop time {} s", e.stop));
  }
  require_setting("experiment.stop", std::isfinite(e.start) && std::isfinite(e.stop) && e.stop >= e.start,
                  "the stop time ({} s) must be finite and not before the start time ({} s)", e.stop, e.start);

  if (settings.step || said.step) {
    e.step = settings.step ? *settings.step : *said.step;
  } else if (const auto hint = from_units(plan, step_hint, std::less<>()); hint) {
    e.step = e.stop > e.start ? std::min(*hint, e.stop - e.start) : *hint;
    assumed.push_back(fmt::format("communication step {} s, the smallest of the units'", e.step));
  } else {
    e.step = e.stop > e.start ? (e.stop - e.start) / 1000 : 1;
    assumed.push_back(fmt::format("communication step {} s, a thousandth of the run", e.step));
  }
  require_setting("experiment.step", std::isfinite(e.step) && e.step > 0,
                  "the communication step must be positive, not {}", e.step);

  choose_tolerances(plan, settings, e, report);

  if (settings.output_interval) {
    e.output_interval = *settings.output_interval;
    require_setting("experiment.output_interval", std::isfinite(e.output_interval) && e.output_interval > 0,
                    "the output interval must be positive, not {}", e.output_interval);
  }
  const Grid grid = e.grid();
  e.near = grid.tolerance();
  e.last = e.stop;
  const auto stiff = std::find_if(units.begin(), units.end(), [](const auto& u) { return !u.variable_step; });
  if (stiff != units.end()) {
    if (!grid.even()) {
      e.last = grid.point(grid.intervals() - 1);
      report.warnings.push_back(
          fmt::format("the step {} s does not divide the run, and unit '{}' takes no other step: the run ends at {} s",
                      e.step, stiff->name, e.last));
    }
    if (settings.output_interval)
      report.warnings.push_back(
          fmt::format("unit '{}' takes equal steps only: rows are recorded at the first communication point after each "
                      "output point",
                      stiff->name));
  }
  return e;
}

}  // namespace consort::engine
