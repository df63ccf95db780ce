#include "graph/start_values.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "graph/known_measures.hpp"
#include "graph/links.hpp"
#include "graph/measures.hpp"
#include "graph/problem.hpp"

namespace consort::graph {

using describe::StartValues;
using describe::VariableId;

namespace {

class Resolver {
 public:
  Resolver(const Flat& flat, std::vector<StartValues>& starts, std::vector<std::string>& notes,
           std::vector<std::string>& warnings, std::vector<std::optional<double>>& parameters)
      : flat_(flat), starts_(starts), notes_(notes), warnings_(warnings), parameters_(parameters) {
    const auto read_by = [&](const std::shared_ptr<const FlatExpression>& expression) {
      if (!expression) return;
      for (const auto& operand : expression->operands)
        if (operand.port && operand.port->unit == no_unit) read_.insert(operand.port->node);
    };
    for (const auto& wire : flat.wires) read_by(wire.expression);
    for (const auto& event : flat.events) {
      read_by(event.when);
      for (const auto& action : event.actions) read_by(action.value);
    }
  }

  // The value that a parameter of a system has where it is declared.
  void set_by_itself(std::uint32_t node) {
    const auto& connector = *flat_.nodes[node].connector;
    Setting setting;
    setting.name = flat_.nodes[node].path;
    setting.value = fmt::format("{}", *connector.value);
    setting.unit = connector.unit;
    setting.where = connector.where;
    read_.insert(node);
    set_node(node, std::move(setting), {}, 0);
  }

  // Applies a value of a component's own binding. Some tools write the name of the component in front of the variable
  // there ("wheel.m", or "axle.wheel.m" with the systems around it).
  void set_own(UnitId unit, const Setting& setting) {
    const auto& u = flat_.units[unit];
    const auto has = [&](std::string_view name) {
      return find(*u.description, std::string(name)).first != describe::no_variable;
    };
    if (!setting.lenient || has(setting.name)) return set_unit(unit, setting, setting.name);
    for (std::string_view around = u.path;; around = around.substr(around.find('.') + 1)) {
      const auto rest = std::string_view(setting.name).substr(std::min(setting.name.size(), around.size()));
      if (setting.name.starts_with(around) && rest.starts_with('.') && has(rest.substr(1))) {
        warnings_.push_back(
            fmt::format("unit '{}'{}: the parameter '{}' is named with the unit in front, although it belongs to the "
                        "unit; it sets '{}'",
                        u.path, where_text(setting.where), setting.name, rest.substr(1)));
        return set_unit(unit, setting, std::string(rest.substr(1)));
      }
      if (around.find('.') == std::string_view::npos) return set_unit(unit, setting, setting.name);
    }
  }

  // Sets a variable of a unit; "x[2]" is an element of the array x unless a variable has that name.
  void set_unit(UnitId unit, const Setting& setting, const std::string& variable) {
    const auto& u = flat_.units[unit];
    const auto& d = *u.description;
    const auto [id, indices] = find(d, variable);
    if (id == describe::no_variable && setting.lenient) return ignore(fmt::format("{}.{}", u.path, variable));
    if (id == describe::no_variable) throw unknown(unit, setting, variable);
    const auto& v = d[id];
    if (setting.lenient && !v.is_settable_before_run() && v.causality != describe::Causality::structural_parameter)
      return notes_.push_back(fmt::format(
          "'{}.{}' is {} ({}) and cannot be given a start value; the parameter value{} is ignored", u.path, v.name,
          describe::name_of(v.causality), describe::name_of(v.variability), where_text(setting.where)));
    try {
      Value value = read(u, v, setting);
      if (!indices.empty()) value = whole(unit, id, indices, value);
      starts_[unit].add(d, id, std::move(value));
    } catch (const Error& error) {
      throw input_error("unit '{}'{}: {}", u.path, where_text(setting.where), error.what())
          .in_unit(u.path)
          .of_setting(setting.name);
    }
  }

