#include "engine/simulate_cs.hpp"

#include <chrono>

#include <fmt/format.h>

#include "base/text.hpp"
#include "engine/run_plan.hpp"
#include "engine/simulation.hpp"
#include "engine/start_values.hpp"
#include "unit/borrowed_unit.hpp"

namespace consort::engine {

namespace {

graph::System system_of(graph::Component component, const SimulateOptions& o) {
  for (const auto& [name, value] : o.start_values) component.set(name, value);
  graph::System system(component.name);
  system.components.push_back(std::move(component));
  return system;
}

SimulationOptions options_of(const RunPlan& plan, const SimulateOptions& o, const input::InputTable* table) {
  SimulationOptions options;
  auto& run = options.run;
  run.start = plan.start;
  run.stop = plan.stop;
  run.step = plan.step;
  run.tolerance = plan.tolerance;
  run.output_interval = o.output_interval;
  run.threads = 1;
  options.solo = Solo{o.outputs, table, o.initial_state, o.keep_final_state, o.hold_inputs, o.origin};
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

report::FmuReport simulate_cs(const graph::Component& component, const std::shared_ptr<Library>& library,
                              const SimulateOptions& o, const input::InputTable* table,
                              std::span<record::Sink* const> sinks) {
  const auto begun = std::chrono::steady_clock::now();
  report::FmuReport report;
  const auto& d = library->description(component);
  static_cast<void>(resolve_start_values(d, o.start_values));  // throws first, because later messages differ
  const RunPlan plan = make_run_plan(d, describe::InterfaceType::co_simulation, o, report.assumed);
  static_cast<void>(Grid(plan.start, plan.stop, plan.step));  // throws for invalid times
  report.start = plan.start;
  report.stop = plan.stop;
  report.step = plan.step;
  Simulation simulation(system_of(component, o), options_of(plan, o, table), library);
  take_over(report, simulation.run(sinks));
  report.final_state = simulation.final_state();
  report.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return report;
}

report::FmuReport simulate_cs(unit::Unit& unit, const SimulateOptions& o, const input::InputTable* table,
                              std::span<record::Sink* const> sinks) {
  const auto library = std::make_shared<Library>();
  library->add(unit.name(), [&](const std::string&) { return std::make_unique<unit::BorrowedUnit>(unit); });
  return simulate_cs({.name = unit.name(), .source = std::string(graph::native_prefix) + unit.name()}, library, o,
                     table, sinks);
}

}  // namespace consort::engine
