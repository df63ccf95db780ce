#include "graph/flatten.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consort::graph {

namespace {

constexpr int most_levels = 64;

class Flattener {
 public:
  Flattener(const Catalogue& catalogue, std::span<const Setting> last, Flat& flat)
      : catalogue_(catalogue), last_(last), flat_(flat) {}

  void add(const System& system, const std::string& prefix, int level) {
    require(level < most_levels,
            "system '{}' is nested more than {} levels deep; check that it does not contain itself", system.name,
            most_levels);
    if (system.kind == System::Kind::reference) flat_.attempt(system.where, [&] { add_reference(system, prefix); });
    inside_.push_back(&system);
    prefixes_.push_back(prefix);
    require_unique_names(system);
    for (const auto& connector : system.connectors)
      flat_.attempt(connector.where, [&] { add_node(system, connector, prefix, level == 0); });
    for (const auto& component : system.components)
      flat_.attempt(component.where, [&] { add_unit(component, prefix); });
    for (const auto& inner : system.systems) {
      if (inner.solver.empty()) {
        add(inner, prefix + inner.name + ".", level + 1);
      } else {
        flat_.attempt(inner.where, [&] { add_group(inner, prefix); });
      }
    }
    for (const auto& connection : system.connections)
      flat_.attempt(connection.where, [&] { add_wire(system, connection, prefix); });
    for (std::size_t e = 0; e < system.events.size(); ++e)
      flat_.attempt(system.events[e].where, [&] { add_event(system, e, prefix); });
    inside_.pop_back();
    prefixes_.pop_back();
  }

  // Connects references to their dictionaries. Call it after all wires were added: a reference that a wire drives
  // writes to the dictionary, every other one reads from it.
  void share() {
    for (const auto& r : references_)
      for (const auto& c : r.system->connectors) flat_.attempt(r.system->where, [&] { share(r, c); });
  }

 private:
  struct Reference {
    const System* system = nullptr;
    std::string prefix{};             // of the paths of its connectors
    std::string dictionary_prefix{};  // of the paths of the dictionary's connectors
  };

  // SSP 2.0, 5.3.3: a dictionary is looked up in the system of the reference, then in the enclosing systems.
  void add_reference(const System& reference, const std::string& prefix) {
    for (std::size_t i = inside_.size(); i-- > 0;) {
      for (const auto& s : inside_[i]->systems) {
        if (s.kind != System::Kind::dictionary || s.dictionary != reference.dictionary) continue;
        references_.push_back({&reference, prefix, prefixes_[i] + s.name + "."});
        return;
      }
    }
    throw input_error("'{}'{} refers to the signal dictionary '{}', but no enclosing system has it; correct the name",
                      reference.name, where_text(reference.where), reference.dictionary);
  }

  void share(const Reference& r, const Connector& c) {
    const auto here = flat_.node_by_path.at(r.prefix + c.name);
    const auto& node = flat_.nodes[here];
    const bool writes = node.driver != no_source || !node.element_drivers.empty();
    if (!writes && node.leaving.empty()) return;
    const auto entry = flat_.node_by_path.find(r.dictionary_prefix + c.name);
    if (entry == flat_.node_by_path.end())
      throw input_error("'{}'{} is connected, but the signal dictionary '{}' has no signal '{}'; add it", node.path,
                        where_text(r.system->where), r.system->dictionary, c.name);
    add_shared(here, entry->second, writes, *r.system);
  }

  void add_shared(std::uint32_t reference, std::uint32_t entry, bool writes, const System& system) {
    auto& connection = flat_.shared.emplace_back();
    connection.from.connector = flat_.nodes[writes ? reference : entry].path;
    connection.to.connector = flat_.nodes[writes ? entry : reference].path;
    connection.where = system.where;
    Wire wire;
    wire.connection = &connection;
    wire.system = &system;
    wire.from.node = writes ? reference : entry;
    wire.to.node = writes ? entry : reference;
    const auto id = static_cast<std::uint32_t>(flat_.wires.size());
    flat_.nodes[wire.from.node].leaving.push_back(id);
    drive(wire, id);
    flat_.wires.push_back(std::move(wire));
  }

  static void require_unique_names(const System& system) {
    std::vector<std::string_view> names = system.element_names();
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end())
      throw input_error("system '{}' has two elements named '{}'; rename one", system.name, *twice);
  }

  void add_node(const System& system, const Connector& connector, const std::string& prefix, bool root) {
    const auto id = static_cast<std::uint32_t>(flat_.nodes.size());
    Node node;
    node.path = prefix + connector.name;
    node.connector = &connector;
    node.system = &system;
    node.root = root;
    const bool is_new = flat_.node_by_path.emplace(node.path, id).second;
    require(is_new, "system '{}' has two connectors named '{}'{}; rename one", system.name, connector.name,
            where_text(connector.where));
    flat_.nodes.push_back(std::move(node));
  }

