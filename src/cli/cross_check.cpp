#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/options.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/fmu_options.hpp"
#include "engine/simulate_fmu.hpp"
#include "os/child_process.hpp"
#include "record/compare.hpp"
#include "record/formats.hpp"

namespace consort::cli {

namespace fs = std::filesystem;
using describe::InterfaceType;

namespace {

struct CrossCheckOptions {
  std::string tree;
  std::string output = "cross-check-results";
  std::string interface_type;
  double timeout = 120;
  record::Band band;
  double strict_band = 0.01;
  bool json = false;
  fmi::OpenOptions open;
};

enum class Grade { passed, failed, rejected };
constexpr const char* grade_names[] = {"passed", "failed", "rejected"};

struct Case {
  fs::path fmu, reference, settings, input;  // the last two need not exist
  InterfaceType interface = InterfaceType::co_simulation;
  fmi::OpenOptions open;
  std::string name;  // relative to the tree, without the ending
};

struct Verdict {
  Grade grade = Grade::rejected;
  bool strict = false;
  std::string reason;
};

// --- finding cases ---------------------------------------------------------------------------------------------------

// The platform that a folder of the path names; nullopt if there is none, or one whose binaries cannot be run.
std::optional<fmi::Platform> platform_of_case(const fs::path& path) {
  std::optional<fmi::Platform> platform;
  for (const auto& part : path)
    for (const auto known :
         {fmi::Platform::linux64, fmi::Platform::linux32, fmi::Platform::win64, fmi::Platform::win32})
      if (part == fmi::name_of(known)) platform = known;
  return platform;
}

// The path in the tree contains "cs" or "me"; if it does not, Co-Simulation is assumed.
InterfaceType interface_of(const fs::path& path) {
  auto interface = InterfaceType::co_simulation;
  for (const auto& part : path) {  // the innermost folder decides
    if (part == "me") interface = InterfaceType::model_exchange;
    if (part == "cs") interface = InterfaceType::co_simulation;
  }
  return interface;
}

std::vector<Case> find_cases(const CrossCheckOptions& o) {
  require(fs::is_directory(o.tree), "{}: this is not a folder; give the cross-check tree or a part of it", o.tree);
  std::vector<Case> cases;
  for (const auto& entry : fs::recursive_directory_iterator(o.tree, fs::directory_options::skip_permission_denied)) {
    if (entry.path().extension() != ".fmu") continue;
    Case c;
    c.fmu = entry.path();
    const auto beside = [&](const char* suffix) { return c.fmu.parent_path() / (c.fmu.stem().string() + suffix); };
    c.reference = beside("_ref.csv");
    c.settings = beside("_ref.opt");
    c.input = beside("_in.csv");
    c.interface = interface_of(fs::absolute(c.fmu));
    c.open = o.open;
    if (!c.open.platform) c.open.platform = platform_of_case(fs::absolute(c.fmu));
    c.name = (fs::relative(c.fmu, o.tree).parent_path() / c.fmu.stem()).string();
    const bool wanted =
        o.interface_type.empty() || (o.interface_type == "me") == (c.interface == InterfaceType::model_exchange);
    if (wanted && fs::exists(c.reference)) cases.push_back(std::move(c));
  }
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
  require(!cases.empty(),
          "{}: the folder has no FMU with a file NAME_ref.csv next to it; give the cross-check tree or a part of it",
          o.tree);
  return cases;
}

// --- one case --------------------------------------------------------------------------------------------------------

double median_spacing(const std::vector<Time>& t) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < t.size(); ++i) {
    if (t[i] > t[i - 1]) gaps.push_back(t[i] - t[i - 1]);
  }
  if (gaps.empty()) return 0;
  std::nth_element(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2), gaps.end());
  return gaps[gaps.size() / 2];
}

