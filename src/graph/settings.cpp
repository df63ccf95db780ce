#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "graph/links.hpp"
#include "graph/measures.hpp"

namespace consort::graph {

using describe::StartValues;
using describe::VariableId;

namespace {

class Resolver {
 public:
  Resolver(const Flat& flat, std::vector<StartValues>& starts) : flat_(flat), starts_(starts) {}

  // A unit's own settings.
  void set_unit(UnitId unit, const Setting& setting, const std::string& variable) {
    const auto& u = flat_.units[unit];
    const auto& d = *u.description;
    const VariableId id = d.find(variable);
    if (id == describe::no_variable) throw unknown(unit, setting, variable);
    try {
      Value value = describe::read_start_value(d, d[id], setting.value);
      if (!setting.unit.empty()) convert(u, d[id], setting, value);
      starts_[unit].add(d, id, std::move(value));
    } catch (const Error& error) {
      throw input_error("unit '{}'{}: {}", u.path, where_text(setting.where), error.what());
    }
  }

  // A path below `prefix`: a unit's variable, a connector of a nested system, or one of the system itself.
  void set_path(const std::string& prefix, const Setting& setting) {
    const std::string path = prefix + setting.name;
    for (auto dot = path.rfind('.'); dot != std::string::npos && dot > 0; dot = path.rfind('.', dot - 1)) {
      const auto unit = flat_.unit_by_path.find(path.substr(0, dot));
      if (unit != flat_.unit_by_path.end()) return set_unit(unit->second, setting, path.substr(dot + 1));
    }
    const auto node = flat_.node_by_path.find(path);
    if (node != flat_.node_by_path.end()) return set_node(node->second, setting, 0);
    std::vector<std::string_view> names;
    for (const auto& u : flat_.units) names.emplace_back(u.path);
    const std::string head = path.substr(0, path.find('.', prefix.size()));
    throw input_error("there is nothing named '{}' to set{}{}; write it as UNIT.VARIABLE=VALUE", path,
                      where_text(setting.where), suggestion(head, names));
  }

 private:
  // Whatever the connector leads to takes the value, converted and transformed as a signal would be on the way.
  void set_node(std::uint32_t node, Setting setting, int level) {
    require(level < 64, "'{}' is connected to itself; remove one of its connections", flat_.nodes[node].path);
    const auto& n = flat_.nodes[node];
    require(!n.leaving.empty(), "'{}' is not connected to anything inside, so it cannot be set{}", n.path,
            where_text(setting.where));
    const auto& own = n.connector->unit;
    const System* const systems[] = {n.system};
    if (!own.empty()) pass(find_measure(systems, setting.unit), find_measure(systems, own), false, setting);
    for (const auto w : n.leaving) follow(flat_.wires[w], setting, level);
  }

  void follow(const Wire& wire, Setting setting, int level) {
    const auto& connection = *wire.connection;
    const System* const systems[] = {wire.system};
    const bool convertible = !connection.suppress_unit_conversion;
    if (wire.to.node != no_source) {
      const auto& next = flat_.nodes[wire.to.node];
      const System* const inner[] = {next.system};
      auto to = find_measure(inner, next.connector->unit);
      if (convertible && to) pass(find_measure(systems, setting.unit), to, false, setting);
      if (to) setting.unit = next.connector->unit;
      transform(connection, setting);
      return set_node(wire.to.node, std::move(setting), level + 1);
    }
    const auto& u = flat_.units[wire.to.unit];
    const std::string name(wire.to.connector);
    const VariableId id = u.description->find(name);
    if (id == describe::no_variable) throw unknown(wire.to.unit, setting, name);
    const auto& v = (*u.description)[id];
    if (convertible) pass(find_measure(u, setting.unit), measure_of(*u.description, v), v.relative_quantity, setting);
    setting.unit.clear();
    transform(connection, setting);
    set_unit(wire.to.unit, setting, name);
  }

  // From one unit of measure to another, where both are known.
  static void pass(const std::optional<describe::Measure>& from, const std::optional<describe::Measure>& to,
                   bool relative, Setting& setting) {
    if (!to) return;
    if (from) {
      const auto how = fit(*from, *to, relative);
      require(how.fit != Fit::clash, "the value of '{}'{} is given in '{}', which cannot be converted to '{}'",
              setting.name, where_text(setting.where), from->name, to->name);
      if (how.fit == Fit::convertible) scale({how.conversion.factor, how.conversion.offset}, setting);
    }
    setting.unit = to->name;
  }

  static void transform(const Connection& connection, Setting& setting) {
    if (const auto* linear = std::get_if<Linear>(&connection.transformation)) scale(*linear, setting);
    const auto* mapping = std::get_if<Mapping>(&connection.transformation);
    if (mapping == nullptr) return;
    const auto found = std::find_if(mapping->entries.begin(), mapping->entries.end(),
                                    [&](const auto& entry) { return entry.first == setting.value; });
    require(found != mapping->entries.end(), "the value '{}' of '{}'{} is not in the mapping of {} → {}; add it there",
            setting.value, setting.name, where_text(setting.where), connection.from.text(), connection.to.text());
    setting.value = found->second;
  }

  static void scale(const Linear& linear, Setting& setting) {
    Value value = Value::parse(Type::Float64, setting.value);
    for (auto& x : value.elements<double>()) x = linear.factor * x + linear.offset;
    setting.value = value.text();
  }

  void convert(const FlatUnit& u, const describe::Variable& v, const Setting& setting, Value& value) {
    require(is_float(v.type) && v.unit != describe::no_measure,
            "'{}' has no unit of measure, so its value cannot be given in '{}'; give the number alone", v.name,
            setting.unit);
    const auto from = find_measure(u, setting.unit);
    const auto& to = u.description->units[v.unit];
    const auto how = from ? describe::conversion(*from, to, v.relative_quantity) : std::nullopt;
    if (!how && setting.unit == to.name) return;
    require(how.has_value(), "'{}' is measured in '{}', which the unit '{}' of its value cannot be converted to",
            v.name, to.name, setting.unit);
    with_type(v.type, [&]<class T>() {
      if constexpr (std::is_floating_point_v<T>) {
        for (auto& x : value.elements<T>()) x = static_cast<T>((*how)(static_cast<double>(x)));
      }
    });
  }

  [[nodiscard]] Error unknown(UnitId unit, const Setting& setting, const std::string& variable) const {
    std::vector<std::string_view> names;
    for (const auto& v : flat_.units[unit].description->variables) names.emplace_back(v.name);
    return input_error("unit '{}' has no variable '{}' to set{}{}", flat_.units[unit].path, variable,
                       where_text(setting.where), suggestion(variable, names));
  }

  const Flat& flat_;
  std::vector<StartValues>& starts_;
};

void apply_systems(Resolver& resolver, const System& system, const std::string& prefix) {
  for (const auto& inner : system.systems) apply_systems(resolver, inner, prefix + inner.name + ".");
  for (const auto& setting : system.settings) resolver.set_path(prefix, setting);
}

}  // namespace

std::vector<StartValues> resolve_settings(const Flat& flat, const System& root, std::span<const Setting> last) {
  std::vector<StartValues> starts(flat.units.size());
  Resolver resolver(flat, starts);
  for (UnitId u = 0; u < flat.units.size(); ++u) {
    for (const auto& setting : flat.units[u].component->settings) resolver.set_unit(u, setting, setting.name);
  }
  apply_systems(resolver, root, "");
  for (const auto& setting : last) resolver.set_path("", setting);
  return starts;
}

}  // namespace consort::graph
