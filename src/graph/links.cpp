#include "graph/links.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "graph/formulas.hpp"
#include "graph/measures.hpp"
#include "graph/parameter_route.hpp"

namespace consort::graph {

using describe::Measure;
using describe::VariableId;

namespace {

// The connector as the component declares it, or null.
const Connector* declared(const FlatUnit& unit, std::string_view name) {
  const auto& all = unit.component->connectors;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Connector& c) { return c.name == name; });
  return found == all.end() ? nullptr : &*found;
}

class Tracer {
 public:
  Tracer(const Flat& flat, std::vector<describe::StartValues>& starts, Links& links)
      : flat_(flat), starts_(starts), links_(links) {}

  void operator()() {
    // Parameters first: some of them determine the sizes of arrays.
    for (const bool before_run : {true, false})
      for (std::uint32_t w = 0; w < flat_.wires.size(); ++w)
        if (const auto& to = flat_.wires[w].to; to.unit != no_unit && is_set_before_run(to) == before_run)
          flat_.attempt(flat_.wires[w].connection->where, [&] {
            for (auto& way : ways_to(w)) add_link(way, before_run);
          });
    for (std::uint32_t n = 0; n < flat_.nodes.size(); ++n) {
      const auto& node = flat_.nodes[n];
      if (!node.root) continue;
      flat_.attempt(node.connector->where, [&] {
        if (node.driver != no_source) add_outer(n, node.driver, {});
        for (const auto w : node.element_drivers) add_outer(n, w, indices_text(flat_.wires[w].to.indices));
      });
    }
    for (const auto& event : flat_.events) flat_.attempt(event.event->where, [&] { add_event(event); });
  }

 private:
  using Indices = std::vector<std::uint64_t>;

  // From a source to a driven variable, or from an element of the one to an element of the other.
  struct Way {
    std::vector<std::uint32_t> wires;  // the wire at the source first
    Indices source{};  // element of the first wire's start, if the wire itself has no indices; empty: all of it
    Indices target{};  // element of the last wire's end, if the wire itself has no indices; empty: all of it
  };

  // All ways that end with the wire: one, or one per element if a system's connector on the way is driven element by
  // element.
  [[nodiscard]] std::vector<Way> ways_to(std::uint32_t last) const {
    std::vector<Way> done;
    std::vector<Way> open{{{last}, {}, {}}};  // wires in reverse order until the source is found
    while (!open.empty()) {
      Way way = std::move(open.back());
      open.pop_back();
      if (!step_back(way, open)) {
        std::reverse(way.wires.begin(), way.wires.end());
        done.push_back(std::move(way));
      }
    }
    return done;
  }

  // Adds the continuations of the way to `open`; false if the way has reached its source.
  bool step_back(const Way& way, std::vector<Way>& open) const {
    const auto& from = flat_.wires[way.wires.back()].from;
    if (from.node == no_source) return false;
    const auto& node = flat_.nodes[from.node];
    const Indices& wanted = from.indices.empty() ? way.source : from.indices;
    require(way.wires.size() < 256,
            "'{}' is connected to itself through connectors of systems only; remove one of the connections", node.path);
    if (node.driver != no_source) {
      open.push_back(way);
      open.back().wires.push_back(node.driver);
      open.back().source = wanted;
      return true;
    }
    bool found = false;
    // ways_to() takes the last way first; reversed, the elements keep the order of their connections.
    for (auto d = node.element_drivers.rbegin(); d != node.element_drivers.rend(); ++d) {
      const auto& driven = flat_.wires[*d].to.indices;
      if (!wanted.empty() && driven != wanted) continue;
      open.push_back(way);
      open.back().wires.push_back(*d);
      open.back().source.clear();
      if (wanted.empty()) open.back().target = driven;
      found = true;
    }
    return found;
  }

  [[nodiscard]] bool is_set_before_run(const Port& to) const {
    const auto& d = *flat_.units[to.unit].description;
    auto id = d.find(to.connector);
    if (id == describe::no_variable) id = d.find(split_indices(to.connector).first);
    return id != describe::no_variable && !d[id].is_settable_at_run_time();
  }

