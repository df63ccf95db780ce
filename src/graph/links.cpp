#include "graph/links.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "graph/measures.hpp"

namespace consort::graph {

using describe::Measure;
using describe::VariableId;

namespace {

// "A[1,2]" → {"A", {1, 2}}; no indices when the text is not of that form.
std::pair<std::string_view, std::vector<std::uint64_t>> split_indices(std::string_view text) {
  const auto open = text.rfind('[');
  if (open == std::string_view::npos || text.back() != ']') return {text, {}};
  std::vector<std::uint64_t> indices;
  for (const auto part : split(text.substr(open + 1, text.size() - open - 2), ',')) {
    const auto digits = trim(part);
    std::uint64_t index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error != std::errc() || end != digits.data() + digits.size()) return {text, {}};
    indices.push_back(index);
  }
  return {text.substr(0, open), std::move(indices)};
}

// The connector as the component declares it, or null.
const Connector* declared(const FlatUnit& unit, std::string_view name) {
  const auto& all = unit.component->connectors;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Connector& c) { return c.name == name; });
  return found == all.end() ? nullptr : &*found;
}

class Tracer {
 public:
  Tracer(const Flat& flat, const std::vector<describe::StartValues>& starts, Links& links)
      : flat_(flat), starts_(starts), links_(links) {}

  void operator()() {
    for (std::uint32_t w = 0; w < flat_.wires.size(); ++w) {
      if (flat_.wires[w].to.unit == no_unit) continue;
      if (auto link = trace(w)) links_.links.push_back(std::move(*link));
    }
    for (std::uint32_t n = 0; n < flat_.nodes.size(); ++n) {
      const auto& node = flat_.nodes[n];
      if (!node.root || node.driver == no_source) continue;
      if (auto link = trace(node.driver)) links_.outer.push_back({n, std::move(*link)});
    }
  }

 private:
  // The wires from the source to `last`, the source first.
  [[nodiscard]] std::vector<std::uint32_t> chain(std::uint32_t last) const {
    std::vector<std::uint32_t> wires{last};
    for (auto node = flat_.wires[last].from.node; node != no_source;) {
      const auto driver = flat_.nodes[node].driver;
      if (driver == no_source) break;
      require(wires.size() < 256,
              "'{}' is connected to itself through connectors of systems only; remove one of the connections",
              flat_.nodes[node].path);
      wires.push_back(driver);
      node = flat_.wires[driver].from.node;
    }
    std::reverse(wires.begin(), wires.end());
    return wires;
  }

  // None when nothing drives the wire.
  std::optional<Link> trace(std::uint32_t last) {
    const auto wires = chain(last);
    if (!is_driven(flat_.wires[wires.front()])) return std::nullopt;
    Link link;
    link.where = flat_.wires[last].connection->where;
    start(flat_.wires[wires.front()], link);
    for (const auto w : wires) follow(flat_.wires[w], link);
    return link;
  }

  // What no signal reaches keeps its start value, as an input of a unit does that is not connected; a connector that is
  // a parameter carries a start value (see settings.cpp) and never a signal.
  bool is_driven(const Wire& wire) {
    if (wire.from.unit != no_unit) return true;
    const auto& node = flat_.nodes[wire.from.node];
    if (is_parameter(node.connector->causality)) return false;
    if (!node.root)
      links_.notes.push_back(
          fmt::format("nothing drives '{}': what it is connected to keeps its start value", node.path));
    return node.root;
  }

  static bool is_parameter(describe::Causality causality) {
    return causality == describe::Causality::parameter || causality == describe::Causality::structural_parameter;
  }

  void start(const Wire& wire, Link& link) {
    current_.reset();
    relative_ = false;
    const Port& from = wire.from;
    if (from.unit == no_unit) {
      const auto& node = flat_.nodes[from.node];
      link.external = from.node;
      current_ = node_measure(node);
      return;
    }
    link.from = slot(from, wire);
    const auto& unit = flat_.units[from.unit];
    const auto& v = (*unit.description)[link.from.variable];
    current_ = measure_of(*unit.description, v);
    relative_ = v.relative_quantity;
    if (const auto* c = declared(unit, from.connector)) convert(find_measure(unit, c->unit), wire, link);
  }

  void follow(const Wire& wire, Link& link) {
    const auto& connection = *wire.connection;
    const bool convertible = !connection.suppress_unit_conversion;
    if (wire.to.unit == no_unit) {
      auto measure = node_measure(flat_.nodes[wire.to.node]);
      if (convertible) {
        convert(measure, wire, link);
      } else if (measure) {
        current_ = std::move(measure);
      }
      return transform(connection, link);
    }
    link.to = slot(wire.to, wire);
    const auto& unit = flat_.units[wire.to.unit];
    const auto& v = (*unit.description)[link.to.variable];
    const auto* c = declared(unit, wire.to.connector);
    if (convertible && c != nullptr) convert(find_measure(unit, c->unit), wire, link);
    if (convertible) convert(measure_of(*unit.description, v), wire, link);
    transform(connection, link);
    require_settable(v, wire);
  }