  // Sets a path below `prefix`: a unit's variable, a connector of a nested system, or a connector of the system itself.
  void set_path(const std::string& prefix, const Setting& setting) {
    const std::string path = prefix + setting.name;
    if (flat_.is_broken(path)) return;
    bool found = false;
    for (auto dot = path.rfind('.'); dot != std::string::npos && dot > 0; dot = path.rfind('.', dot - 1)) {
      const auto unit = flat_.unit_by_path.find(path.substr(0, dot));
      if (unit == flat_.unit_by_path.end()) continue;
      if (flat_.units[unit->second].component->group) return;  // see Flattener::take_settings
      if (!setting.lenient) return set_unit(unit->second, setting, path.substr(dot + 1));
      // SSP 2.0, 5.4.3: names need not be unique, and a value applies to every parameter with that name.
      if (find(*flat_.units[unit->second].description, path.substr(dot + 1)).first == describe::no_variable) continue;
      set_unit(unit->second, setting, path.substr(dot + 1));
      found = true;
    }
    const auto node = flat_.node_by_path.find(path);
    if (node != flat_.node_by_path.end()) return set_node(node->second, setting, {}, 0);
    if (found) return;
    const auto [array, indices] = split_indices(path);
    const auto element = flat_.node_by_path.find(std::string(array));
    if (!indices.empty() && element != flat_.node_by_path.end()) return set_node(element->second, setting, indices, 0);
    if (setting.lenient) return ignore(path);
    std::vector<std::string_view> names;
    for (const auto& u : flat_.units) names.emplace_back(u.path);
    require(std::find(names.begin(), names.end(), path) == names.end(),
            "'{}'{} is a unit, and units have no value; write it as UNIT.VARIABLE=VALUE", path,
            where_text(setting.where));
    std::vector<std::pair<std::string_view, const describe::Description*>> known;
    for (const auto& u : flat_.units) known.emplace_back(u.path, u.description);
    throw input_error("no variable is named '{}', so it cannot be set{}{}; write it as UNIT.VARIABLE=VALUE", path,
                      where_text(setting.where), nearest_path(setting.name, known))
        .of_setting(setting.name);
  }

  // Adds one note with the names of all lenient settings that match no variable.
  void tell_ignored() {
    if (ignored_.empty()) return;
    constexpr std::size_t most = 5;
    const std::size_t shown = std::min(most, ignored_.size());
    std::string names;
    for (std::size_t i = 0; i < shown; ++i) names += (i == 0 ? "'" : ", '") + ignored_[i] + "'";
    notes_.push_back(fmt::format("{} parameter value{} ignored because no variable has that name: {}{}",
                                 ignored_.size(), ignored_.size() == 1 ? "" : "s", names,
                                 shown < ignored_.size() ? ", …" : ""));
  }

 private:
  void ignore(std::string path) { ignored_.push_back(std::move(path)); }

  using Indices = std::vector<std::uint64_t>;

  // The variable of that name; for an element of an array, the array and the indices.
  static std::pair<VariableId, Indices> find(const describe::Description& d, const std::string& name) {
    const VariableId id = d.find(name);
    if (id != describe::no_variable) return {id, {}};
    auto [array, indices] = split_indices(name);
    if (indices.empty()) return {id, {}};
    const VariableId whole = d.find(array);
    return {whole, whole == describe::no_variable || !d[whole].is_array() ? Indices() : std::move(indices)};
  }

  // The array with one element replaced.
  [[nodiscard]] Value whole(UnitId unit, VariableId id, const Indices& indices, const Value& element) const {
    const auto& d = *flat_.units[unit].description;
    const auto at = starts_[unit].element_at(d, d[id], indices);
    require(at.has_value(), "'{}' has no element {}; indices begin with 1", d[id].name, indices_text(indices));
    require(element.size() == 1, "the element {}{} takes one value, not {}", d[id].name, indices_text(indices),
            element.size());
    return starts_[unit].merged(d, id, *at, element);
  }

  // Sets all variables that the connector leads to; the value is converted and transformed like a signal on the way.
  // `element`: the element of the connector that the value is for; empty: all of it.
  void set_node(std::uint32_t node, Setting setting, const Indices& element, int level) {
    require(level < 64, "'{}' is connected to itself; remove one of its connections", flat_.nodes[node].path);
    const auto& n = flat_.nodes[node];
    const bool is_read = read_.contains(node);
    if (n.leaving.empty() && setting.lenient && !is_read) return ignore(n.path);
    require(!n.leaving.empty() || is_read, "'{}' is not connected to anything inside, so it cannot be set{}", n.path,
            where_text(setting.where));
    if (level == 0 && n.connector->type.value_or(Type::Float64) != Type::String) split(setting);
    const auto& own = n.connector->unit;
    const System* const systems[] = {n.system};
    if (!own.empty()) pass(measure_in(systems, setting), find_measure(systems, own), false, setting);
    if (level == 0) transform(std::exchange(setting.transformation, {}), setting);
    if (is_parameter(n.connector->causality)) parameters_[node] = parse_number(setting.text());
    for (const auto w : n.leaving) {
      if (flat_.wires[w].expression) continue;
      const auto& wanted = flat_.wires[w].from.indices;
      if (wanted.empty()) {
        follow(flat_.wires[w], setting, element, level);
      } else if (element.empty()) {
        follow(flat_.wires[w], part(n, setting, wanted), {}, level);
      } else if (element == wanted) {
        follow(flat_.wires[w], setting, {}, level);
      }
    }
  }