  void add_link(const Way& way, bool before_run) {
    auto link = trace(way);
    if (!link) return;
    if (before_run) {
      require(link->sample == 0, "the parameter '{}' takes its value once; remove 'sample' from its connection",
              port_text(flat_, flat_.wires[way.wires.back()].to));
      return set_parameter(*link, flat_.wires[way.wires.back()]);
    }
    links_.links.push_back(std::move(*link));
  }

  void add_outer(std::uint32_t node, std::uint32_t wire, const std::string& element) {
    for (const auto& way : ways_to(wire))
      if (auto link = trace(way)) {
        require(link->sample == 0, "'{}' is an output of the system, which records the value as it is; remove 'sample'",
                flat_.nodes[node].path);
        links_.outer.push_back({node, std::move(*link), element + indices_text(way.target)});
      }
  }

  // nullopt if the way has no source.
  std::optional<Link> trace(const Way& way) {
    const auto& first = flat_.wires[way.wires.front()];
    if (!first.expression && !is_driven(first)) return std::nullopt;
    Link link;
    link.where = flat_.wires[way.wires.back()].connection->where;
    start(first, way.source, link);
    for (const auto w : way.wires) follow(flat_.wires[w], way.target, link);
    if (current_) link.unit = current_->name;
    return link;
  }

  // An input without a source keeps its start value, like an unconnected input. A connector that is a parameter carries
  // a start value (see settings.cpp) and never a signal.
  bool is_driven(const Wire& wire) {
    if (wire.from.unit != no_unit) return true;
    const auto& node = flat_.nodes[wire.from.node];
    if (is_parameter(node.connector->causality)) return false;
    if (node.system->kind == System::Kind::table) return true;
    if (!node.root)
      links_.notes.push_back(fmt::format("'{}' has no source, so the inputs connected to it keep their start values",
                                         port_text(flat_, wire.from)));
    return node.root;
  }

  static bool is_parameter(describe::Causality causality) {
    return causality == describe::Causality::parameter || causality == describe::Causality::structural_parameter;
  }

  void start(const Wire& wire, const Indices& element, Link& link) {
    current_.reset();
    relative_ = false;
    if (wire.expression) return start_formula(wire, link);
    const Port& from = wire.from;
    if (from.unit == no_unit) {
      const auto& node = flat_.nodes[from.node];
      link.external = from.node;
      link.external_element = external_element(from.indices.empty() ? element : from.indices, node);
      current_ = node_measure(node);
      return;
    }
    link.from = slot(from, element, wire);
    const auto& unit = flat_.units[from.unit];
    const auto& v = (*unit.description)[link.from.variable];
    current_ = measure_of(*unit.description, v);
    relative_ = v.relative_quantity;
    if (const auto* c = declared(unit, from.connector)) convert(find_measure(unit, c->unit), wire, link);
  }

  // The value of an expression is in the unit of the first place that takes it.
  void start_formula(const Wire& wire, Link& link) {
    FormulaSetup setup{flat_, *wire.expression, starts_, [this](const Port& port) { return source_behind(port); }, {},
                       {}};
    std::optional<Type> type;
    if (wire.to.unit == no_unit) {
      const auto& node = flat_.nodes[wire.to.node];
      setup.target = node_measure(node);
      type = node.connector->type;
    } else {
      const auto& unit = flat_.units[wire.to.unit];
      const auto to = slot(wire.to, {}, wire);
      const auto& v = (*unit.description)[to.variable];
      require(to.count == 1, "the connection {}{}: '{}' is an array; give an expression for each of its elements",
              connection_text(*wire.connection), where_text(wire.connection->where), port_text(flat_, wire.to));
      setup.target = measure_of(*unit.description, v);
      type = v.type;
    }
    setup.expected = type == Type::Boolean ? expr::Expected::condition
                     : type                ? expr::Expected::number
                                           : expr::Expected::anything;
    link.formula = make_formula(setup);
    for (const auto& note : link.formula->program.notes())
      links_.notes.push_back(fmt::format("{}: {}", link.formula->text, note));
    current_ = setup.target;
    relative_ = false;
  }

  void add_event(const FlatEvent& event) {
    EventLink link;
    link.name = event.name;
    FormulaSetup setup{flat_, *event.when, starts_, [this](const Port& port) { return source_behind(port); }, {}, {}};
    setup.expected = expr::Expected::condition;
    link.when = make_formula(setup);
    if (link.when->program.is_constant())
      throw input_error("{}: its condition is always {}; name variables in it", event.when->text,
                        link.when->program.evaluate({}, 0) != 0 ? "true" : "false");
    for (const auto& action : event.actions) link.actions.push_back(action_of(action, event));
    links_.events.push_back(std::move(link));
  }

