#include "engine/run_alone.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "unit/borrowed_unit.hpp"

namespace consort::engine {

namespace {

graph::System system_of(graph::Component component, const SimulateOptions& o) {
  for (const auto& [name, value] : o.start_values) component.set(name, value);
  graph::System system(component.name);
  system.components.push_back(std::move(component));
  return system;
}

SimulationOptions options_of(AloneRun& alone, const SimulateOptions& o) {
  SimulationOptions options;
  auto& run = options.run;
  run.start = alone.plan.start;
  run.stop = alone.plan.stop;
  run.step = alone.plan.step;
  run.tolerance = alone.plan.tolerance;
  run.output_interval = alone.output_interval;
  run.threads = 1;
  options.solo = Solo{.variables = o.outputs,
                      .table = alone.table,
                      .inputs = std::move(alone.inputs),
                      .ahead = alone.ahead,
                      .initial_state = o.initial_state,
                      .keep_final_state = o.keep_final_state,
                      .hold_inputs = o.hold_inputs,
                      .origin = o.origin};
  options.progress = o.progress;
  options.stop_requested = o.stop_requested;
  return options;
}

void append(std::vector<std::string>& to, std::vector<std::string> from) {
  for (auto& text : from) to.push_back(std::move(text));
}

void take_over(report::FmuReport& report, report::SystemReport of_system) {
  auto& unit = of_system.units.front();
  report.reached = of_system.reached;
  report.steps = of_system.steps;
  report.rows = of_system.rows;
  report.events = unit.events;
  report.early_returns = unit.early_returns;
  report.discarded = unit.discarded;
  append(report.assumed, std::move(of_system.assumed));
  append(report.notes, std::move(of_system.notes));
  append(report.warnings, std::move(of_system.warnings));
  report.ended_early = std::move(of_system.ended_early);
  if (unit.repeated_as_is > 0)
    report.warnings.push_back(fmt::format(
        "the unit discarded {} step{} and cannot restore its state: these steps were repeated from where it stopped, "
        "and results may depend on the discarded steps; compare with a run with smaller steps",
        unit.repeated_as_is, unit.repeated_as_is == 1 ? "" : "s"));
}

}  // namespace

graph::Component borrow(unit::Unit& unit, Library& library) {
  library.add(unit.name(), [&](const std::string&) { return std::make_unique<unit::BorrowedUnit>(unit); });
  return {.name = unit.name(), .source = std::string(graph::native_prefix) + unit.name()};
}

void run_alone(AloneRun run, const SimulateOptions& o, std::span<record::Sink* const> sinks,
               report::FmuReport& report) {
  const auto begun = std::chrono::steady_clock::now();
  static_cast<void>(Grid(run.plan.start, run.plan.stop, run.plan.step));  // throws for invalid times
  report.start = run.plan.start;
  report.stop = run.plan.stop;
  report.step = run.plan.step;
  Simulation simulation(system_of(run.component, o), options_of(run, o), run.library);
  take_over(report, simulation.run(sinks));
  report.final_state = simulation.final_state();
  report.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

}  // namespace consort::engine