// Applies NAME_ref.opt. A step of 0 means a variable step, so the importer chooses one.
void apply_settings(const Case& c, const record::Result& reference, engine::SimulateOptions& s) {
  consort::Options settings;
  if (fs::exists(c.settings)) settings = read_options(c.settings);
  s.start = settings.number("StartTime").value_or(reference.time.front());
  s.stop = settings.number("StopTime").value_or(reference.time.back());
  const bool model_exchange = c.interface == InterfaceType::model_exchange;
  if (const auto step = settings.number("StepSize"); step.value_or(0) > 0 && !model_exchange) s.step = step;
  // Some FMUs without a solver have a tolerance of 1, which no solver accepts.
  if (const auto tolerance = settings.number("RelTol"); tolerance.value_or(0) > 0 && *tolerance < 1)
    s.tolerance = tolerance;
  const double spacing = settings.number("OutputIntervalLength").value_or(median_spacing(reference.time));
  if (spacing > 0 && (model_exchange || (s.step && spacing > 2 * *s.step))) s.output_interval = spacing;
}

// Some references continue after the stop time of their settings. The rest is removed.
void cut_to_run(record::Result& reference, const engine::SimulateOptions& s) {
  const auto keep = static_cast<std::size_t>(std::upper_bound(reference.time.begin(), reference.time.end(), *s.stop) -
                                             reference.time.begin());
  if (keep == 0 || keep == reference.time.size()) return;
  reference.time.resize(keep);
  for (auto& t : reference.trajectories) {
    if (t.is_text())
      t.texts.resize(keep);
    else
      t.numbers.resize(keep);
  }
}

// Runs in the child process: simulates and writes the result. Errors go to stderr and the exit status.
int simulate_case(const Case& c, const record::Result& reference, const engine::SimulateOptions& settings,
                  const fs::path& output) {
  const auto fmu = fmi::Fmu::open(c.fmu, c.open);
  engine::FmuRun run;
  run.interface = c.interface;
  run.simulate = settings;
  for (const auto& trajectory : reference.trajectories) {
    if (fmu.description().find(trajectory.signal.name) != describe::no_variable)
      run.simulate.outputs.push_back(trajectory.signal.name);
  }
  if (fs::exists(c.input)) {
    run.input_file = c.input;
    run.skip_unsettable_inputs = true;
  }
  const auto simulate = [&] {
    const auto sink = record::make_sink(output);
    record::Sink* const sinks[] = {sink.get()};
    return engine::simulate_fmu(fmu, run, sinks);
  };
  report::FmuReport report;
  try {
    report = simulate();
  } catch (const fmi::FatalRefusal& refusal) {
    fmt::print(stderr, "warning: {}; this is done now\n", refusal.what());
    run.simulate.hold_inputs = true;
    report = simulate();
  }
  for (const auto& warning : report.warnings) fmt::print(stderr, "warning: {}\n", warning);
  return 0;
}

std::string last_line(const std::string& text) {
  std::string last;
  for (const auto part : split(text, '\n')) {
    if (!trim(part).empty()) last = trim(part);
  }
  return last.starts_with("consort: ") ? last.substr(9) : last;
}

Verdict judge(const record::Result& reference, const fs::path& output, const CrossCheckOptions& o) {
  const auto result = record::read_result(output);
  const auto comparison = record::compare(reference, result, o.band);
  record::Band strict = o.band;
  strict.value = o.strict_band;
  Verdict v{comparison.inside() ? Grade::passed : Grade::failed, record::compare(reference, result, strict).inside(),
            ""};
  for (const auto& s : comparison.signals) {
    if (s.verdict == record::Verdict::inside) continue;
    v.reason = fmt::format("{}: {}", s.name, s.reason);
    break;
  }
  return v;
}

// An FMU that waits for a missing tool never returns. It is rejected, which is not a wrong result.
Verdict timed_out(const Case& c, const CrossCheckOptions& o) {
  const std::string text = fmt::format("did not finish within {} s", o.timeout);
  const auto fmu = fmi::Fmu::open(c.fmu, c.open);
  const auto* interface = fmu.description().interface(c.interface);
  if (interface == nullptr || !interface->needs_execution_tool) return {Grade::failed, false, text};
  return {Grade::rejected, false,
          fmt::format("{}: the FMU needs the tool {} to run (needsExecutionTool), which is not installed", text,
                      fmu.description().generation_tool)};
}

