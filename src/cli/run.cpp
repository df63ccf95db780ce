#include <cstdio>
#include <fstream>
#include <memory>

#include <fmt/core.h>

#include "analyse/answers.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/fmu_options.hpp"
#include "cli/log_options.hpp"
#include "cli/parameters.hpp"
#include "cli/progress.hpp"
#include "cli/setting_options.hpp"
#include "cli/written_files.hpp"
#include "engine/simulation.hpp"
#include "engine/system_files.hpp"
#include "graph/files.hpp"
#include "record/buffered_sink.hpp"
#include "record/formats.hpp"

namespace consort::cli {

namespace {

struct RunOptions {
  std::string system;
  std::string variant;
  bool allow_outside = false;
  bool allow_changed_files = false;
  std::vector<std::string> parameters;
  SettingOptions settings;
  std::vector<std::string> set;
  std::string output_file;
  bool no_output = false;
  bool probe = false;
  std::string report_file;
  std::string trace_file;
  LogOptions log;
  bool quiet = false;
  engine::SimulationOptions simulation;
};

std::string result_name(const RunOptions& o, const graph::RunSettings& run) {
  if (!run.record.file.empty()) return run.record.file;
  const std::filesystem::path system(o.system);
  // Another name for the repetition of a run, whose result may be in the working folder.
  return system.stem().string() + (record::is_result_file(system) ? "_again.h5" : ".h5");
}

void write_report(const std::string& file, const report::SystemReport& report) {
  std::ofstream out(file);
  out << (std::filesystem::path(file).extension() == ".json" ? report.json() : report.text()) << '\n';
  if (!out.flush()) throw run_error("{}: the report cannot be written; check the folder and the disk", file);
}

std::vector<std::string> files_read(const RunOptions& o, const graph::Document& document) {
  std::vector<std::string> files{o.system};
  files.insert(files.end(), o.parameters.begin(), o.parameters.end());
  for (const auto& file : graph::files_of(document.system, document.run)) files.push_back(file.path.string());
  return files;
}

int run_system(const RunOptions& o) {
  require(!iequals(std::filesystem::path(o.system).extension().string(), ".fmu") || engine::is_system_file(o.system),
          "{}: is an FMU, not a system; simulate it with: consort simulate {}", o.system, o.system);
  auto document = engine::read_system_file(
      o.system, {.variant = o.variant, .allow_outside = o.allow_outside, .allow_changed = o.allow_changed_files});
  o.settings.apply(document.run);
  if (!o.output_file.empty()) document.run.record.file = o.output_file;
  if (o.probe) analyse::mark_units_that_answer(document.system, {.open = o.simulation.library.open});
  auto options = o.simulation;
  require(options.checkpoint_file.empty() || options.checkpoint_every,
          "--checkpoint-file has no effect without --checkpoint-every; add --checkpoint-every SECONDS");
  if (options.checkpoint_every && options.checkpoint_file.empty())
    options.checkpoint_file = std::filesystem::path(o.system).stem().string() + ".checkpoint";
  if (options.checkpoint_every && !o.no_output) {
    const auto& format = record::format_of(result_name(o, document.run));
    require(format.resumes,
            "a {} result file cannot be continued from a checkpoint; use another format ({}), or remove "
            "--checkpoint-every",
            format.endings.front(), record::result_endings(&record::Format::resumes));
  }
  options.run = document.run;
  options.settings = read_parameters(o.parameters);
  for (auto& setting : settings_of(o.set)) options.settings.push_back(std::move(setting));
  options.trace_file = o.trace_file;
  const std::string result = result_name(o, document.run);
  check_written_files({{"--output-file", o.no_output ? std::string() : result},
                       {"--report", o.report_file},
                       {"--trace", o.trace_file},
                       {"--event-log", o.simulation.event_log},
                       {"--checkpoint-file", options.checkpoint_file},
                       {"--fmi-log-file", o.log.calls_file}},
                      files_read(o, document));
  if (!o.no_output) options.origin = origin_of(result);
  const auto log = start_log(o.log);
  options.library.log = log.messages;
  options.library.trace = log.calls;
  options.library.logging = o.log.debug;
  ProgressLine progress(o.quiet);
  const StopOnSignal signals;
  options.progress = [&](const engine::Progress& p) { progress.show(p); };
  options.stop_requested = &StopOnSignal::requested();

  engine::Simulation simulation(document.system, options);
  std::unique_ptr<record::Sink> file;
  std::unique_ptr<record::BufferedSink> buffer;
  std::vector<record::Sink*> sinks;
  if (!o.no_output) {
    file = record::make_sink(result, {.compression = document.run.record.compression});
    record::Sink* const all[] = {file.get()};
    const bool paced = document.run.real_time.has_value();
    buffer = std::make_unique<record::BufferedSink>(
        all, paced ? record::BufferedSink::patient_capacity : record::BufferedSink::default_capacity);
    sinks.push_back(buffer.get());
  }
  const auto report = simulation.run(sinks);
  if (!o.report_file.empty()) write_report(o.report_file, report);
  if (!o.quiet) {
    fmt::print(stderr, "{}: {}\n", report.system, report.text());
    if (!o.no_output && result != "-") fmt::print(stderr, "  wrote {}\n", result);
    if (report.records_trust && !o.no_output && result != "-")
      fmt::print(stderr, "  to plot steps and errors: consort plot {} --trust\n", result);
    if (!o.trace_file.empty()) fmt::print(stderr, "  wrote {} (open it in a trace viewer)\n", o.trace_file);
  } else {
    for (const auto& warning : report.warnings) fmt::print(stderr, "warning: {}\n", warning);
  }
  return 0;
}

template <class T>
CLI::Option* add_number(CLI::App& command, const char* name, std::optional<T>& value, const std::string& help) {
  return command.add_option_function<T>(
      name, [&value](const T& v) { value = v; }, help);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto o = std::make_shared<RunOptions>();
  auto& c = *app.add_subcommand("run", "run a system of units");
  c.add_option("SYSTEM", o->system,
               "the system: " + engine::system_endings() + " (a result repeats its run), or an unpacked package")
      ->required();
  c.add_option("--variant", o->variant, "which system of a package that has several");
  c.add_flag("--allow-outside", o->allow_outside, "an SSD file or folder may refer to files elsewhere");
  c.add_flag("--allow-changed-files", o->allow_changed_files,
             "repeat the run of a result although files that it read have changed");
  o->settings.add_to(c);
  c.add_option("--set,--start-value", o->set,
               "UNIT.VARIABLE=VALUE, with a unit of measure if wanted ('a.x=3 cm'), any number of times")
      ->take_all()
      ->allow_extra_args(false);
  c.add_option("--parameters", o->parameters,
               "file with start values, .ssv or .csv (name, value, unit), any number of times; --set beats it")
      ->take_all()
      ->allow_extra_args(false);
  c.add_option("-o,--output-file", o->output_file,
               "result file, " + record::result_endings() + " (default: NAME.h5 here); '-' is CSV on standard output");
  c.add_flag("--no-output", o->no_output, "record nothing")->excludes("--output-file");
  c.add_flag("--probe", o->probe,
             "try which FMUs answer new inputs without a step, and make outputs consistent with inputs there");
  add_number(c, "--checkpoint-every", o->simulation.checkpoint_every,
             "simulated seconds between checkpoints, from which a run can go on");
  c.add_option("--checkpoint-file", o->simulation.checkpoint_file,
               "file for checkpoints; each one replaces the last (default: NAME.checkpoint here)");
  c.add_option("--restart-from", o->simulation.restart_from,
               "go on from a checkpoint of the same system; the result file goes on, too");
  c.add_option("--report", o->report_file, "write the report to a file, .json or text");
  c.add_option("--event-log", o->simulation.event_log, "write every event of units and of the system to this CSV file");
  c.add_option("--trace", o->trace_file, "write a timeline of all units, in Chrome's trace format");
  add_log_options(c, o->log);
  c.add_flag("--quiet,-q", o->quiet, "print warnings only");
  add_open_options(c, o->simulation.library.open);
  add_platform_options(c, o->simulation.library.open);
  c.add_flag("--compile", o->simulation.library.open.compile,
             "build the binaries of FMUs that have sources, but none for this machine");
  c.callback([o, &action] { action = [o] { return run_system(*o); }; });
}

}  // namespace consort::cli