  void add_unit(const Component& component, const std::string& prefix) {
    FlatUnit unit;
    unit.path = prefix + component.name;
    unit.component = &component;
    unit.systems = inside_;
    if (flat_.problems) flat_.broken.insert(unit.path);  // until there is a description
    unit.description = &catalogue_(component);
    flat_.broken.erase(unit.path);
    const bool is_new = flat_.unit_by_path.emplace(unit.path, static_cast<UnitId>(flat_.units.size())).second;
    require(is_new, "two units have the path '{}'{}; rename one, or the system that it is in", unit.path,
            where_text(component.where));
    flat_.units.push_back(std::move(unit));
  }

  void add_group(const System& group, const std::string& prefix) {
    auto& component = flat_.groups.emplace_back();
    component.name = group.name;
    component.group = std::make_shared<System>(group);
    component.interface = describe::InterfaceType::model_exchange;
    component.solver = group.solver;
    component.tolerance = group.tolerance;
    component.host = group.host;
    component.where = group.where;
    const std::string path = prefix + group.name + ".";
    for (std::size_t i = inside_.size(); i-- > 0;) take_settings(inside_[i]->settings, prefixes_[i], path, component);
    take_settings(last_, "", path, component);
    add_unit(component, prefix);
  }

  // The settings whose paths begin with `path` lead into the group.
  static void take_settings(std::span<const Setting> settings, const std::string& prefix, const std::string& path,
                            Component& group) {
    for (const auto& setting : settings) {
      const std::string full = prefix + setting.name;
      if (!full.starts_with(path)) continue;
      group.settings.push_back(setting);
      group.settings.back().name = full.substr(path.size());
    }
  }

  Port port(const System& system, const Endpoint& end, const Connection& connection, const std::string& prefix) {
    Port p;
    if (!end.element.empty()) {
      if (const auto unit = flat_.unit_by_path.find(prefix + end.element); unit != flat_.unit_by_path.end()) {
        p.unit = unit->second;
        p.connector = end.connector;
        return p;
      }
    }
    const std::string path = prefix + (end.element.empty() ? "" : end.element + ".") + end.connector;
    auto node = flat_.node_by_path.find(path);
    if (node == flat_.node_by_path.end()) {
      auto [name, indices] = split_indices(path);
      if (!indices.empty()) node = flat_.node_by_path.find(std::string(name));
      p.indices = std::move(indices);
    }
    if (node == flat_.node_by_path.end()) throw no_connector(system, end, connection);
    p.node = node->second;
    return p;
  }

  static Error no_connector(const System& system, const Endpoint& end, const Connection& connection) {
    if (!end.element.empty() && system.system(end.element) == nullptr) {
      return input_error("the connection {}{}: there is no element '{}' in system '{}'{}", connection_text(connection),
                         where_text(connection.where), end.element, system.name,
                         suggestion(end.element, system.element_names()));
    }
    const System& owner = end.element.empty() ? system : *system.system(end.element);
    std::vector<std::string_view> names;
    for (const auto& connector : owner.connectors) names.emplace_back(connector.name);
    return input_error("the connection {}{}: system '{}' has no connector '{}'{}", connection_text(connection),
                       where_text(connection.where), owner.name, end.connector, suggestion(end.connector, names));
  }

  // A connector has one source for the whole, or one source per element.
  void drive(const Wire& wire, std::uint32_t id) {
    auto& node = flat_.nodes[wire.to.node];
    const auto& indices = wire.to.indices;
    auto other = node.driver;
    for (const auto d : node.element_drivers)
      if (indices.empty() || flat_.wires[d].to.indices == indices) other = d;
    if (other != no_source) {
      const auto& first = *flat_.wires[other].connection;
      const auto& second = *wire.connection;
      throw input_error("'{}{}' is driven twice: from {}{} and from {}{}; remove one connection", node.path,
                        indices_text(indices), source_text(first), where_text(first.where), source_text(second),
                        where_text(second.where));
    }
    if (indices.empty()) {
      node.driver = id;
    } else {
      node.element_drivers.push_back(id);
    }
  }

  void add_wire(const System& system, const Connection& connection, const std::string& prefix) {
    const auto is_broken = [&](const Endpoint& end) { return flat_.is_broken(prefix + end.text()); };
    if (!flat_.broken.empty() && ((connection.value.empty() && is_broken(connection.from)) || is_broken(connection.to)))
      return;
    const auto id = static_cast<std::uint32_t>(flat_.wires.size());
    Wire wire;
    wire.connection = &connection;
    wire.system = &system;
    if (connection.value.empty()) {
      wire.from = port(system, connection.from, connection, prefix);
    } else {
      wire.expression = read_expression(system, prefix, connection.value, connection.where,
                                        "the connection " + connection_text(connection) + where_text(connection.where));
    }
    wire.to = port(system, connection.to, connection, prefix);
    require_direction(wire);
    if (wire.from.node != no_source) flat_.nodes[wire.from.node].leaving.push_back(id);
    if (wire.to.node != no_source) drive(wire, id);
    flat_.wires.push_back(std::move(wire));
  }