  EventLink::Action action_of(const FlatEvent::Action& flat, const FlatEvent& event) {
    EventLink::Action action;
    action.kind = flat.action->kind;
    if (action.kind == EventAction::Kind::stop) {
      action.text = flat.action->value;
      return action;
    }
    const std::string& text = event.when->text;
    action.target = find_elements(flat_, flat.target.unit, flat.target.connector, starts_[flat.target.unit], text);
    const auto& unit = flat_.units[flat.target.unit];
    const auto& d = *unit.description;
    const auto& v = d[action.target.variable];
    const std::string name = port_text(flat_, flat.target);
    require(action.target.count == 1, "{}: '{}' is an array; name one of its elements", text, name);
    action.is_state = is_state(d, action.target.variable);
    require(action.is_state || v.is_settable_at_run_time(),
            "{}: '{}' is {} ({}) and cannot be set by an event; choose an input, a tunable parameter, or a state of a "
            "Model Exchange unit",
            text, name, describe::name_of(v.causality), describe::name_of(v.variability));
    require(!action.is_state || action.kind == EventAction::Kind::set,
            "{}: '{}' is a state; 'set' gives it a value, and it goes on from there", text, name);
    if (!flat.value) return action;
    FormulaSetup setup{flat_, *flat.value, starts_, [this](const Port& port) { return source_behind(port); }, {}, {}};
    setup.target = measure_of(d, v);
    setup.expected = v.type == Type::Boolean ? expr::Expected::condition : expr::Expected::number;
    action.value = make_formula(setup);
    return action;
  }

  static bool is_state(const describe::Description& d, VariableId id) {
    if (d[id].is_settable_at_run_time()) return false;
    return std::any_of(d.structure.derivatives.begin(), d.structure.derivatives.end(),
                       [&](const describe::Unknown& u) { return d[u.variable].derivative_of == id; });
  }

  // The source of a connector that an expression reads.
  TracedSource source_behind(const Port& port) {
    const auto& node = flat_.nodes[port.node];
    const std::string text = port_text(flat_, port);
    const auto single = [&](std::uint32_t last) {
      const auto ways = ways_to(last);
      require(ways.size() == 1, "'{}' is an array; name one of its elements", text);
      auto link = trace(ways.front());
      require(link.has_value(), "'{}' has no source, so an expression cannot read it; connect it", text);
      require(!link->formula, "'{}' is given by an expression itself; write that expression instead of the name", text);
      require(link->mapping.empty(), "'{}' is mapped on its way, so an expression cannot read it", text);
      require(link->sample == 0, "'{}' is sampled on its way, so an expression cannot read it; sample what it drives",
              text);
      return TracedSource{{link->from, link->external, link->external_element, link->factor, link->offset}, current_};
    };
    if (node.driver != no_source) return single(node.driver);
    for (const auto w : node.element_drivers)
      if (flat_.wires[w].to.indices == port.indices) return single(w);
    require(node.root || node.system->kind == System::Kind::table,
            "'{}' has no source, so an expression cannot read it; connect it", text);
    Source source;
    source.external = port.node;
    source.external_element = external_element(port.indices, node);
    return {source, node_measure(node)};
  }

  // The size of an external array follows from its connections, which only works for one dimension.
  static std::uint64_t external_element(const Indices& indices, const Node& node) {
    require(indices.size() < 2, "'{}{}' is an element of an input with several dimensions; connect all of it",
            node.path, indices_text(indices));
    require(indices.empty() || indices.front() >= 1, "'{}' has no element {}; indices begin with 1", node.path,
            indices_text(indices));
    return indices.empty() ? 0 : indices.front();
  }