  // One element of the value of an array connector (SSP 2.0, 5.3.2: startIndices).
  static Setting part(const Node& node, const Setting& setting, const Indices& indices) {
    Setting one = setting;
    one.dimensions.clear();
    one.elements.clear();
    const auto numbers = setting.elements.empty() ? split_white(setting.value) : std::vector<std::string_view>();
    const std::size_t count = setting.elements.empty() ? numbers.size() : setting.elements.size();
    if (count == 1) return one;  // one value for all elements
    const auto& dimensions = setting.dimensions.empty() ? node.connector->dimensions : setting.dimensions;
    require(indices.size() == 1 || indices.size() == dimensions.size(),
            "the value of '{}'{} must be divided among the elements of '{}', but its dimensions are unknown; give the "
            "dimensions for the connector or for the value",
            setting.name, where_text(setting.where), node.path);
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const bool fits = indices[i] >= 1 && (indices.size() == 1 || indices[i] <= dimensions[i]);
      require(fits, "'{}' has no element {}; indices begin with 1", node.path, indices_text(indices));
      at = (indices.size() == 1 ? 0 : at * dimensions[i]) + (indices[i] - 1);
    }
    require(at < count, "'{}{}' is connected, but the value of '{}'{} has {} elements; give all of them", node.path,
            indices_text(indices), setting.name, where_text(setting.where), count);
    one.value = setting.elements.empty() ? std::string(numbers[at]) : setting.elements[at];
    return one;
  }

  void follow(const Wire& wire, Setting setting, const Indices& element, int level) {
    const auto& connection = *wire.connection;
    const System* const systems[] = {wire.system};
    const bool convertible = !connection.suppress_unit_conversion;
    if (wire.to.node != no_source) {
      const auto& next = flat_.nodes[wire.to.node];
      const System* const inner[] = {next.system};
      auto to = find_measure(inner, next.connector->unit);
      if (convertible && to) pass(measure_in(systems, setting), to, false, setting);
      if (to) setting.unit = next.connector->unit;
      transform(connection.transformation, setting);
      return set_node(wire.to.node, std::move(setting), wire.to.indices.empty() ? element : wire.to.indices, level + 1);
    }
    const auto& u = flat_.units[wire.to.unit];
    const std::string name = std::string(wire.to.connector) + indices_text(element);
    const VariableId id = find(*u.description, name).first;
    if (id == describe::no_variable && setting.lenient) return ignore(u.path + "." + name);
    if (id == describe::no_variable) throw unknown(wire.to.unit, setting, name);
    const auto& v = (*u.description)[id];
    if (convertible) pass(measure_in(u, setting), measure_of(*u.description, v), v.relative_quantity, setting);
    setting.unit.clear();
    transform(connection.transformation, setting);
    set_unit(wire.to.unit, setting, name);
  }

  // "3cm" becomes 3 in cm, "1 2cm" and the elements 1 and 2cm become 1 and 2 in cm. Texts stay as they are.
  static void split(Setting& setting) {
    const auto& all = setting.elements;
    const auto is_number = [](const std::string& text) { return parse_number(text).has_value(); };
    if (!setting.unit.empty() || (!all.empty() && !std::all_of(all.begin(), all.end() - 1, is_number))) return;
    auto& text = all.empty() ? setting.value : setting.elements.back();
    const auto last = text.find_last_of(" \t") + 1;
    const auto parts = split_measure(std::string_view(text).substr(last));
    if (!parts) return;
    setting.unit = parts->second;
    text.resize(last + parts->first.size());
  }

  // Gives an array of numbers its usual form.
  static void join(Setting& setting) {
    setting.value = setting.text();
    setting.elements.clear();
  }

  // Unit of measure of the value at this point of the way.
  template <class Place>
  static std::optional<describe::Measure> measure_in(const Place& place, const Setting& setting) {
    if (!setting.convert_units) return std::nullopt;
    if (!setting.measure || setting.unit.empty()) return find_measure(place, setting.unit);
    describe::Measure measure;
    measure.name = setting.unit;
    measure.base = setting.measure;
    return measure;
  }

