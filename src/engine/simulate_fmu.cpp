#include "engine/simulate_fmu.hpp"

#include <fmt/core.h>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "engine/simulate_me.hpp"
#include "engine/start_values.hpp"
#include "report/clock_notes.hpp"

namespace consort::engine {

using describe::InterfaceType;

namespace {

InterfaceType choose_interface(const fmi::Fmu& fmu, const FmuRun& run) {
  const auto& d = fmu.description();
  const bool only_me =
      d.interface(InterfaceType::co_simulation) == nullptr && d.interface(InterfaceType::model_exchange) != nullptr;
  const auto chosen = run.interface.value_or(only_me ? InterfaceType::model_exchange : InterfaceType::co_simulation);
  require(chosen != InterfaceType::scheduled_execution,
          "{}: Scheduled Execution needs a scheduler of its own and is not simulated; use an FMU for Co-Simulation or "
          "Model Exchange",
          fmu.path().string());
  return chosen;
}

void warn_of_tool(const describe::Description& d, InterfaceType interface, const LogSink& log) {
  const auto* i = d.interface(interface);
  if (i == nullptr || !i->needs_execution_tool || !log) return;
  log({LogLevel::warning, "", "",
       fmt::format("{} needs the tool that made it ({}) at run time; without it the FMU may fail or wait for ever",
                   d.model_name, d.generation_tool)});
}

fmi::InstanceOptions instance_options(const describe::Description& d, const FmuRun& run, bool use_event_mode) {
  fmi::InstanceOptions options;
  options.name = run.instance_name.empty() ? d.model_name : run.instance_name;
  options.platform = run.platform;
  options.logging = run.logging;
  options.log = run.log;
  options.trace = run.trace;
  options.use_event_mode = use_event_mode;
  options.allow_early_return = run.allow_early_return;
  return options;
}

// Warnings of settings that this run does not read.
std::vector<std::string> without_effect(const describe::Description& d, const FmuRun& run, InterfaceType interface) {
  std::vector<std::string> lines;
  const auto say = [&](std::string_view option, std::string_view why) {
    lines.push_back(fmt::format("{} has no effect: {}", option, why));
  };
  const bool me = interface == InterfaceType::model_exchange;
  if (!me && !run.solver.empty())
    lines.push_back(fmt::format(
        "the solver '{}' has no effect, because the unit runs as Co-Simulation, with a solver of its own{}", run.solver,
        d.interface(InterfaceType::model_exchange) != nullptr ? "; use --interface-type me" : ""));
  const auto* const used = d.interface(interface);
  const std::string_view no_events = me ? "Model Exchange always handles events in event mode"
                                     : d.version != describe::FmiVersion::v3
                                         ? "Co-Simulation has event mode and early return from FMI 3.0 on"
                                     : used != nullptr && !used->event_mode ? "the FMU does not support event mode"
                                                                            : "";
  if (run.use_event_mode && !no_events.empty()) say("--event-mode-used", no_events);
  if (run.allow_early_return && (me || d.version != describe::FmiVersion::v3))
    say("--early-return-allowed", me ? "a solver of Consort chooses the steps of Model Exchange" : no_events);
  if (run.simulate.hold_inputs && (run.input_file.empty() || interface == InterfaceType::model_exchange))
    say("--hold-inputs",
        run.input_file.empty() ? "there is no input file" : "Model Exchange follows its inputs exactly");
  if (run.skip_unsettable_inputs && run.input_file.empty()) say("--skip-unsettable-inputs", "there is no input file");
  return lines;
}

std::shared_ptr<Library> library_of(const fmi::Fmu& fmu, const FmuRun& run) {
  LibraryOptions options;
  options.open.platform = run.platform;
  options.log = run.log;
  options.logging = run.logging;
  options.trace = run.trace;
  auto library = std::make_shared<Library>(std::move(options));
  library->add(fmu);
  return library;
}

}  // namespace

report::FmuReport simulate_fmu(const fmi::Fmu& fmu, const FmuRun& run, std::span<record::Sink* const> sinks) {
  const auto interface = choose_interface(fmu, run);
  const auto& d = fmu.description();
  Diagnostics notes;
  std::optional<input::InputTable> table;
  TablesRead tables(run.origin.has_value());
  std::vector<graph::FileUse> files{{graph::FileKind::unit, {}, fmu.path()}};
  if (!run.input_file.empty()) {
    const StartValues starts = resolve_start_values(d, run.simulate.start_values);
    table =
        input::InputTable::from(parse_csv(tables.read(run.input_file), run.input_file.string()), d,
                                {.allow_unsettable = run.skip_unsettable_inputs, .structural = starts.sizes()}, &notes);
    files.push_back({graph::FileKind::table, {}, run.input_file});
  }
  const input::InputTable* const inputs = table ? &*table : nullptr;
  require(run.event_log.empty() || interface == InterfaceType::model_exchange,
          "{}: runs as Co-Simulation, where the FMU handles events internally; leave out --event-log or use "
          "--interface-type me",
          fmu.path().string());
  warn_of_tool(d, interface, run.log);
  SimulateOptions options = run.simulate;
  if (run.origin) options.origin = origin_facts(*run.origin, files, tables);
  report::FmuReport report;
  if (interface == InterfaceType::model_exchange) {
    auto instance = fmu.model_exchange(instance_options(d, run, false));
    report = simulate_me(std::move(instance), d, options, {run.solver.empty() ? "cvode" : run.solver, run.event_log},
                         inputs, sinks);
  } else {
    const auto* const cs = d.interface(interface);
    const bool clocks = cs != nullptr && report::clocks_need_event_mode(d, *cs);
    graph::Component component{.name = run.instance_name.empty() ? d.model_name : run.instance_name,
                               .source = fmu.path(),
                               .interface = interface,
                               .event_mode = run.use_event_mode || clocks,
                               .early_return = run.allow_early_return};
    report = simulate_cs(component, library_of(fmu, run), options, inputs, sinks);
    if (clocks && !run.use_event_mode)
      report.assumed.emplace_back("events are handled in event mode (the unit has clocks)");
  }
  for (auto& line : without_effect(d, run, interface)) report.warnings.push_back(std::move(line));
  if (const auto* const used = d.interface(interface)) {
    if (auto warning = report::clock_warning(d, *used, inputs); !warning.empty())
      report.warnings.push_back(std::move(warning));
  }
  for (const auto& note : notes.all()) report.warnings.push_back(note.text());
  return report;
}

}  // namespace consort::engine
