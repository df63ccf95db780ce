#include <cstdio>
#include <fstream>
#include <memory>

#include <fmt/core.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/fmu_options.hpp"
#include "cli/log_options.hpp"
#include "cli/progress.hpp"
#include "cli/written_files.hpp"
#include "engine/simulate_fmu.hpp"
#include "os/child_process.hpp"
#include "os/temp_folder.hpp"
#include "record/formats.hpp"
#include "solve/solvers.hpp"

namespace consort::cli {

namespace {

struct SimulateOptions {
  std::string model;
  std::string interface_type;
  std::string output_file;
  std::vector<std::string> start_values;
  LogOptions log;
  bool quiet = false;
  std::string initial_state_file;
  std::string final_state_file;
  double timeout = 0;
  fmi::OpenOptions open;
  engine::FmuRun run;
};

std::vector<std::uint8_t> read_bytes(const std::string& file) {
  const std::string text = read_file(file);
  return {text.begin(), text.end()};
}

void write_bytes(const std::string& file, const std::vector<std::uint8_t>& bytes) {
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw run_error("{}: the final state cannot be written; check the folder and the disk", file);
}

// NAME.csv for NAME.fmu and for the folder NAME, also if the path ends with a slash.
std::string output_name(const SimulateOptions& o) {
  if (!o.output_file.empty()) return o.output_file;
  auto path = std::filesystem::absolute(o.model).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return (std::filesystem::is_directory(path) ? path.filename() : path.stem()).string() + ".csv";
}

void set_start_values(const SimulateOptions& o, engine::FmuRun& run) {
  for (const auto& text : o.start_values) {
    const auto equals = text.find('=');
    require(equals != std::string::npos && equals > 0, "--start-value '{}': write it as NAME=VALUE", text);
    run.simulate.start_values.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
}

void set_interface(const SimulateOptions& o, engine::FmuRun& run) {
  if (o.interface_type == "cs") run.interface = describe::InterfaceType::co_simulation;
  if (o.interface_type == "me") run.interface = describe::InterfaceType::model_exchange;
}

int simulate(const SimulateOptions& o) {
  require_fmu(o.model);
  auto run = o.run;
  set_interface(o, run);
  set_start_values(o, run);
  if (!o.initial_state_file.empty()) run.simulate.initial_state = read_bytes(o.initial_state_file);
  run.simulate.keep_final_state = !o.final_state_file.empty();
  run.platform = o.open.platform;
  const auto fmu = fmi::Fmu::open(o.model, o.open);
  const std::string output = output_name(o);
  check_written_files({{"--output-file", output},
                       {"--final-fmu-state-file", o.final_state_file},
                       {"--event-log", run.event_log.string()},
                       {"--fmi-log-file", o.log.calls_file}},
                      {o.model, run.input_file.string(), o.initial_state_file});
  const auto sink = record::make_sink(output);
  record::Sink* const sinks[] = {sink.get()};

  run.origin = origin_of(output);
  const auto log = start_log(o.log);
  run.log = log.messages;
  run.trace = log.calls;
  run.logging = o.log.debug;
  ProgressLine progress(o.quiet);
  const StopOnSignal signals;
  run.simulate.progress = [&](const engine::Progress& p) { progress.show(p); };
  run.simulate.stop_requested = &StopOnSignal::requested();
  const auto report = engine::simulate_fmu(fmu, run, sinks);
  if (!o.final_state_file.empty()) write_bytes(o.final_state_file, report.final_state);
  if (!o.quiet) {
    const auto warnings = fmu.diagnostics().count(Severity::warning);
    fmt::print(stderr, "{}: {}\n", fmu.description().model_name, report.text());
    if (warnings > 0)
      fmt::print(stderr, "  the description breaks {} rule{} of the standard; 'consort check' lists them\n", warnings,
                 warnings == 1 ? "" : "s");
    if (output != "-") fmt::print(stderr, "  wrote {}\n", output);
  } else {
    for (const auto& warning : report.warnings) fmt::print(stderr, "warning: {}\n", warning);
  }
  return 0;
}

// What a process that was ended has recorded.
std::string what_is_left(const SimulateOptions& o) {
  const auto output = output_name(o);
  if (output == "-") return "the rows recorded until then were printed";
  return std::filesystem::exists(output) ? fmt::format("{} has the rows recorded until then", output)
                                         : std::string("no rows were recorded");
}

int simulate_in_time(const SimulateOptions& o) {
  if (o.timeout <= 0) return simulate(o);
  const auto outcome =
      os::run_in_child([&] { return simulate(o); }, {.timeout_seconds = o.timeout, .capture_standard_error = false});
  if (!outcome.succeeded()) os::TempFolder::sweep();  // files that the child could not remove
  if (outcome.timed_out)
    throw run_error("{}: the run did not finish within {} s and was ended; {}; give it more time with --timeout",
                    o.model, o.timeout, what_is_left(o));
  if (outcome.signal != 0)
    throw run_error("{}: the process was ended by signal {}; {}", o.model, outcome.signal, what_is_left(o));
  return outcome.exit_status;
}

template <class T>
void add_number(CLI::App& command, const char* name, std::optional<T>& value, const char* help) {
  command.add_option_function<T>(
      name, [&value](const T& v) { value = v; }, help);
}

}  // namespace

void add_simulate(CLI::App& app, Action& action) {
  auto o = std::make_shared<SimulateOptions>();
  auto& c = *app.add_subcommand("simulate", "simulate one FMU");
  auto& s = o->run.simulate;
  c.add_option("MODEL", o->model, "the FMU, or a folder with an unpacked one")->required();
  c.add_option("--interface-type", o->interface_type, "cs or me (default: cs if the FMU supports it)")
      ->check(CLI::IsMember({"cs", "me"}));
  add_number(c, "--start-time", s.start, "start time in s (default: that of the FMU, or 0)");
  add_number(c, "--stop-time", s.stop, "stop time in s (default: that of the FMU, or the start time + 1 s)");
  add_number(c, "--step-size", s.step,
             "communication step in s (default: that of the FMU, or the output interval; at most 1/1000 of the run)");
  add_number(c, "--output-interval", s.output_interval, "time between rows in s (default: every communication point)");
  add_number(c, "--tolerance", s.tolerance,
             "relative tolerance for the FMU's solver (default: that of the FMU, or 1e-4)");
  c.add_option("--start-value,--set", o->start_values,
               "NAME=VALUE, any number of times; arrays: values separated by blanks")
      ->take_all()
      ->allow_extra_args(false);
  c.add_option("--solver", o->run.solver, "for Model Exchange (default: cvode): " + solve::solver_names());
  c.add_option("--event-log", o->run.event_log, "for Model Exchange: write every event to this CSV file");
  c.add_option("--input-file", o->run.input_file, "CSV with time and the inputs");
  c.add_flag("--hold-inputs", o->run.simulate.hold_inputs,
             "Co-Simulation: hold inputs at their mean over each step; for FMUs that refuse input derivatives");
  c.add_flag("--skip-unsettable-inputs", o->run.skip_unsettable_inputs,
             "ignore columns of the input file whose variables cannot be set");
  c.add_option("-o,--output-file", o->output_file,
               "result file, " + record::result_endings() +
                   " (default: NAME.csv in the current folder); '-' is standard output");
  c.add_option("--output-variable", s.outputs,
               "variable to record, with * and ?, any number of times (default: all outputs)")
      ->take_all()
      ->allow_extra_args(false);
  add_log_options(c, o->log);
  c.add_option("--initial-fmu-state-file", o->initial_state_file,
               "start from this saved state instead of initialising");
  c.add_option("--final-fmu-state-file", o->final_state_file, "save the state at the end");
  c.add_flag("--event-mode-used", o->run.use_event_mode,
             "FMI 3.0: handle events in event mode if the FMU supports it (default: if it has clocks)");
  c.add_flag("--early-return-allowed", o->run.allow_early_return, "FMI 3.0: allow the FMU to return early from a step");
  add_platform_options(c, o->open);
  c.add_flag("--compile", o->open.compile, "build the binary from the FMU's sources if it has none for this platform");
  c.add_option("--timeout", o->timeout, "run in a separate process and end it after this time in s")->check(positive);
  c.add_flag("--quiet,-q", o->quiet, "print warnings only");
  add_open_options(c, o->open);
  c.callback([o, &action] { action = [o] { return simulate_in_time(*o); }; });
}

}  // namespace consort::cli