  std::shared_ptr<const FlatExpression> read_expression(const System& system, const std::string& prefix,
                                                        const std::string& value, const std::string& where,
                                                        std::string text) {
    auto expression = std::make_shared<FlatExpression>();
    expression->tree = expr::parse(value, where);
    expression->system = &system;
    expression->text = std::move(text);
    for (const auto& reference : expr::references(expression->tree).variables) {
      Operand operand{reference.name, {}};
      try {
        operand.port = port(system, flat_.ends.emplace_back(system.endpoint(reference.name)), {}, prefix);
      } catch (const Error&) {  // the compiler of the expression says which names there are
      }
      expression->operands.push_back(std::move(operand));
    }
    return expression;
  }

  void add_event(const System& system, std::size_t index, const std::string& prefix) {
    const auto& event = system.events[index];
    FlatEvent flat;
    flat.event = &event;
    flat.name = prefix + (event.name.empty() ? fmt::format("event {}", index + 1) : event.name);
    const std::string text = fmt::format("the event '{}'{}", flat.name, where_text(event.where));
    require(!event.when.empty(), "{} has no condition; say when it happens", text);
    flat.when = read_expression(system, prefix, event.when, event.where, text);
    for (const auto& action : event.actions) {
      FlatEvent::Action one;
      one.action = &action;
      if (action.kind != EventAction::Kind::stop) one.target = target(system, action, prefix, text);
      if (action.kind == EventAction::Kind::set || action.kind == EventAction::Kind::pulse)
        one.value = read_expression(system, prefix, action.value, action.where, text);
      flat.actions.push_back(std::move(one));
    }
    flat_.events.push_back(std::move(flat));
  }

  Port target(const System& system, const EventAction& action, const std::string& prefix, const std::string& text) {
    const auto& end = flat_.ends.emplace_back(system.endpoint(action.target));
    require(!end.element.empty(), "{}: '{}' is not a variable of a unit of this system{}; write it as UNIT.VARIABLE",
            text, action.target, suggestion(action.target, system.element_names()));
    Connection as_connection;
    as_connection.from.connector = "event";
    as_connection.to = end;
    as_connection.where = action.where;
    auto found = port(system, end, as_connection, prefix);
    require(found.unit != no_unit, "{}: '{}' is a connector of a system; name the variable of a unit", text,
            action.target);
    return found;
  }

  // A connector of a system passes values on in one direction: inputs and parameters inwards, outputs outwards.
  void require_direction(const Wire& wire) const {
    const auto& c = *wire.connection;
    const auto inwards = [&](const Port& port) -> std::optional<bool> {
      if (port.node == no_source || flat_.nodes[port.node].system->kind != System::Kind::plain) return std::nullopt;
      const auto causality = flat_.nodes[port.node].connector->causality;
      if (causality == describe::Causality::output || causality == describe::Causality::calculated_parameter)
        return false;
      if (causality == describe::Causality::local) return std::nullopt;
      return true;
    };
    const auto check = [&](const Port& port, const Endpoint& end, bool is_source) {
      if (is_source && !c.value.empty()) return;
      const auto in = inwards(port);
      const bool inside = end.element.empty();  // the connector is seen from inside of its system
      if (!in || *in == (inside == is_source)) return;
      throw input_error("the connection {} → {}{}: '{}' is an {} of the system {}and cannot be {} {}; write '{} -> {}'",
                        c.from.text(), c.to.text(), where_text(c.where), end.text(), *in ? "input" : "output",
                        inside ? "itself " : "", is_source ? "read" : "driven",
                        inside ? "inside of it" : "from outside", c.to.text(), c.from.text());
    };
    check(wire.from, c.from, true);
    check(wire.to, c.to, false);
  }

  const Catalogue& catalogue_;
  std::span<const Setting> last_;
  Flat& flat_;
  std::vector<const System*> inside_;
  std::vector<std::string> prefixes_;  // of the systems in inside_
  std::vector<Reference> references_;
};

}  // namespace

std::string where_text(std::string_view where) { return where.empty() ? std::string() : fmt::format(" ({})", where); }

std::string source_text(const Connection& connection) {
  return connection.value.empty() ? connection.from.text() : fmt::format("'{}'", connection.value);
}

std::string connection_text(const Connection& connection) {
  return fmt::format("{} → {}", source_text(connection), connection.to.text());
}

std::string port_text(const Flat& flat, const Port& port) {
  if (port.unit == no_unit) return flat.nodes[port.node].path + indices_text(port.indices);
  return fmt::format("{}.{}", flat.units[port.unit].path, port.connector);
}

bool Flat::is_broken(std::string_view path) const {
  if (broken.empty()) return false;
  for (auto dot = path.rfind('.'); dot != std::string_view::npos; dot = path.substr(0, dot).rfind('.'))
    if (broken.contains(std::string(path.substr(0, dot)))) return true;
  return broken.contains(std::string(path));
}

Flat flatten(const System& system, const Catalogue& catalogue, std::span<const Setting> last,
             const ProblemSink& problems) {
  Flat flat;
  flat.problems = problems;
  Flattener flattener(catalogue, last, flat);
  flattener.add(system, "", 0);
  flattener.share();
  return flat;
}

}  // namespace consort::graph
