#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "analyse/linearise.hpp"
#include "base/error.hpp"
#include "cli/analyse.hpp"
#include "cli/fmu_options.hpp"
#include "cli/log_options.hpp"
#include "cli/parameters.hpp"
#include "cli/written_files.hpp"
#include "engine/system_files.hpp"
#include "solve/solvers.hpp"
#include "yaml/reader.hpp"

namespace consort::cli {

namespace {

struct LineariseCommand {
  std::string system;
  std::string variant;
  bool allow_outside = false;
  std::string at;
  std::vector<std::string> set;
  std::vector<std::string> parameters;
  std::vector<std::string> output_files;
  bool json = false;
  LogOptions log;
  analyse::LineariseRequest request;
  engine::LibraryOptions library;
};

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// A pair of complex eigenvalues is one row.
void print_eigenvalues(const Linearisation& lin) {
  if (lin.eigenvalues.empty()) return;
  fmt::print("  {:<30}  {:>14}  {:>14}  {:>9}\n", "eigenvalue (1/s)", "frequency (Hz)", "damped (Hz)", "damping");
  for (const auto& e : lin.eigenvalues) {
    const double im = e.value.imag();
    if (im < 0) continue;
    const auto text =
        im == 0 ? fmt::format("{:.6g}", e.value.real()) : fmt::format("{:.6g} ± {:.6g}i", e.value.real(), im);
    const auto damping = std::isnan(e.damping) ? std::string("-") : fmt::format("{:.4g}", e.damping);
    fmt::print("  {:<30}  {:>14.6g}  {:>14.6g}  {:>9}\n", text, e.frequency, e.damped_frequency, damping);
  }
  const auto unstable = std::count_if(lin.eigenvalues.begin(), lin.eigenvalues.end(),
                                      [](const Eigenvalue& e) { return e.value.real() > 0; });
  if (unstable > 0)
    fmt::print("  {} with a positive real part\n", counted(static_cast<std::size_t>(unstable), "eigenvalue"));
}

void print_linearisation(const Linearisation& lin) {
  fmt::print("{} at t = {} s: {}, {}, {} ({}, tolerance {:.3g})\n", lin.system, lin.time,
             counted(lin.states.size(), "state"), counted(lin.inputs.size(), "input"),
             counted(lin.outputs.size(), "output"), lin.solver, lin.tolerance);
  print_eigenvalues(lin);
  for (const auto& note : lin.notes) fmt::print(stderr, "note: {}\n", note);
}

Time time_of(const std::string& text) {
  graph::RunSettings run;
  yaml::read_setting("experiment.stop", text, "--at", run);
  require(run.stop.has_value(), "--at takes a time in seconds, or with a unit (\"500 ms\")");
  return *run.stop;
}

graph::Document document_of(const LineariseCommand& o, analyse::LineariseRequest& request) {
  request.settings = read_parameters(o.parameters);
  for (auto& setting : settings_of(o.set)) request.settings.push_back(std::move(setting));
  if (engine::is_system_file(o.system))
    return engine::read_system_file(o.system, {.variant = o.variant, .allow_outside = o.allow_outside});
  auto document = analyse::document_of_fmu(o.system);
  request.only_unit = document.system.name;
  for (auto& setting : request.settings) setting.name.insert(0, request.only_unit + ".");
  return document;
}

int linearise_system(const LineariseCommand& o) {
  std::vector<WrittenFile> written;
  for (const auto& file : o.output_files) {
    analyse::require_linearisation_ending(file);
    written.push_back({"--output-file", file});
  }
  check_written_files(written, {o.system});
  auto request = o.request;
  if (!o.at.empty()) request.at = time_of(o.at);
  const auto document = document_of(o, request);
  const auto log = start_log(o.log);
  auto from = o.library;
  from.log = log.messages;
  from.trace = log.calls;
  from.logging = o.log.debug;
  engine::Library library(std::move(from));
  const auto lin = analyse::linearise(document, library, request);
  if (o.json)
    fmt::print("{}\n", analyse::json_of(lin));
  else
    print_linearisation(lin);
  for (const auto& file : o.output_files) {
    analyse::write_linearisation(lin, file);
    fmt::print(stderr, "  wrote {}\n", file);
  }
  return 0;
}

}  // namespace

void add_analyse_linearise(CLI::App& app, Action& action) {
  auto o = std::make_shared<LineariseCommand>();
  auto& c = *app.add_subcommand("linearise",
                                "the linear model A, B, C, D of a system or an FMU at a time, and its eigenvalues");
  c.add_option("SYSTEM", o->system, "a system (" + engine::system_endings() + "), or an FMU with Model Exchange")
      ->required();
  c.add_option("--variant", o->variant, "which system of a package that has several");
  c.add_flag("--allow-outside", o->allow_outside, "an SSD file or folder may refer to files elsewhere");
  c.add_option("--at", o->at,
               "time of the point, in s or with a unit (\"500 ms\") (default: the start, after initialisation)")
      ->type_name("TIME");
  c.add_option("--solver", o->request.solver,
               "integrates up to the point (default: that of the system, or bdf): " + solve::solver_names());
  c.add_option("--tolerance", o->request.tolerance,
               "relative tolerance of the solver (default: the finest that the system names, or 1e-6)")
      ->check(positive);
  c.add_option("--set,--start-value", o->set,
               "UNIT.VARIABLE=VALUE (of an FMU: VARIABLE=VALUE), with a unit of measure if wanted ('a.x=3 cm'), any "
               "number of times")
      ->take_all()
      ->allow_extra_args(false);
  c.add_option("--parameters", o->parameters,
               "file with start values, .ssv or .csv (name, value, unit), any number of times; --set beats it")
      ->take_all()
      ->allow_extra_args(false);
  c.add_option("--output-file,-o", o->output_files,
               "write everything to a file, " + analyse::linearisation_endings() + ", any number of times")
      ->take_all()
      ->allow_extra_args(false);
  c.add_flag("--eigenvectors", o->request.eigenvectors, "also in files and with --json: the eigenvectors of A");
  c.add_flag("--json", o->json, "print everything, for machines");
  add_log_options(c, o->log);
  add_open_options(c, o->library.open);
  add_platform_options(c, o->library.open);
  c.callback([o, &action] { action = [o] { return linearise_system(*o); }; });
}

}  // namespace consort::cli