Verdict run_case(const Case& c, const CrossCheckOptions& o) {
  const fs::path folder = fs::path(o.output) / c.name;
  std::error_code problem;
  fs::create_directories(folder, problem);
  require(!problem, "{}: the folder cannot be created: {}; choose another --output-dir", folder.string(),
          problem.message());
  const fs::path output = folder / (c.fmu.stem().string() + "_out.csv");
  for (const char* const name : grade_names) fs::remove(folder / name);
  Verdict verdict;
  try {
    auto reference = record::read_result(c.reference);
    require(reference.rows() > 0, "{}: the reference has no rows", c.reference.string());
    engine::SimulateOptions settings;
    apply_settings(c, reference, settings);
    cut_to_run(reference, settings);
    const auto outcome = os::run_in_child(
        [&] { return simulate_case(c, reference, settings, output); },
        {.timeout_seconds = o.timeout, .capture_standard_error = true, .silence_standard_output = true});
    if (outcome.timed_out)
      verdict = timed_out(c, o);
    else if (outcome.signal != 0)
      verdict = {Grade::failed, false, fmt::format("its process was ended by signal {}", outcome.signal)};
    else if (outcome.exit_status == 2)
      verdict = {Grade::rejected, false, last_line(outcome.standard_error)};
    else if (outcome.exit_status != 0)
      verdict = {Grade::failed, false, last_line(outcome.standard_error)};
    else
      verdict = judge(reference, output, o);
  } catch (const Error& error) {
    verdict = {Grade::failed, false, error.what()};
  }
  std::ofstream(folder / grade_names[static_cast<int>(verdict.grade)])
      << verdict.reason << (verdict.reason.empty() ? "" : "\n");
  return verdict;
}

// --- all of them -----------------------------------------------------------------------------------------------------

int cross_check(const CrossCheckOptions& o) {
  const auto cases = find_cases(o);
  std::size_t counts[3] = {0, 0, 0};
  std::size_t strict = 0;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& c : cases) {
    const Verdict v = run_case(c, o);
    ++counts[static_cast<int>(v.grade)];
    strict += v.strict ? 1 : 0;
    const char* const grade = grade_names[static_cast<int>(v.grade)];
    if (o.json)
      list.push_back({{"case", c.name}, {"result", grade}, {"strict", v.strict}, {"reason", v.reason}});
    else
      fmt::print("{:<8} {:<6} {}{}{}\n", grade, v.strict ? "strict" : "", c.name, v.reason.empty() ? "" : "  — ",
                 v.reason);
    std::fflush(stdout);
  }
  if (o.json) {
    const nlohmann::ordered_json all{{"passed", counts[0]},
                                     {"failed", counts[1]},
                                     {"rejected", counts[2]},
                                     {"passed strictly", strict},
                                     {"cases", list}};
    fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("\n{} cases: {} passed ({} of them within {} %), {} failed, {} rejected; results are in {}\n",
               cases.size(), counts[0], strict, 100 * o.strict_band, counts[1], counts[2], o.output);
  }
  return counts[1] + counts[2] == 0 ? 0 : 1;
}

}  // namespace

void add_cross_check(CLI::App& app, Action& action) {
  auto o = std::make_shared<CrossCheckOptions>();
  auto& c = *app.add_subcommand("cross-check",
                                "simulate the FMUs of an FMI cross-check tree and compare them with their references");
  c.add_option("DIR", o->tree, "the tree, or a part of it")->required();
  c.add_option("--output-dir", o->output, "folder for results and for the files passed, failed and rejected")
      ->capture_default_str();
  c.add_option("--interface-type", o->interface_type, "run only this type: cs or me")
      ->check(CLI::IsMember({"cs", "me"}));
  c.add_option("--timeout", o->timeout, "time limit per FMU in s")->capture_default_str()->check(positive);
  c.add_option("--band", o->band.value, "half height of the band, relative to the range of the signal")
      ->capture_default_str();
  c.add_option("--time-band", o->band.time, "half width of the band, relative to the run")->capture_default_str();
  c.add_option("--strict-band", o->strict_band, "half height of the narrow band that is counted separately")
      ->capture_default_str();
  c.add_flag("--json", o->json, "for machines");
  add_platform_options(c, o->open);
  c.callback([o, &action] { action = [o] { return cross_check(*o); }; });
}

}  // namespace consort::cli
