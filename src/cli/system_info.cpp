#include "cli/system_info.hpp"

#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace consort::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Counts {
  std::size_t units = 0, systems = 0, connections = 0, values = 0;
};
void count(const graph::System& system, Counts& counts) {
  counts.units += system.components.size();
  counts.systems += system.systems.size();
  counts.connections += system.connections.size();
  counts.values += system.settings.size();
  for (const auto& c : system.components) counts.values += c.settings.size();
  for (const auto& inner : system.systems) count(inner, counts);
}

std::string source_name(const graph::Component& component) {
  if (component.source.empty()) return "without a file";
  return (component.is_native() ? component.source : component.source.filename()).string();
}

// ", 3 values"; empty for n = 0.
std::string values_text(std::size_t n) {
  return n == 0 ? std::string() : fmt::format(", {} value{}", n, n == 1 ? "" : "s");
}

void add_connectors(const graph::System& system, const std::string& indent, std::string& out) {
  for (const auto& c : system.connectors)
    fmt::format_to(std::back_inserter(out), "{}· {}  {}{}{}{}\n", indent, c.name, describe::name_of(c.causality),
                   c.type ? fmt::format(", {}", name_of(*c.type)) : "", c.value ? fmt::format(", {}", *c.value) : "",
                   c.unit.empty() ? "" : (c.value ? " " : ", in ") + c.unit);
}

void add_formulas(const graph::System& system, const std::string& indent, std::string& out) {
  for (const auto& c : system.connections)
    if (!c.value.empty())
      fmt::format_to(std::back_inserter(out), "{}= {}  {}\n", indent, c.to.text(), quote(c.value, 400));
  for (const auto& e : system.events)
    fmt::format_to(std::back_inserter(out), "{}! {}  when {}\n", indent, e.name.empty() ? "event" : e.name,
                   quote(e.when, 400));
}

// "group of 2 units, bdf, 3 connections"
std::string group_text(const graph::System& group) {
  const auto count = group.unit_count();
  return fmt::format("group of {} unit{}, {}{}, {} connections", count, count == 1 ? "" : "s", group.solver,
                     group.tolerance ? fmt::format(" with tolerance {}", *group.tolerance) : "",
                     group.connections.size());
}

void add_tree(const graph::System& system, const std::string& indent, std::string& out) {
  add_connectors(system, indent, out);
  add_formulas(system, indent, out);
  const std::size_t all = system.components.size() + system.systems.size();
  std::size_t n = 0;
  const auto branch = [&] { return ++n == all ? "└─ " : "├─ "; };
  for (const auto& c : system.components)
    fmt::format_to(std::back_inserter(out), "{}{}{}  {}{}{}\n", indent, branch(), c.name, source_name(c),
                   c.interface ? fmt::format(", {}", describe::name_of(*c.interface)) : "",
                   values_text(c.settings.size()));
  for (const auto& inner : system.systems) {
    const bool last = n + 1 == all;
    const auto contents = inner.kind == graph::System::Kind::table ? inner.table.filename().string()
                          : !inner.solver.empty()                  ? group_text(inner)
                                                  : fmt::format("system, {} connections", inner.connections.size());
    fmt::format_to(std::back_inserter(out), "{}{}{}  {}{}\n", indent, branch(), inner.name, contents,
                   values_text(inner.settings.size()));
    add_tree(inner, indent + (last ? "   " : "│  "), out);
  }
}

Json settings_json(const std::vector<graph::Setting>& settings) {
  Json list = Json::array();
  for (const auto& s : settings) {
    Json j{{"name", s.name}, {"value", s.elements.empty() ? Json(s.value) : Json(s.elements)}};
    if (!s.unit.empty()) j["unit"] = s.unit;
    list.push_back(std::move(j));
  }
  return list;
}

Json tree_json(const graph::System& system) {
  Json j{{"name", system.name}, {"description", system.description}};
  if (!system.solver.empty()) j["solver"] = system.solver;
  if (system.tolerance) j["tolerance"] = *system.tolerance;
  j["connectors"] = Json::array();
  for (const auto& c : system.connectors) {
    Json one{{"name", c.name}, {"causality", describe::name_of(c.causality)}};
    if (c.type) one["type"] = name_of(*c.type);
    if (!c.unit.empty()) one["unit"] = c.unit;
    if (c.value) one["value"] = *c.value;
    j["connectors"].push_back(std::move(one));
  }
  j["units"] = Json::array();
  for (const auto& c : system.components)
    j["units"].push_back({{"name", c.name}, {"source", c.source.string()}, {"values", settings_json(c.settings)}});
  j["connections"] = Json::array();
  for (const auto& c : system.connections) {
    if (c.value.empty())
      j["connections"].push_back({{"from", c.from.text()}, {"to", c.to.text()}});
    else
      j["connections"].push_back({{"value", c.value}, {"to", c.to.text()}});
  }
  for (const auto& e : system.events) j["events"].push_back({{"name", e.name}, {"when", e.when}});
  j["values"] = settings_json(system.settings);
  j["systems"] = Json::array();
  for (const auto& inner : system.systems) j["systems"].push_back(tree_json(inner));
  return j;
}

}  // namespace

std::string system_text(const graph::Document& document) {
  const auto& system = document.system;
  Counts counts;
  count(system, counts);
  std::string out = fmt::format("{:<18} {}\n", "system", system.name);
  const auto line = [&](const char* name, const std::string& value) {
    if (!value.empty()) fmt::format_to(std::back_inserter(out), "{:<18} {}\n", name, value);
  };
  line("description", system.description);
  line("size", fmt::format("{} units, {} nested systems, {} connections, {} values", counts.units, counts.systems,
                           counts.connections, counts.values));
  if (!system.solver.empty()) line("solved together", group_text(system));
  const auto& e = system.experiment;
  std::string experiment;
  const auto add = [&](const char* name, const std::optional<double>& value, const char* unit) {
    if (value)
      fmt::format_to(std::back_inserter(experiment), "{}{} {}{}", experiment.empty() ? "" : ", ", name, *value, unit);
  };
  add("start", e.start, " s");
  add("stop", e.stop, " s");
  add("step", e.step, " s");
  add("tolerance", e.tolerance, "");
  line("experiment", experiment);
  line("stepper", document.run.stepper);
  for (const auto& note : system.notes) line("note", note);
  out += '\n';
  add_tree(system, "", out);
  return out;
}

std::string system_json(const graph::Document& document) {
  const auto& e = document.system.experiment;
  const auto optional = [](const std::optional<double>& v) { return v ? Json(*v) : Json(nullptr); };
  Json j = tree_json(document.system);
  j["experiment"] = {{"start", optional(e.start)},
                     {"stop", optional(e.stop)},
                     {"step", optional(e.step)},
                     {"tolerance", optional(e.tolerance)}};
  j["notes"] = document.system.notes;
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace consort::cli
