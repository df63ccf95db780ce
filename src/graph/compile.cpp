#include "graph/compile.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "graph/dependencies.hpp"
#include "graph/flatten.hpp"
#include "graph/links.hpp"
#include "graph/measures.hpp"
#include "graph/routes.hpp"
#include "graph/start_values.hpp"

namespace consort::graph {

namespace {

Elements target_elements(const Flat& flat, const std::vector<describe::StartValues>& starts, const std::string& path) {
  for (auto dot = path.rfind('.'); dot != std::string::npos && dot > 0; dot = path.rfind('.', dot - 1)) {
    const auto unit = flat.unit_by_path.find(path.substr(0, dot));
    if (unit == flat.unit_by_path.end()) continue;
    const Elements slot =
        find_elements(flat, unit->second, std::string_view(path).substr(dot + 1), starts[unit->second], path);
    const auto& v = (*flat.units[slot.unit].description)[slot.variable];
    require(v.is_settable_at_run_time(), "'{}' is {} ({}) and cannot be driven; choose an input or a tunable parameter",
            path, describe::name_of(v.causality), describe::name_of(v.variability));
    return slot;
  }
  throw input_error("'{}' is not a variable of a unit; write it as UNIT.VARIABLE", path);
}

// With paths that lead into the group.
Plan compile_whole(const System& system, const Catalogue& catalogue, const CompileOptions& options) {
  const System outer = around(system);
  const std::string prefix = outer.name + ".";
  std::vector<Setting> settings(options.settings.begin(), options.settings.end());
  for (auto& setting : settings) setting.name = prefix + setting.name;
  std::vector<std::string> targets;
  for (const auto& target : options.targets) targets.push_back(prefix + target);
  CompileOptions inner = options;
  inner.settings = settings;
  inner.targets = targets;
  Plan plan = compile(outer, catalogue, inner);
  if (!plan.units.empty()) plan.units.front().is_whole = true;
  return plan;
}

}  // namespace

System around(const System& group) {
  System outer(group.name.empty() ? "system" : group.name);
  outer.description = group.description;
  outer.experiment = group.experiment;
  outer.notes = group.notes;
  outer.where = group.where;
  for (const auto& connector : group.connectors) {
    if (connector.causality != describe::Causality::input) continue;
    outer.connectors.push_back(connector);
    Connection connection;
    connection.from.connector = connector.name;
    connection.to = {outer.name, connector.name};
    connection.where = connector.where;
    outer.connections.push_back(std::move(connection));
  }
  System inner = group;
  inner.name = outer.name;
  inner.notes.clear();
  outer.add_system(std::move(inner));
  return outer;
}

Plan compile(const System& system, const Catalogue& catalogue, const CompileOptions& options) {
  if (!system.solver.empty() && !options.is_group_content) return compile_whole(system, catalogue, options);
  Flat flat = flatten(system, catalogue, options.settings, options.problems);
  check_measures(flat);
  Plan plan;
  std::vector<std::string> notes = system.notes;
  auto starts = resolve_start_values(flat, system, options.settings, notes, plan.warnings);
  const Links links = trace(flat, starts);
  std::vector<Elements> targets;
  for (const auto& path : options.targets)
    flat.attempt({}, [&] { targets.push_back(target_elements(flat, starts, path)); });

  plan.name = system.name;
  plan.experiment = system.experiment;
  plan.notes = std::move(notes);
  plan.notes.insert(plan.notes.end(), links.notes.begin(), links.notes.end());
  plan.units.resize(flat.units.size());
  for (UnitId u = 0; u < flat.units.size(); ++u) {
    auto& unit = plan.units[u];
    unit.name = flat.units[u].path;
    unit.component = *flat.units[u].component;
    require(unit.component.substeps >= 1, "unit '{}': the number of sub-steps must be at least 1", unit.name);
    unit.description = flat.units[u].description;
    unit.starts = std::move(starts[u]);
  }
  plan.parameters = links.parameters;
  lay_out(flat, links, targets, options.wants, plan);
  for (auto& unit : plan.units) find_feed_through(unit);
  find_loops_and_order(plan);
  plan.unit_by_path = std::move(flat.unit_by_path);
  return plan;
}

}  // namespace consort::graph
