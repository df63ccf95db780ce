#include "fmi/check.hpp"

#include <map>
#include <memory>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/fmu_options.hpp"
#include "engine/library.hpp"
#include "engine/system_files.hpp"
#include "ssp/check.hpp"

namespace consort::cli {

namespace {

struct CheckOptions {
  std::vector<std::string> files;
  bool json = false;
  bool strict = false;
  bool allow_outside = false;
  fmi::OpenOptions open;
};

// Checks all systems of a package as far as they can be read. The first one is also compiled, to find types and units
// that do not fit.
Diagnostics check_system(const std::string& file, const CheckOptions& o) {
  Diagnostics diagnostics;
  auto document = engine::check_system_file(file, {.allow_outside = o.allow_outside}, diagnostics);
  engine::LibraryOptions from;
  from.open = o.open;
  engine::Library library(std::move(from));
  ssp::check_connectors(document.system, library.catalogue(), diagnostics);
  if (diagnostics.count(Severity::error) == 0) {
    try {
      for (const auto& note : graph::compile(document.system, library.catalogue()).notes)
        diagnostics.add({Severity::note, "", 0, "system", note});
    } catch (const Error& error) {
      if (error.fault() != Fault::input) throw;
      diagnostics.add({Severity::error, "", 0, "system", error.what()});
    }
  }
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
    Diagnostics diagnostics;
    diagnostics.add({Severity::error, "", 0, "", error.what()});
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
