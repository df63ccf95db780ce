#include "fmi/check.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/fmu_options.hpp"
#include "couple/accelerator.hpp"
#include "couple/approximation.hpp"
#include "engine/library.hpp"
#include "engine/system_files.hpp"
#include "graph/files.hpp"
#include "graph/problem.hpp"
#include "host/hosts.hpp"
#include "record/formats.hpp"
#include "solve/nonlinear.hpp"
#include "solve/solvers.hpp"
#include "ssp/check.hpp"
#include "step/controller.hpp"
#include "step/stepper.hpp"

namespace consort::cli {

namespace {

struct CheckOptions {
  std::vector<std::string> files;
  bool json = false;
  bool strict = false;
  bool allow_outside = false;
  fmi::OpenOptions open;
};

// Names in the settings of the run.
void check_run(const graph::Document& document, const graph::Plan& plan, Diagnostics& diagnostics) {
  const auto attempt = [&](const std::string& where, auto&& body) {
    try {
      body();
    } catch (const Error& problem) {
      if (problem.fault() != Fault::input) throw;
      diagnostics.add(graph::diagnostic_of(where.empty() ? document.system.where : where, problem));
    }
  };
  const auto& run = document.run;
  for (const auto& unit : plan.units) {
    if (const auto& name = unit.component.solver; !name.empty())
      attempt(unit.component.where, [&] { static_cast<void>(solve::find_solver(name)); });
    if (const auto& name = unit.component.host; !name.empty())
      attempt(unit.component.where, [&] { static_cast<void>(host::find_host(name)); });
  }
  if (!run.host.empty()) attempt({}, [&] { static_cast<void>(host::find_host(run.host)); });
  attempt({}, [&] { static_cast<void>(couple::find_approximation(run.extrapolation)); });
  attempt({}, [&] { static_cast<void>(solve::find_nonlinear_method(run.loops.method)); });
  std::vector<std::string_view> steppers;
  for (const auto& row : step::steppers()) steppers.push_back(row.name);
  attempt({}, [&] {
    require(run.stepper.empty() || std::find(steppers.begin(), steppers.end(), run.stepper) != steppers.end(),
            "there is no stepper '{}'{}; available: {}", run.stepper, suggestion(run.stepper, steppers),
            fmt::join(steppers, ", "));
  });
  attempt({}, [&] { static_cast<void>(step::find_controller(run.control.controller)); });
  attempt({}, [&] { static_cast<void>(couple::find_accelerator(run.iteration.method)); });
  for (const auto& name : run.order) attempt({}, [&] { static_cast<void>(plan.require_unit(name)); });
  const std::function<void(const std::vector<graph::ScheduleEntry>&)> check_group = [&](const auto& entries) {
    for (const auto& entry : entries) {
      if (!entry.unit.empty()) attempt({}, [&] { static_cast<void>(plan.require_unit(entry.unit)); });
      check_group(entry.members);
    }
  };
  check_group(run.schedule);
  for (const auto& action : run.scenario)
    attempt(action.where, [&] { static_cast<void>(plan.require_variable(action.target)); });
  for (const auto& bond : run.bonds)
    for (const auto& path : {bond.effort, bond.flow})
      attempt(bond.where, [&] { static_cast<void>(plan.require_variable(path)); });
  if (!run.record.file.empty()) attempt({}, [&] { static_cast<void>(record::format_of(run.record.file)); });
}

// The rows of tables; readers of systems read the headers only.
void check_tables(const graph::Document& document, Diagnostics& diagnostics) {
  for (const auto& file : graph::files_of(document.system, document.run)) {
    if (file.kind != graph::FileKind::table) continue;
    try {
      static_cast<void>(read_csv(file.path));
    } catch (const Error& problem) {
      if (problem.fault() != Fault::input) throw;
      diagnostics.add(graph::diagnostic_of(file.where.empty() ? document.system.where : file.where, problem));
    }
  }
}

// Calls `f` for every system that is solved together, from the outside.
void for_groups(const graph::System& system, const std::function<void(const graph::System&)>& f) {
  if (!system.solver.empty()) return f(system);
  for (const auto& inner : system.systems) for_groups(inner, f);
}

// What cannot be known without compiling: names, types and units of measure that do not fit. Units whose files the
// reader has reported already are left out.
void check_plan(const graph::Document& document, const graph::Catalogue& catalogue, Diagnostics& diagnostics) {
  const auto read = diagnostics.all();
  std::string closed;  // the last error of a unit that cannot be opened
  const graph::Catalogue opens = [&](const graph::Component& component) -> const describe::Description& {
    try {
      return catalogue(component);
    } catch (const Error& problem) {
      closed = problem.what();
      throw;
    }
  };
  bool complete = true;
  std::vector<std::string> reported;  // groups whose contents have errors
  graph::CompileOptions options;
  options.problems = [&](const std::string& where, const Error& problem) {
    auto d = graph::diagnostic_of(where, problem);
    const bool is_closed = closed == problem.what();
    complete = complete && !is_closed;
    const bool is_known = std::any_of(read.begin(), read.end(), [&](const Diagnostic& other) {
      return other.severity == Severity::error && other.file == d.file && other.line == d.line;
    });
    if (is_closed && is_known) return;
    // The first error in a group comes once more as an error of the group.
    for (const auto& name : reported)
      if (d.message.starts_with(fmt::format("unit '{}'", name))) return;
    diagnostics.add(std::move(d));
  };
  for_groups(document.system, [&](const graph::System& group) {
    graph::CompileOptions inside;
    bool is_good = true;
    inside.is_group_content = true;
    inside.problems = [&](const std::string& where, const Error& problem) {
      is_good = false;
      options.problems(where, problem);
    };
    try {
      static_cast<void>(graph::compile(group, opens, inside));
    } catch (const Error& error) {
      if (error.fault() != Fault::input) throw;
      inside.problems({}, error);
    }
    if (!is_good) reported.push_back(group.name);
  });
  try {
    const auto plan = graph::compile(document.system, opens, options);
    if (complete) check_run(document, plan, diagnostics);
    for (const auto& note : plan.notes) diagnostics.add({Severity::note, "", 0, "system", note});
    for (const auto& warning : plan.warnings) diagnostics.add({Severity::warning, "", 0, "system", warning});
  } catch (const Error& error) {
    if (error.fault() != Fault::input) throw;
    options.problems({}, error);
  }
}

// Checks all systems of a package as far as they can be read; the first one as far as its units.
Diagnostics check_system(const std::string& file, const CheckOptions& o) {
  Diagnostics diagnostics;
  auto document = engine::check_system_file(file, {.allow_outside = o.allow_outside}, diagnostics);
  engine::LibraryOptions from;
  from.open = o.open;
  engine::Library library(std::move(from));
  if (engine::find_system_format(file)->packs) ssp::check_connectors(document.system, library.catalogue(), diagnostics);
  check_plan(document, library.catalogue(), diagnostics);
  check_tables(document, diagnostics);
  diagnostics.sort();
  return diagnostics;
}

// A file that cannot be opened becomes an error in the list.
Diagnostics check_file(const std::string& file, const CheckOptions& o) {
  try {
    if (engine::is_system_file(file)) return check_system(file, o);
    return fmi::check(fmi::Fmu::open(file, o.open));
  } catch (const Error& error) {
    if (error.fault() != Fault::input) throw;
    std::string text = error.what();
    if (text.starts_with(file + ": ")) text.erase(0, file.size() + 2);  // which print() shows
    Diagnostics diagnostics;
    diagnostics.add({Severity::error, "", 0, "", std::move(text)});
    return diagnostics;
  }
}

nlohmann::ordered_json to_json(const std::string& file, const Diagnostics& diagnostics) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& d : diagnostics.all()) {
    list.push_back({{"severity", name_of(d.severity)},
                    {"file", d.file},
                    {"line", d.line},
                    {"rule", d.rule},
                    {"message", d.message}});
  }
  return {{"file", file},
          {"errors", diagnostics.count(Severity::error)},
          {"warnings", diagnostics.count(Severity::warning)},
          {"notes", diagnostics.count(Severity::note)},
          {"diagnostics", std::move(list)}};
}

