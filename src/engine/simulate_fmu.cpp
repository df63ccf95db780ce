#include "engine/simulate_fmu.hpp"

#include <fmt/core.h>

#include "base/error.hpp"
#include "unit/fmu_unit.hpp"

namespace consort::engine {

using describe::InterfaceType;

namespace {

void check_interface(const fmi::Fmu& fmu, const FmuRun& run) {
  const auto wanted = run.interface.value_or(InterfaceType::co_simulation);
  require(wanted == InterfaceType::co_simulation,
          "{}: {} FMUs can be inspected and checked, but not simulated yet; use one for Co-Simulation",
          fmu.path().string(), describe::name_of(wanted));
}

}  // namespace

RunReport simulate_fmu(const fmi::Fmu& fmu, const FmuRun& run, std::span<record::Sink* const> sinks) {
  check_interface(fmu, run);
  const auto& d = fmu.description();
  Diagnostics notes;
  std::optional<input::InputTable> table;
  if (!run.input_file.empty()) {
    table = input::InputTable::read(run.input_file, d, {.allow_unsettable = run.skip_unsettable_inputs}, &notes);
  }
  if (d.interface(InterfaceType::co_simulation) != nullptr &&
      d.interface(InterfaceType::co_simulation)->needs_execution_tool && run.log) {
    run.log(
        {LogLevel::warning, "", "",
         fmt::format("{} needs the tool that made it ({}) at run time; without it the FMU may fail or wait for ever",
                     d.model_name, d.generation_tool)});
  }
  fmi::InstanceOptions options;
  options.name = run.instance_name.empty() ? d.model_name : run.instance_name;
  options.logging = run.logging;
  options.log = run.log;
  options.trace = run.trace;
  options.use_event_mode = run.use_event_mode;
  options.allow_early_return = run.allow_early_return;
  const auto unit = unit::make_fmu_unit(fmu, std::move(options));
  RunReport report = simulate(*unit, run.simulate, table ? &*table : nullptr, sinks);
  for (const auto& note : notes.all()) report.warnings.push_back(note.text());
  return report;
}

}  // namespace consort::engine
