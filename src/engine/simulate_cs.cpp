#include "engine/simulate_cs.hpp"

#include <utility>

#include "engine/run_alone.hpp"
#include "engine/start_values.hpp"

namespace consort::engine {

report::FmuReport simulate_cs(const graph::Component& component, const std::shared_ptr<Library>& library,
                              const SimulateOptions& o, const input::InputTable* table,
                              std::span<record::Sink* const> sinks) {
  report::FmuReport report;
  const auto& d = library->description(component);
  static_cast<void>(resolve_start_values(d, o.start_values));  // throws first, because later messages differ
  AloneRun run{.component = component, .library = library, .output_interval = o.output_interval, .table = table};
  run.plan = make_run_plan(d, describe::InterfaceType::co_simulation, o, report.assumed);
  run_alone(std::move(run), o, sinks, report);
  return report;
}

report::FmuReport simulate_cs(unit::Unit& unit, const SimulateOptions& o, const input::InputTable* table,
                              std::span<record::Sink* const> sinks) {
  const auto library = std::make_shared<Library>();
  const auto component = borrow(unit, *library);
  return simulate_cs(component, library, o, table, sinks);
}

}  // namespace consort::engine
