#include "graph/measures.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "graph/known_measures.hpp"

namespace consort::graph {

using describe::Measure;

namespace {

Measure defined_by(std::span<const System* const> systems, std::string_view name) {
  Measure measure;
  measure.name = name;
  for (auto system = systems.rbegin(); system != systems.rend(); ++system) {
    const auto& units = (*system)->units;
    const auto found = std::find_if(units.begin(), units.end(), [&](const auto& u) { return u.name == name; });
    if (found == units.end()) continue;
    measure.base = found->base;
    break;
  }
  return measure;
}

}  // namespace

std::optional<Measure> find_measure(std::span<const System* const> systems, std::string_view name) {
  if (name.empty()) return std::nullopt;
  Measure measure = defined_by(systems, name);
  if (!measure.base) measure.base = known_measure(name);
  return measure;
}

std::optional<Measure> find_measure(const FlatUnit& unit, std::string_view name) {
  if (name.empty()) return std::nullopt;
  Measure measure = defined_by(unit.systems, name);
  for (const auto& own : unit.description->units)
    if (!measure.base && own.name == name) measure.base = own.base;
  if (!measure.base) measure.base = known_measure(name);
  return measure;
}

std::optional<Measure> measure_of(const describe::Description& d, const describe::Variable& v) {
  if (v.unit == describe::no_measure) return std::nullopt;
  Measure measure;
  measure.name = d.units[v.unit].name;
  measure.base = d.units[v.unit].base;
  if (!measure.base) measure.base = known_measure(measure.name);  // FMI 1.0 has units without dimensions
  return measure;
}

void check_measures(const Flat& flat) {
  std::set<std::string_view> declared;  // by any system or unit: a wrong name is unlikely to be among them
  for (const auto& u : flat.units) {
    for (const auto& measure : u.description->units) declared.insert(measure.name);
    for (const auto* system : u.systems)
      for (const auto& unit : system->units) declared.insert(unit.name);
  }
  for (const auto& node : flat.nodes)
    for (const auto& unit : node.system->units) declared.insert(unit.name);
  const auto check = [&](const Connector& c, const std::string& path) {
    if (c.unit.empty() || declared.contains(c.unit) || known_measure(c.unit)) return;
    flat.attempt(c.where, [&] {
      throw input_error("'{}'{}: there is no unit of measure '{}'{}; correct it, or define it under 'units_of_measure'",
                        path, where_text(c.where), c.unit, nearest_measure(c.unit));
    });
  };
  for (const auto& node : flat.nodes) check(*node.connector, node.path);
  for (const auto& u : flat.units)
    for (const auto& c : u.component->connectors) check(c, u.path + "." + c.name);
}

MeasureFit fit(const Measure& from, const Measure& to, bool relative) {
  if (!from.base || !to.base) return {from.name == to.name ? Fit::same : Fit::unknown, {}};
  constexpr std::size_t rad = 7;
  Measure a = from;
  a.base->exponents[rad] = to.base->exponents[rad];
  const auto how = describe::conversion(a, to, relative);
  if (!how) return {Fit::clash, {}};
  const bool same = how->factor == 1.0 && how->offset == 0.0;
  return {same ? Fit::same : Fit::convertible, *how};
}

}  // namespace consort::graph