  std::optional<Measure> node_measure(const Node& node) const {
    const System* const systems[] = {node.system};
    return find_measure(systems, node.connector->unit);
  }

  void convert(std::optional<Measure> to, const Wire& wire, Link& link) {
    if (!to) return;
    if (current_) {
      const auto how = fit(*current_, *to, relative_);
      const auto& c = *wire.connection;
      if (how.fit == Fit::clash) {
        throw input_error(
            "the connection {} → {}{}: '{}' and '{}' measure different things; correct the units, give a "
            "transformation, "
            "or suppress the conversion",
            c.from.text(), c.to.text(), where_text(c.where), current_->name, to->name);
      }
      if (how.fit == Fit::unknown) {
        links_.notes.push_back(
            fmt::format("{} → {}: values in '{}' are taken as '{}', since one of the two is not defined", c.from.text(),
                        c.to.text(), current_->name, to->name));
      }
      if (how.fit == Fit::convertible) apply({how.conversion.factor, how.conversion.offset}, link);
    }
    current_ = std::move(to);
  }

  void transform(const Connection& connection, Link& link) {
    if (const auto* linear = std::get_if<Linear>(&connection.transformation)) {
      apply(*linear, link);
      link.transformed = true;
    } else if (const auto* mapping = std::get_if<Mapping>(&connection.transformation)) {
      require(link.mapping.empty(), "the connection {} → {}{} is mapped twice on its way; combine the mappings",
              connection.from.text(), connection.to.text(), where_text(connection.where));
      link.mapping = mapping->entries;
      link.partial = mapping->partial;
      link.transformed = true;
    }
  }

  // After a mapping, what it maps to is converted.
  static void apply(const Linear& linear, Link& link) {
    if (link.mapping.empty()) {
      link.factor *= linear.factor;
      link.offset = linear.factor * link.offset + linear.offset;
      return;
    }
    for (auto& [source, target] : link.mapping) {
      auto value = Value::parse(Type::Float64, target);
      for (auto& x : value.elements<double>()) x = linear.factor * x + linear.offset;
      target = value.text();
    }
  }

  Slot slot(const Port& port, const Wire& wire) const {
    const auto& c = *wire.connection;
    return find_slot(flat_, port.unit, port.connector, starts_[port.unit],
                     fmt::format("the connection {} → {}{}", c.from.text(), c.to.text(), where_text(c.where)));
  }

  void require_settable(const describe::Variable& v, const Wire& wire) const {
    const auto& c = *wire.connection;
    require(
        v.is_settable_at_run_time(),
        "the connection {} → {}{}: '{}' is {} ({}) and cannot be driven; connect to an input or a tunable parameter",
        c.from.text(), c.to.text(), where_text(c.where), port_text(flat_, wire.to), describe::name_of(v.causality),
        describe::name_of(v.variability));
  }

  const Flat& flat_;
  const std::vector<describe::StartValues>& starts_;
  Links& links_;
  std::optional<Measure> current_;  // what the value is measured in at this point of the way
  bool relative_ = false;
};

}  // namespace

Slot find_slot(const Flat& flat, UnitId unit, std::string_view connector, const describe::StartValues& starts,
               std::string_view context) {
  const auto& u = flat.units[unit];
  const auto& d = *u.description;
  Slot slot;
  slot.unit = unit;
  slot.variable = d.find(connector);
  if (slot.variable != describe::no_variable) {
    slot.count = starts.element_count(d, d[slot.variable]);
    return slot;
  }
  const auto [name, indices] = split_indices(connector);
  if (!indices.empty()) slot.variable = d.find(name);
  if (slot.variable != describe::no_variable) {
    const auto element = starts.element_at(d, d[slot.variable], indices);
    require(element.has_value(), "{}: '{}' of unit '{}' has no element '{}'; indices begin with 1", context, name,
            u.path, connector);
    slot.first = *element;
    return slot;
  }
  std::vector<std::string_view> names;
  for (const auto& v : d.variables) names.emplace_back(v.name);
  throw input_error("{}: unit '{}' has no variable '{}'{}", context, u.path, connector, suggestion(connector, names));
}

Links trace(const Flat& flat, const std::vector<describe::StartValues>& starts) {
  Links links;
  Tracer(flat, starts, links)();
  return links;
}

}  // namespace consort::graph