  // Converts the value from one unit of measure to another, if both are given.
  static void pass(const std::optional<describe::Measure>& from, const std::optional<describe::Measure>& to,
                   bool relative, Setting& setting) {
    if (!to) return;
    if (from) {
      const auto how = fit(*from, *to, relative);
      if (how.fit == Fit::unknown && !setting.lenient) throw_unknown(setting.name, *from);
      require(how.fit != Fit::clash, "the value of '{}'{} is given in '{}', which cannot be converted to '{}'",
              setting.name, where_text(setting.where), from->name, to->name);
      if (how.fit == Fit::convertible) scale({how.conversion.factor, how.conversion.offset}, setting);
    }
    setting.unit = to->name;
    setting.measure = to->base;
    setting.convert_units = true;
  }

  static void transform(const Transformation& transformation, Setting& setting) {
    if (const auto* linear = std::get_if<Linear>(&transformation)) scale(*linear, setting);
    const auto* mapping = std::get_if<Mapping>(&transformation);
    if (mapping == nullptr) return;
    map(*mapping, setting, setting.value);
    for (auto& element : setting.elements) map(*mapping, setting, element);
  }

  static void map(const Mapping& mapping, Setting& setting, std::string& value) {
    if (value.empty() && !setting.elements.empty()) return;
    const auto by = [&](const std::string& known) {
      return std::find_if(mapping.entries.begin(), mapping.entries.end(),
                          [&](const auto& entry) { return is_same_value(entry.first, known); });
    };
    auto found = by(value);
    if (found == mapping.entries.end() && !setting.number.empty()) found = by(setting.number);
    if (found == mapping.entries.end() && mapping.partial) return;
    require(found != mapping.entries.end(), "the value '{}' of '{}'{} is not in the mapping; add it there", value,
            setting.name, where_text(setting.where));
    value = found->second;
    setting.number.clear();
  }

  // "1" equals "true", and "2" equals "2.0".
  static bool is_same_value(const std::string& a, const std::string& b) {
    if (trim(a) == trim(b)) return true;
    const auto number = [](std::string_view text) -> std::optional<double> {
      if (iequals(trim(text), "true")) return 1;
      if (iequals(trim(text), "false")) return 0;
      return parse_number(text);
    };
    const auto x = number(a);
    return x && x == number(b);
  }

