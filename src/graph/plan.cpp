#include "graph/plan.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/text.hpp"
#include "graph/problem.hpp"

namespace consort::graph {

namespace {

Columns sized(const std::array<std::uint32_t, type_count>& counts) {
  Columns columns;
  for_each_type([&]<class T>() { columns.column<T>().resize(counts[static_cast<std::size_t>(type_of<T>)]); });
  return columns;
}

}  // namespace

std::vector<UnitId> Plan::all_units() const {
  std::vector<UnitId> all(units.size());
  std::iota(all.begin(), all.end(), UnitId{0});
  return all;
}

Columns Plan::make_inputs() const { return sized(input_count); }
Columns Plan::make_outputs() const { return sized(output_count); }

Scaling Plan::scaling_of(std::uint32_t input) const {
  const auto found = std::lower_bound(scalings.begin(), scalings.end(), input,
                                      [](const Scaling& s, std::uint32_t i) { return s.input < i; });
  return found != scalings.end() && found->input == input ? *found : Scaling{input, 1, 0};
}

UnitId Plan::find_unit(std::string_view path) const {
  const auto found = unit_by_path.find(std::string(path));
  return found == unit_by_path.end() ? no_unit : found->second;
}

UnitId Plan::require_unit(std::string_view path) const {
  const UnitId id = find_unit(path);
  if (id != no_unit) return id;
  std::vector<std::string_view> names;
  for (const auto& u : units) names.emplace_back(u.name);
  throw input_error("there is no unit '{}'{}", path, suggestion(path, names));
}

std::pair<UnitId, describe::VariableId> Plan::require_variable(std::string_view path) const {
  if (!units.empty() && units.front().is_whole) return {0, units.front().description->require_variable(path)};
  for (auto dot = path.rfind('.'); dot != std::string_view::npos && dot > 0; dot = path.rfind('.', dot - 1)) {
    const UnitId unit = find_unit(path.substr(0, dot));
    if (unit == no_unit) continue;
    const auto& d = *units[unit].description;
    const auto name_in_unit = path.substr(dot + 1);
    if (const auto id = d.find(name_in_unit); id != describe::no_variable) return {unit, id};
    std::vector<std::string_view> names;
    for (const auto& v : d.variables) names.emplace_back(v.name);
    throw input_error("unit '{}' has no variable '{}'{}", units[unit].name, name_in_unit,
                      suggestion(name_in_unit, names))
        .in_unit(units[unit].name);
  }
  std::vector<std::pair<std::string_view, const describe::Description*>> known;
  for (const auto& u : units) known.emplace_back(u.name, u.description);
  throw input_error("'{}' does not begin with the name of a unit{}; write it as UNIT.VARIABLE", path,
                    nearest_path(path, known));
}

}  // namespace consort::graph