void print(const std::string& file, const Diagnostics& diagnostics) {
  for (const auto& d : diagnostics.all()) fmt::print("{}: {}\n", file, d.text());
  fmt::print("{}: {} error{}, {} warning{}, {} note{}\n", file, diagnostics.count(Severity::error),
             diagnostics.count(Severity::error) == 1 ? "" : "s", diagnostics.count(Severity::warning),
             diagnostics.count(Severity::warning) == 1 ? "" : "s", diagnostics.count(Severity::note),
             diagnostics.count(Severity::note) == 1 ? "" : "s");
}

int check(const CheckOptions& o) {
  bool clean = true;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const auto& file : o.files) {
    const Diagnostics diagnostics = check_file(file, o);
    clean =
        clean && diagnostics.count(Severity::error) == 0 && (!o.strict || diagnostics.count(Severity::warning) == 0);
    if (o.json)
      all.push_back(to_json(file, diagnostics));
    else
      print(file, diagnostics);
  }
  if (o.json) fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  return clean ? 0 : 1;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  auto o = std::make_shared<CheckOptions>();
  auto& c = *app.add_subcommand(
      "check", "list every problem of an FMU or a system with line and rule; status 1 if there are errors");
  c.add_option("FILE", o->files, "FMUs and systems (" + engine::system_endings() + "), or folders with unpacked ones")
      ->required();
  c.add_flag("--json", o->json, "print JSON");
  c.add_flag("--allow-outside", o->allow_outside, "an SSD file or folder may refer to files elsewhere");
  add_open_options(c, o->open);
  c.get_option("--strict")->description("status 1 also for warnings");
  c.callback([o, &action] {
    o->strict = o->open.strict;
    o->open.strict = false;  // here --strict only affects the exit status
    action = [o] { return check(*o); };
  });
}

}  // namespace consort::cli