  static std::optional<double> parse_number(std::string_view text) {
    try {
      return parse_element<double>(text);
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  static void scale(const Linear& linear, Setting& setting) {
    join(setting);
    Value value = Value::parse(Type::Float64, setting.value);
    for (auto& x : value.elements<double>()) x = linear.factor * x + linear.offset;
    setting.value = value.text();
  }

  // The value as the variable takes it: converted, then transformed.
  static Value read(const FlatUnit& u, const describe::Variable& v, Setting setting) {
    const auto& d = *u.description;
    if (v.type == Type::String && !setting.unit.empty() && !setting.lenient &&
        setting.elements.empty()) {  // "3 pieces" is text, not a measure
      setting.value += ' ' + setting.unit;
      setting.unit.clear();
    }
    if (is_float(v.type)) split(setting);
    if (!setting.unit.empty() && setting.convert_units) convert(u, v, setting);
    transform(setting.transformation, setting);
    if (!setting.elements.empty() && (v.type == Type::String || v.type == Type::Enumeration))
      return read_elements(d, v, setting);
    join(setting);
    if (setting.lenient) adapt(v, setting);
    return describe::read_start_value(d, v, setting.value);
  }

  static Value read_elements(const describe::Description& d, const describe::Variable& v, const Setting& setting) {
    return with_type(v.type, [&]<class T>() {
      std::vector<T> elements;
      for (const auto& element : setting.elements)
        elements.push_back(describe::read_start_value(d, v, element).elements<T>().front());
      return Value(std::move(elements));
    });
  }

  // A parameter file need not match the types of variables exactly: 2.0 is accepted for an integer.
  static void adapt(const describe::Variable& v, Setting& setting) {
    if (v.type != Type::Enumeration && v.type != Type::String && !setting.number.empty())
      setting.value = setting.number;
    if (is_float(v.type) || v.type == Type::String || v.type == Type::Binary) {
      if (is_float(v.type) && (setting.value == "true" || setting.value == "false"))
        setting.value = setting.value == "true" ? "1" : "0";
      return;
    }
    std::string adapted;
    for (const auto part : split_white(setting.value)) {
      const auto x = whole_number(part);
      adapted += (adapted.empty() ? "" : " ") + (x ? fmt::format("{:.0f}", *x) : std::string(part));
    }
    setting.value = std::move(adapted);
  }
  static std::optional<double> whole_number(std::string_view text) {
    if (text.find_first_of(".eE") == std::string_view::npos) return std::nullopt;
    try {
      const auto x = parse_element<double>(text);
      if (x == std::floor(x) && std::abs(x) < 9007199254740992.0) return x;
    } catch (const Error&) {
      return std::nullopt;
    }
    return std::nullopt;
  }

  static void convert(const FlatUnit& u, const describe::Variable& v, Setting& setting) {
    const bool measured = is_float(v.type) && v.unit != describe::no_measure;
    if (!measured && setting.lenient) return;
    require(measured, "'{}' has no unit of measure, so its value cannot be given in '{}'; give the number alone",
            v.name, setting.unit);
    const auto from = measure_in(u, setting);
    const auto to = *measure_of(*u.description, v);
    if (setting.lenient && from && fit(*from, to, v.relative_quantity).fit == Fit::unknown) return;
    const auto how = from ? fit(*from, to, v.relative_quantity) : MeasureFit{Fit::clash, {}};
    if (how.fit == Fit::same || setting.unit == to.name) return;
    if (from && how.fit == Fit::unknown) throw_unknown(v.name, *from);
    require(
        how.fit == Fit::convertible,
        "'{}' has the unit '{}', but its value is in '{}', which cannot be converted; correct the unit of the value",
        v.name, to.name, setting.unit);
    scale({how.conversion.factor, how.conversion.offset}, setting);
  }

  // If the unit has no definition; if it has one, the other end lacks it.
  static void throw_unknown(std::string_view name, const describe::Measure& unit) {
    require(unit.base.has_value(),
            "the value of '{}' is in '{}', which is no known unit of measure{}; correct it, or define it under "
            "'units_of_measure'",
            name, unit.name, nearest_measure(unit.name));
  }

  [[nodiscard]] Error unknown(UnitId unit, const Setting& setting, const std::string& variable) const {
    std::vector<std::string_view> names;
    for (const auto& v : flat_.units[unit].description->variables) names.emplace_back(v.name);
    return input_error("unit '{}' has no variable '{}' to set{}{}", flat_.units[unit].path, variable,
                       where_text(setting.where), suggestion(variable, names))
        .in_unit(flat_.units[unit].path)
        .of_setting(setting.name);
  }

  const Flat& flat_;
  std::vector<StartValues>& starts_;
  std::vector<std::string>& notes_;
  static bool is_parameter(describe::Causality causality) {
    return causality == describe::Causality::parameter || causality == describe::Causality::structural_parameter;
  }

  std::vector<std::string>& warnings_;
  std::vector<std::optional<double>>& parameters_;
  std::set<std::uint32_t> read_;  // nodes that expressions read
  std::vector<std::string> ignored_;
};

void apply_systems(const Flat& flat, Resolver& resolver, const System& system, const std::string& prefix) {
  for (const auto& inner : system.systems)
    if (inner.solver.empty()) apply_systems(flat, resolver, inner, prefix + inner.name + ".");
  for (const auto& setting : system.settings) flat.attempt(setting.where, [&] { resolver.set_path(prefix, setting); });
}

}  // namespace

std::vector<StartValues> resolve_start_values(Flat& flat, const System& root, std::span<const Setting> last,
                                              std::vector<std::string>& notes, std::vector<std::string>& warnings) {
  std::vector<StartValues> starts(flat.units.size());
  flat.parameter_values.assign(flat.nodes.size(), std::nullopt);
  Resolver resolver(flat, starts, notes, warnings, flat.parameter_values);
  for (std::uint32_t n = 0; n < flat.nodes.size(); ++n)
    if (flat.nodes[n].connector->value)
      flat.attempt(flat.nodes[n].connector->where, [&] { resolver.set_by_itself(n); });
  for (UnitId u = 0; u < flat.units.size(); ++u) {
    if (flat.units[u].component->group) continue;  // a group has applied them
    for (const auto& setting : flat.units[u].component->settings)
      flat.attempt(setting.where, [&] { resolver.set_own(u, setting); });
  }
  apply_systems(flat, resolver, root, "");
  for (const auto& setting : last) flat.attempt(setting.where, [&] { resolver.set_path("", setting); });
  resolver.tell_ignored();
  return starts;
}

}  // namespace consort::graph