  void follow(const Wire& wire, const Indices& element, Link& link) {
    const auto& connection = *wire.connection;
    const bool convertible = !connection.suppress_unit_conversion;
    if (connection.sample > 0) {
      require(link.sample == 0 || link.sample == connection.sample,
              "the connection {}{} is sampled every {} s, and every {} s on its way before; sample it once",
              connection_text(connection), where_text(connection.where), connection.sample, link.sample);
      link.sample = connection.sample;
    }
    if (wire.to.unit == no_unit) {
      auto measure = node_measure(flat_.nodes[wire.to.node]);
      if (convertible) {
        convert(measure, wire, link);
      } else if (measure) {
        current_ = std::move(measure);
      }
      return transform(connection, link);
    }
    link.to = slot(wire.to, element, wire);
    const auto& unit = flat_.units[wire.to.unit];
    const auto& v = (*unit.description)[link.to.variable];
    const auto* c = declared(unit, wire.to.connector);
    if (convertible && c != nullptr) convert(find_measure(unit, c->unit), wire, link);
    if (convertible) convert(measure_of(*unit.description, v), wire, link);
    transform(connection, link);
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
            "the connection {}{}: the units '{}' and '{}' have different dimensions; correct the units, give a "
            "transformation, or suppress the conversion",
            connection_text(c), where_text(c.where), current_->name, to->name);
      }
      if (how.fit == Fit::unknown) {
        links_.notes.push_back(
            fmt::format("{} → {}: no conversion from '{}' to '{}' because one of the two units is not defined",
                        c.from.text(), c.to.text(), current_->name, to->name));
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

  // If there is a mapping, its target values are converted instead.
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

  Elements slot(const Port& port, const Indices& element, const Wire& wire) const {
    const auto& c = *wire.connection;
    return find_elements(flat_, port.unit, std::string(port.connector) + indices_text(element), starts_[port.unit],
                         fmt::format("the connection {}{}", connection_text(c), where_text(c.where)));
  }

  // SSP 2.0, 5.3.2: a parameter may be connected to a constant, whose value is known before the run, or to a value that
  // is calculated in initialization mode, when parameters can still be set (FMI 2.0, 4.2.4; FMI 3.0, 2.3.3).
  void set_parameter(const Link& link, const Wire& wire) {
    const auto& c = *wire.connection;
    if (link.formula) return set_parameter_once(link, wire);
    ParameterRoute route{link.from,
                         link.to,
                         link.factor,
                         link.offset,
                         link.mapping,
                         link.partial,
                         fmt::format("the connection {}{}", connection_text(c), where_text(c.where))};
    require_settable(route, wire);
    require(link.from.unit != no_unit && is_known_before_run(link.from),
            "{}: '{}' is a {} parameter and cannot be driven by '{}'{} whose value is not known before the run; "
            "connect a constant or a calculated parameter, make the parameter tunable, or set it by a parameter "
            "binding or '--set {}=VALUE'",
            route.text, port_text(flat_, wire.to), describe::name_of(variable(link.to).variability), source_text(link),
            source_kind(link), port_text(flat_, wire.to));
    require_fit(route, link.transformed, flat_);
    require_single(route);
    try {
      const auto& to = flat_.units[link.to.unit];
      if (const auto* const value = constant(link.from)) {
        const auto& d = *to.description;
        starts_[link.to.unit].add(
            d, link.to.variable,
            starts_[link.to.unit].merged(d, link.to.variable, link.to.first, taken(route, *value, d)));
        return;
      }
      require(variable(link.to).causality != describe::Causality::structural_parameter,
              "'{}' determines the sizes of arrays before any value is calculated; connect a constant, or set it by a "
              "parameter binding",
              port_text(flat_, wire.to));
      links_.parameters.push_back(route);
    } catch (const Error& error) {
      throw error.with_text(fmt::format("{}: {}", route.text, error.what()));
    }
  }

  // An expression of parameters gives a start value.
  void set_parameter_once(const Link& link, const Wire& wire) {
    require(link.formula->program.is_constant(),
            "{}: '{}' is a {} parameter and takes one value before the run, but the expression reads "
            "values that change; read parameters of the system only",
            link.formula->text, port_text(flat_, wire.to), describe::name_of(variable(link.to).variability));
    const double value = link.factor * link.formula->program.evaluate({}, 0) + link.offset;
    const auto& d = *flat_.units[link.to.unit].description;
    Value typed = with_type(variable(link.to).type, [&]<class T>() -> Value {
      if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Binary>)
        throw input_error("{}: '{}' does not take a number", link.formula->text, port_text(flat_, wire.to));
      else if constexpr (std::is_base_of_v<Bool, T>)
        return Value(std::vector<T>{T(value != 0)});
      else if constexpr (std::is_same_v<T, EnumValue>)
        return Value(std::vector<T>{T(static_cast<std::int64_t>(std::llround(value)))});
      else if constexpr (std::is_floating_point_v<T>)
        return Value(std::vector<T>{static_cast<T>(value)});
      else
        return Value(std::vector<T>{static_cast<T>(std::llround(value))});
    });
    starts_[link.to.unit].add(d, link.to.variable,
                              starts_[link.to.unit].merged(d, link.to.variable, link.to.first, typed));
  }

  void require_settable(const ParameterRoute& route, const Wire& wire) const {
    const auto& v = variable(route.to);
    const bool takes = v.is_settable_before_run() || v.causality == describe::Causality::structural_parameter;
    require(takes && is_parameter(v.causality),
            "{}: '{}' is {} ({}) and cannot be driven; connect to an input or a tunable parameter", route.text,
            port_text(flat_, wire.to), describe::name_of(v.causality), describe::name_of(v.variability));
  }

  void require_single(const ParameterRoute& route) {
    for (std::uint64_t e = 0; e < route.to.count; ++e) {
      const auto [first, is_new] =
          driven_.emplace(std::tuple(route.to.unit, route.to.variable, route.to.first + e), route.text);
      require(is_new, "'{}.{}' has two sources: {} and {}; remove one connection", flat_.units[route.to.unit].path,
              variable(route.to).name, first->second, route.text);
    }
  }

  [[nodiscard]] const describe::Variable& variable(const Elements& slot) const {
    return (*flat_.units[slot.unit].description)[slot.variable];
  }

  [[nodiscard]] bool is_known_before_run(const Elements& from) const {
    const auto variability = variable(from).variability;
    return constant(from) != nullptr || variability == describe::Variability::fixed ||
           variability == describe::Variability::tunable;
  }

  [[nodiscard]] const Value* constant(const Elements& from) const {
    const auto& d = *flat_.units[from.unit].description;
    return d[from.variable].variability == describe::Variability::constant ? d.start(d[from.variable]) : nullptr;
  }

  [[nodiscard]] std::string source_text(const Link& link) const {
    if (link.from.unit == no_unit) return flat_.nodes[link.external].path;
    const auto& u = flat_.units[link.from.unit];
    return fmt::format("{}.{}", u.path, (*u.description)[link.from.variable].name);
  }
  [[nodiscard]] std::string source_kind(const Link& link) const {
    if (link.from.unit == no_unit) return ",";
    const auto& v = (*flat_.units[link.from.unit].description)[link.from.variable];
    return fmt::format(", which is {} ({}) and", describe::name_of(v.causality), describe::name_of(v.variability));
  }

  const Flat& flat_;
  std::vector<describe::StartValues>& starts_;
  Links& links_;
  std::map<std::tuple<UnitId, VariableId, std::uint64_t>, std::string> driven_;  // source of each parameter element
  std::optional<Measure> current_;  // unit of measure of the value at this point of the way
  bool relative_ = false;
};

}  // namespace

Elements find_elements(const Flat& flat, UnitId unit, std::string_view connector, const describe::StartValues& starts,
                       std::string_view context) {
  const auto& u = flat.units[unit];
  const auto& d = *u.description;
  Elements slot;
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
    require_in_unit(u.path, element.has_value(), "{}: '{}' of unit '{}' has no element '{}'; indices begin with 1",
                    context, name, u.path, connector);
    slot.first = *element;
    return slot;
  }
  std::vector<std::string_view> names;
  for (const auto& v : d.variables) names.emplace_back(v.name);
  throw input_error("{}: unit '{}' has no variable '{}'{}", context, u.path, connector, suggestion(connector, names))
      .in_unit(u.path);
}

bool converts(Type from, Type to, bool transformed) {
  if (from == to) return true;
  if (!is_scalar_like(from) || !is_scalar_like(to) || from == Type::Clock || to == Type::Clock) return false;
  if (to == Type::Boolean) return transformed;
  if (is_float(from) && !is_float(to)) return transformed;
  return true;
}

Links trace(const Flat& flat, std::vector<describe::StartValues>& starts) {
  Links links;
  Tracer(flat, starts, links)();
  return links;
}

}  // namespace consort::graph
