#include "analyse/probe.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "analyse/trials.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "os/child_process.hpp"
#include "os/temp_folder.hpp"

namespace consort::analyse {

using describe::InterfaceType;

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds: return "holds";
    case Verdict::fails: return "fails";
    case Verdict::absent: return "absent";
    case Verdict::crashed: return "crashed";
    case Verdict::timed_out: break;
  }
  return "timed out";
}

namespace {

InterfaceType choose_interface(const describe::Description& d, const ProbeOptions& options) {
  if (!options.interface)
    return d.interface(InterfaceType::co_simulation) != nullptr ? InterfaceType::co_simulation
                                                                : InterfaceType::model_exchange;
  require(*options.interface != InterfaceType::scheduled_execution,
          "Scheduled Execution is not probed; choose Co-Simulation or Model Exchange");
  return *options.interface;
}

Duration choose_step(const describe::Description& d, const describe::Interface& interface,
                     const ProbeOptions& options) {
  if (options.step) {
    require(std::isfinite(*options.step) && *options.step > 0, "the step size must be positive, not {}", *options.step);
    return *options.step;
  }
  const auto is_good = [](const std::optional<double>& h) { return h && std::isfinite(*h) && *h > 0; };
  if (is_good(interface.fixed_internal_step)) return *interface.fixed_internal_step;
  const auto& e = d.default_experiment;
  if (is_good(e.step_size)) return *e.step_size;
  const double length = e.stop_time.value_or(1) - e.start_time.value_or(0);
  return std::isfinite(length) && length > 0 ? length / 100 : 1e-2;
}

// Passes the child's finding through a file: the first line is the verdict, the rest the text.
void write(const std::filesystem::path& file, const Finding& finding) {
  std::ofstream(file, std::ios::binary) << static_cast<int>(finding.verdict) << '\n' << finding.text;
}

std::optional<Finding> read(const std::filesystem::path& file) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return std::nullopt;
  const std::string text = read_file(file, 1 << 20);
  const auto end = text.find('\n');
  if (end != 1 || text[0] < '0' || text[0] > '2') return std::nullopt;
  return Finding{static_cast<Verdict>(text[0] - '0'), text.substr(2)};
}

std::string last_line(std::string_view text) {
  text = trim(text);
  const auto line = text.substr(text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1);
  constexpr std::string_view head = "consort: ";
  return std::string(line.starts_with(head) ? line.substr(head.size()) : line);
}

Finding try_in_child(const TrialRow& row, const fmi::Fmu& fmu, const SubjectOptions& subject, double timeout,
                     const std::filesystem::path& file) {
  const auto work = [&] {
    Finding finding;
    try {
      finding = row.run(fmu, subject);
    } catch (const Error& error) {
      finding = {Verdict::fails, error.what()};
    }
    write(file, finding);
    return 0;
  };
  const auto child = os::run_in_child(work, {.timeout_seconds = timeout, .silence_standard_output = true});
  if (child.timed_out) return {Verdict::timed_out, fmt::format("it did not end within {} s", timeout)};
  if (auto finding = read(file)) {
    // The FMU may still have crashed while it was unloaded.
    if (child.succeeded()) return *finding;
    return {Verdict::crashed, "after the trial: " + last_line(child.standard_error)};
  }
  if (child.signal != 0) return {Verdict::crashed, fmt::format("signal {}", child.signal)};
  return {Verdict::crashed, last_line(child.standard_error)};
}

}  // namespace

const Trial& ProbeReport::operator[](std::string_view name) const {
  const auto found = std::find_if(trials.begin(), trials.end(), [&](const Trial& t) { return t.name == name; });
  require(found != trials.end(), "there is no trial '{}'; 'consort probe --help' lists them", name);
  return *found;
}

bool ProbeReport::keeps_its_word() const {
  return std::none_of(trials.begin(), trials.end(), [](const Trial& t) {
    const bool ended = t.verdict == Verdict::crashed || t.verdict == Verdict::timed_out;
    return ended || (t.claimed.value_or(false) && t.verdict == Verdict::fails);
  });
}

ProbeReport probe(const std::filesystem::path& file, const ProbeOptions& options) {
  const auto fmu = fmi::Fmu::open(file, options.open);
  const auto& d = fmu.description();
  ProbeReport report;
  report.model = d.model_name;
  report.version = d.version;
  report.interface = choose_interface(d, options);
  const auto* const interface = d.interface(report.interface);
  require(interface != nullptr, "{}: the FMU has no {}; choose another interface", file.string(),
          name_of(report.interface));
  require(std::isfinite(options.timeout_seconds) && options.timeout_seconds > 0,
          "the time for a trial must be positive, not {} s", options.timeout_seconds);
  report.step = choose_step(d, *interface, options);
  SubjectOptions subject{report.interface, report.step, describe::resolve_start_values(d, options.start_values)};
  const os::TempFolder folder("probe");
  for (const auto& row : trial_rows()) {
    if (!options.only.empty() && options.only != row.name) continue;
    const auto answer = folder.path() / std::to_string(report.trials.size());
    auto finding = try_in_child(row, fmu, subject, options.timeout_seconds, answer);
    report.trials.push_back(
        {std::string(row.name), row.claimed(d, *interface), finding.verdict, std::move(finding.text)});
  }
  return report;
}

}  // namespace consort::analyse
