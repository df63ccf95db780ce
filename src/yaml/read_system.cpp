#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "graph/table_system.hpp"
#include "yaml/reader_parts.hpp"

namespace consort::yaml {

using graph::Component;
using graph::Connection;
using graph::Connector;
using graph::Endpoint;
using graph::Setting;
using graph::System;

namespace {

namespace fs = std::filesystem;

// --- values

// Converts YAML's spellings of non-finite numbers to those that base/value.hpp reads.
std::string element_text(const Node& node) {
  if (!node.quoted && node.text.find('.') != std::string::npos) {
    const auto number = read_number(node.text);
    if (number && std::isnan(*number)) return "NaN";
    if (number && std::isinf(*number)) return *number > 0 ? "INF" : "-INF";
  }
  return node.text;
}

void append_elements(const View& view, std::string_view what, std::vector<std::string>& elements) {
  if (view.is(Node::Kind::scalar)) return elements.push_back(element_text(view.node()));
  for (const auto& item : view.list(what)) append_elements(item, what, elements);
}

void read_elements(const View& view, std::string_view what, Setting& setting) {
  if (view.is(Node::Kind::scalar)) {
    setting.value = element_text(view.node());
  } else {
    append_elements(view, what, setting.elements);
  }
}

void read_start_values(const View& view, std::string_view what, std::vector<Setting>& settings) {
  for (const auto& entry : view.entries(what)) {
    const View& key = entry.first;
    const View& value = entry.second;
    Setting setting;
    setting.name = key.node().text;
    setting.where = key.where();
    const bool reads =
        key.attempt([&] { read_value(value, fmt::format("the value of {}", quote(setting.name)), setting); });
    if (reads) settings.push_back(std::move(setting));
  }
}

// --- connectors and units of measure

Type read_type(const View& view) {
  const auto& given = view.text("the type of a connector");
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < type_count; ++i) names.push_back(name_of(static_cast<Type>(i)));
  const auto found = std::find(names.begin(), names.end(), given);
  if (found != names.end()) return static_cast<Type>(found - names.begin());
  throw view.error("there is no type {}{}; the types are {}", quote(given), suggestion(given, names),
                   fmt::join(names, ", "));
}

// {k: {value: 15 kN/m}} of a parameter, {gap: {value: "right.x - left.x"}} of an output.
void read_connector_value(const View& view, Connector& connector, std::string* expression) {
  if (connector.causality == describe::Causality::parameter) {
    Setting setting;
    read_value(view, "the value of a parameter", setting);
    const auto number = read_number(setting.text());
    if (!number)
      throw view.error("the value of a parameter is a number, with or without a unit, not {}", quote(setting.text()));
    if (!setting.unit.empty() && !connector.unit.empty() && setting.unit != connector.unit)
      throw view.error("the value is in {} and the parameter in {}; give one unit", quote(setting.unit),
                       quote(connector.unit));
    if (!setting.unit.empty()) connector.unit = setting.unit;
    connector.value = *number;
    return;
  }
  if (expression == nullptr || connector.causality != describe::Causality::output)
    throw view.error("only outputs and parameters of a system have a value; use 'set' for values of inputs and units");
  *expression = view.text("the expression of an output");
}

// `expression`: takes the value of an output; null if the connector cannot have one.
void read_connector(const View& view, bool with_causality, Connector& connector, std::string* expression) {
  if (view.is(Node::Kind::null)) return;
  if (view.is(Node::Kind::scalar)) {
    connector.unit = view.text("the unit of a connector");
    return;
  }
  const Fields fields(view, connector_keys());
  if (const auto type = fields.find("type")) connector.type = read_type(*type);
  if (const auto unit = fields.find("unit")) connector.unit = unit->text("the unit of a connector");
  if (const auto dimensions = fields.find("dimensions"))
    for (const auto& one : dimensions->list("the dimensions of a connector"))
      connector.dimensions.push_back(
          static_cast<std::uint64_t>(one.integer("a dimension of a connector", 1, 1'000'000'000)));
  if (const auto value = fields.find("value")) read_connector_value(*value, connector, expression);
  if (const auto causality = fields.find("causality")) {
    if (!with_causality)
      throw causality->error("the causality of this connector follows from its section; remove the key");
    constexpr std::string_view kinds[] = {"parameter",   "calculatedParameter", "input", "output", "local",
                                          "independent", "structuralParameter"};
    const auto kind = causality->choice("the causality", kinds);
    connector.causality = static_cast<describe::Causality>(kind);
  }
}

// {speed: m/s, mode: {type: Int32}} or [speed, mode].
void read_connectors(const View& view, describe::Causality causality, bool with_causality,
                     std::vector<Connector>& connectors, std::vector<Connection>* formulas = nullptr) {
  std::unordered_map<std::string, std::string> known;
  for (const auto& connector : connectors) known.emplace(connector.name, connector.where);
  const auto add = [&](const View& key) -> Connector& {
    const auto& name = key.text("the name of a connector");
    const auto [other, is_new] = known.emplace(name, key.where());
    if (!is_new) throw key.error("there is another connector {} ({}); rename one", quote(name), other->second);
    connectors.push_back({name, causality, {}, {}, key.where(), {}});
    return connectors.back();
  };
  if (view.is(Node::Kind::list)) {
    for (const auto& item : view.list("the connectors")) add(item);
    return;
  }
  for (const auto& entry : view.entries("the connectors"))
    entry.first.attempt([&] {
      std::string expression;
      auto& connector = add(entry.first);
      read_connector(entry.second, with_causality, connector, formulas == nullptr ? nullptr : &expression);
      if (expression.empty()) return;
      Connection formula;
      formula.to.connector = connector.name;
      formula.value = expression;
      formula.where = entry.second.where();
      formulas->push_back(std::move(formula));
    });
}

void read_units_of_measure(const View& view, System& system) {
  for (const auto& [key, value] : view.entries("'units_of_measure'")) {
    graph::UnitOfMeasure unit;
    unit.name = key.text("the name of a unit of measure");
    if (!value.is(Node::Kind::null)) {
      const Fields fields(value, unit_of_measure_keys());
      describe::BaseUnit base;
      for (std::size_t i = 0; i < base.exponents.size(); ++i) {
        if (const auto exponent = fields.find(describe::base_unit_name(i)))
          base.exponents[i] =
              static_cast<std::int8_t>(exponent->integer("an exponent of a unit of measure", -127, 127));
      }
      if (const auto factor = fields.find("factor")) base.factor = factor->positive("the factor of a unit of measure");
      if (const auto offset = fields.find("offset")) base.offset = offset->number("the offset of a unit of measure");
      unit.base = base;
    }
    system.units.push_back(std::move(unit));
  }
}

// --- elements

// `solver: NAME`, or `solver: {name: NAME, tolerance: 1e-8}`.
void read_solver(const Fields& fields, std::string& name, std::optional<double>& tolerance) {
  const auto solver = fields.find("solver");
  if (!solver) return;
  if (solver->is(Node::Kind::scalar)) {
    name = solver->text("the solver");
    return;
  }
  const Fields inner(*solver, solver_keys());
  name = inner.need("name").text("the name of the solver");
  if (const auto given = inner.find("tolerance")) tolerance = given->positive("the tolerance of the solver");
}

class ElementReader {
 public:
  ElementReader(const fs::path& folder, Context& context, System& system)
      : folder_(folder), context_(context), system_(system) {}

  void operator()(const View& key, const View& value) {
    const auto& name = key.text("the name of a unit");
    if (name.front() == '.' || name.back() == '.')
      throw key.error("the name of a unit must not begin or end with a dot");
    if (value.is(Node::Kind::scalar)) return read_short(key, value);
    const auto has = [&](std::string_view field) {
      const auto all = value.entries(fmt::format("unit {}", quote(name)));
      return std::any_of(all.begin(), all.end(), [&](const auto& e) { return e.first.node().text == field; });
    };
    if (has("system")) return read_included(key, Fields(value, included_keys()));
    if (has("signals")) return read_signals(key, Fields(value, signals_keys()));
    if (has("table")) return read_table(key, Fields(value, table_keys()));
    if (has("units") || has("connections")) return read_inline(key, Fields(value, inline_keys()));
    read_component(key, Fields(value, component_keys()));
  }

 private:
  void read_short(const View& key, const View& value) {
    const auto& source = value.text("a unit");
    const auto ending = fs::path(source).extension();
    if (ending == ".yaml" || ending == ".yml") {
      include(key, value, nullptr);
      return;
    }
    if (source.starts_with(graph::python_prefix)) {
      add_component(key, python_source(value, source.substr(graph::python_prefix.size())));
    } else {
      add_component(key, source.starts_with(graph::native_prefix) ? fs::path(source) : beside(folder_, source));
    }
  }

  Component& add_component(const View& key, const fs::path& source) {
    auto& component = system_.add(key.node().text, source);
    component.where = key.where();
    return component;
  }

  // "pid.py:Pid".
  fs::path python_source(const View& at, const std::string& text) {
    const auto colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == text.size())
      throw at.error("a class in Python is given as FILE:CLASS ('pid.py:Pid'), not {}", quote(text));
    const auto file = beside(folder_, text.substr(0, colon));
    return std::string(graph::python_prefix) + file.string() + text.substr(colon);
  }

  void read_component(const View& key, const Fields& fields) {
    const auto fmu = fields.find("fmu");
    const auto model = fields.find("model");
    const auto python = fields.find("python");
    const int given = (fmu ? 1 : 0) + (model ? 1 : 0) + (python ? 1 : 0);
    if (given != 1) {
      throw key.error(
          "unit {} is {}; give one of 'fmu' (a file), 'model' (the name of a native model), 'python' (a file and a "
          "class), 'system' (a file), 'table' (a file), or 'units' and 'connections'",
          quote(key.node().text),
          given == 0     ? "not defined"
          : fmu && model ? "both an FMU and a model"
                         : "defined twice");
    }
    auto& component = add_component(key, fmu     ? beside(folder_, fmu->text("'fmu'"))
                                         : model ? fs::path(std::string(graph::native_prefix) + model->text("'model'"))
                                                 : python_source(*python, python->text("'python'")));
    if (const auto interface = fields.find("interface")) {
      constexpr describe::InterfaceType types[] = {describe::InterfaceType::co_simulation,
                                                   describe::InterfaceType::model_exchange};
      constexpr std::string_view names[] = {"cs", "me"};
      component.interface = types[interface->choice("the interface", names)];
    }
    if (const auto platform = fields.find("platform")) {
      constexpr std::string_view names[] = {"linux64", "win64", "linux32", "win32"};
      component.platform = names[platform->choice("the platform", names)];
    }
    read_solver(fields, component.solver, component.tolerance);
    if (const auto host = fields.find("host")) component.host = host->text("the host");
    if (const auto substeps = fields.find("substeps"))
      component.substeps = static_cast<std::uint32_t>(substeps->integer("the number of sub-steps", 1, 1'000'000));
    if (const auto responds = fields.find("responds_without_step"))
      component.responds_without_step = responds->truth("'responds_without_step'");
    if (const auto start = fields.find("start")) read_start_values(*start, "'start'", component.settings);
    if (const auto connectors = fields.find("connectors"))
      read_connectors(*connectors, describe::Causality::input, true, component.connectors);
  }

  void read_included(const View& key, const Fields& fields) {
    const auto set = fields.find("set");
    auto& made = include(key, fields.need("system"), set ? &*set : nullptr);
    read_group(fields, made);
  }

  // A system with a solver is one unit: its units are solved together.
  static void read_group(const Fields& fields, System& system) {
    read_solver(fields, system.solver, system.tolerance);
    const auto host = fields.find("host");
    if (!host) return;
    if (system.solver.empty())
      throw host->error(
          "the units of a system run where each of them says; give 'host' to them, or give the system a "
          "'solver', which makes it one unit");
    system.host = host->text("the host");
  }

  System& include(const View& key, const View& path, const View* set) {
    const fs::path file = beside(folder_, path.text("the file of a system"));
    std::string text;
    try {
      require_includable(file, context_);
      text = context_.load(file);
    } catch (const Error& error) {
      throw path.error("{}", error.what());
    }
    System inner = read_file_of_system(text, file, context_, nullptr);
    inner.experiment = {};  // only the outermost system has an experiment
    return add_system(key, std::move(inner), set);
  }

  void read_inline(const View& key, const Fields& fields) {
    System inner;
    inner.name = key.node().text;
    read_contents(fields, folder_, context_, inner);
    read_group(fields, inner);
    add_system(key, std::move(inner), nullptr);
  }

  // Shared signals are a system without contents, whose connectors forward their values.
  void read_signals(const View& key, const Fields& fields) {
    System shared;
    const auto of = fields.find("of");
    shared.kind = of ? System::Kind::reference : System::Kind::dictionary;
    shared.dictionary = of ? of->text("'of'") : key.node().text;
    if (const auto units = fields.find("units_of_measure")) read_units_of_measure(*units, shared);
    read_connectors(fields.need("signals"), describe::Causality::local, true, shared.connectors);
    add_system(key, std::move(shared), nullptr);
  }

  void read_table(const View& key, const Fields& fields) {
    const auto file = fields.need("table");
    std::vector<Connector> declared;
    if (const auto connectors = fields.find("connectors"))
      read_connectors(*connectors, describe::Causality::output, false, declared);
    try {
      const auto path = beside(folder_, file.text("'table'"));
      add_system(key, graph::table_system(key.node().text, path, context_.header(path), declared), nullptr);
    } catch (const Error& error) {
      throw file.error("{}", error.what());
    }
  }

  System& add_system(const View& key, System inner, const View* set) {
    inner.name = key.node().text;
    inner.where = key.where();
    if (set != nullptr) read_start_values(*set, "'set'", inner.settings);
    return system_.add_system(std::move(inner));
  }

  const fs::path& folder_;
  Context& context_;
  System& system_;
};

// --- connections

// Removes a trailing " * 2" (or " + 1", " - 1") and returns its number: an operator of `operators` and a number, with
// blanks around them. nullopt if there is none.
std::optional<double> cut_operation(std::string_view& text, std::string_view operators) {
  const auto parts = split_white(text);
  if (parts.size() < 3) return std::nullopt;
  const auto sign = parts[parts.size() - 2];
  const auto value = read_number(parts.back());
  if (!value || sign.size() != 1 || operators.find(sign.front()) == std::string_view::npos) return std::nullopt;
  text = trim(text.substr(0, static_cast<std::size_t>(sign.data() - text.data())));
  return sign == "-" ? -*value : *value;
}

class ConnectionReader {
 public:
  explicit ConnectionReader(System& system) : system_(system) {
    for (const auto& connector : system.connectors) own_.emplace(connector.name, &connector);
  }

  void operator()(const View& view) {
    if (view.is(Node::Kind::scalar)) return read_short(view);
    const Fields fields(view, connection_keys());
    Connection connection;
    connection.where = view.where();
    if (const auto value = fields.find("value")) {
      if (const auto from = fields.find("from"))
        throw from->error("a connection has either a source ('from') or an expression ('value'); remove one");
      connection.value = value->text("an expression");
    } else {
      const auto from = fields.need("from");
      connection.from = end(from, from.text("'from'"), describe::Causality::output);
    }
    read_transformation(fields, connection);
    if (const auto convert = fields.find("convert_units"))
      connection.suppress_unit_conversion = !convert->truth("'convert_units'");
    if (const auto sample = fields.find("sample")) {
      connection.sample = sample->seconds("the time between samples");
      if (!(connection.sample > 0)) throw sample->error("the time between samples must be positive");
    }
    const auto to = fields.need("to");
    if (to.is(Node::Kind::list)) {
      for (const auto& one : to.list("'to'")) add(one, connection);
    } else {
      add(to, connection);
    }
  }

 private:
  void add(const View& to, Connection connection) {
    connection.to = end(to, to.text("'to'"), describe::Causality::input);
    system_.connections.push_back(std::move(connection));
  }

  // "a.y -> b.u", "a.y -> b.u * 2 + 1".
  void read_short(const View& view) {
    const std::string_view text = view.text("a connection");
    std::size_t width = 2;
    auto arrow = text.find("->");
    if (arrow == std::string_view::npos) {
      arrow = text.find("→");
      width = std::string_view("→").size();
    }
    if (arrow == std::string_view::npos)
      throw view.error("a connection is written 'FROM.OUTPUT -> TO.INPUT', not {}", quote(text));
    const auto source = trim(text.substr(0, arrow));
    auto target = trim(text.substr(arrow + width));
    if (source.empty() || target.empty() || target.find("->") != std::string_view::npos)
      throw view.error("a connection goes from one output to one input, 'FROM.OUTPUT -> TO.INPUT', not {}",
                       quote(text));
    Connection connection;
    connection.where = view.where();
    const auto offset = cut_operation(target, "+-");
    const auto factor = cut_operation(target, "*");
    if (factor || offset) connection.transformation = graph::Linear{factor.value_or(1), offset.value_or(0)};
    connection.from = end(view, source, describe::Causality::output);
    connection.to = end(view, target, describe::Causality::input);
    system_.connections.push_back(std::move(connection));
  }

  static void read_transformation(const Fields& fields, Connection& connection) {
    const auto factor = fields.find("factor");
    const auto offset = fields.find("offset");
    const auto map = fields.find("map");
    if (const auto others = fields.find("others"); others && !map)
      throw others->error("'others' applies to values that a map does not list; add a map, or remove 'others'");
    if (map && (factor || offset))
      throw map->error("a connection has either a map or a factor and an offset; remove one");
    if (map) {
      graph::Mapping mapping;
      for (const auto& [key, value] : map->entries("'map'"))
        mapping.entries.emplace_back(key.node().text, value.text("the target of a map"));
      if (mapping.entries.empty()) throw map->error("the map has no entries; write {{from: to, …}}, or remove it");
      constexpr std::string_view treatments[] = {"error", "keep"};
      if (const auto others = fields.find("others")) mapping.partial = others->choice("'others'", treatments) == 1;
      connection.transformation = std::move(mapping);
    } else if (factor || offset) {
      graph::Linear linear;
      if (factor) linear.factor = factor->number("'factor'");
      if (offset) linear.offset = offset->number("'offset'");
      connection.transformation = linear;
    }
  }

  // `causality`: that of a unit's variable at this end; a connector of the system itself must have the opposite one.
  Endpoint end(const View& view, std::string_view path, describe::Causality causality) const {
    Endpoint found = system_.endpoint(path);
    if (!found.element.empty()) return found;
    auto own = own_.find(path);
    if (own == own_.end() && path.ends_with(']')) own = own_.find(path.substr(0, path.rfind('[')));  // an element
    if (own == own_.end()) throw unknown(view, path);
    const bool is_output = own->second->causality == describe::Causality::output;
    const bool is_source = causality == describe::Causality::output;
    if (is_output == is_source) {
      throw view.error(
          "{} is an {} of the system itself and cannot be {} inside of it; swap the ends of the connection",
          quote(path), is_output ? "output" : "input", is_source ? "read" : "driven");
    }
    return found;
  }

  Error unknown(const View& view, std::string_view path) const {
    auto names = system_.element_names();
    const auto dot = path.find('.');
    const auto head = path.substr(0, dot);
    for (const auto& inner : system_.systems) {
      const auto is_meant = [&](const Connector& c) { return c.name == path; };
      if (std::any_of(inner.connectors.begin(), inner.connectors.end(), is_meant))
        return view.error("{} belongs to the system '{}'; write '{}.{}'", quote(path), inner.name, inner.name, path);
      if (dot != std::string_view::npos && (inner.component(head) != nullptr || inner.system(head) != nullptr))
        return view.error(
            "the unit {} is inside of the system '{}'; give that system an input or output that is connected to it, "
            "and write '{}.NAME'",
            quote(head), inner.name, inner.name);
    }
    if (dot != std::string_view::npos)
      return view.error("there is no unit {} to connect {} to{}", quote(path.substr(0, dot)), quote(path),
                        suggestion(path.substr(0, dot), names));
    for (const auto& c : system_.connectors) names.emplace_back(c.name);
    return view.error(
        "{} is neither UNIT.VARIABLE nor an input or output of the system{}; declare it under 'inputs' or "
        "'outputs'",
        quote(path), suggestion(path, names));
  }

  System& system_;
  std::unordered_map<std::string_view, const Connector*> own_;
};

// --- events

// A number may stand without quotes.
std::string expression_text(const View& view, std::string_view what) { return view.text(what); }

graph::EventAction read_event_action(const View& view) {
  using Kind = graph::EventAction::Kind;
  const Fields fields(view, event_action_keys());
  constexpr std::pair<std::string_view, Kind> kinds[] = {
      {"set", Kind::set}, {"pulse", Kind::pulse}, {"release", Kind::release}, {"stop", Kind::stop}};
  std::optional<graph::EventAction> action;
  for (const auto& [key, kind] : kinds) {
    const auto given = fields.find(key);
    if (!given) continue;
    if (action) throw given->error("an action of an event does one thing; write a list of several actions");
    action.emplace();
    action->kind = kind;
    action->where = view.where();
    (kind == Kind::stop ? action->value : action->target) = given->text(fmt::format("'{}'", key));
  }
  if (!action) throw view.error("an action of an event is one of 'set', 'pulse', 'release' and 'stop'");
  const bool needs_value = action->kind == Kind::set || action->kind == Kind::pulse;
  const auto to = fields.find("to");
  if (!needs_value && to) throw to->error("only 'set' and 'pulse' take a value; remove 'to'");
  if (needs_value) action->value = expression_text(fields.need("to"), "the value of an action");
  return *action;
}

graph::SystemEvent read_event(const View& view) {
  const Fields fields(view, event_keys());
  graph::SystemEvent event;
  event.where = view.where();
  if (const auto name = fields.find("name")) event.name = name->text("the name of an event");
  event.when = expression_text(fields.need("when"), "the condition of an event");
  for (const auto& action : fields.need("do").list("the actions of an event"))
    event.actions.push_back(read_event_action(action));
  return event;
}

}  // namespace

void read_value(const View& view, std::string_view what, Setting& setting) {
  if (view.is(Node::Kind::null)) throw view.error("{} is missing; write it after the colon", what);
  if (view.is(Node::Kind::mapping)) {
    const Fields fields(view, value_keys());
    const auto inner = fields.need("value");
    if (inner.is(Node::Kind::mapping) || inner.is(Node::Kind::null))
      throw inner.error("{} must be a value or a list", what);
    read_elements(inner, what, setting);
    if (const auto given = fields.find("unit")) setting.unit = given->text("the unit of a value");
    return;
  }
  if (view.is(Node::Kind::scalar) && !view.node().quoted) {
    if (const auto parts = split_unit(view.node().text)) {
      setting.value = parts->first;
      setting.unit = parts->second;
      return;
    }
  }
  read_elements(view, what, setting);
}

std::string read_plain_value(const View& view, std::string_view what) {
  if (view.is(Node::Kind::null)) throw view.error("{} is missing; write it after the colon", what);
  Setting setting;
  read_elements(view, what, setting);
  for (const auto& element : setting.elements)
    if (!read_number(element) && !iequals(element, "true") && !iequals(element, "false"))
      throw view.error("{} is one value or a list of numbers, but {} is a text", what, quote(element));
  return setting.text();
}

void read_contents(const Fields& fields, const fs::path& folder, Context& context, System& system) {
  using describe::Causality;
  if (const auto text = fields.find("description")) system.description = text->text("the description");
  if (const auto units = fields.find("units_of_measure")) read_units_of_measure(*units, system);
  if (const auto inputs = fields.find("inputs")) read_connectors(*inputs, Causality::input, false, system.connectors);
  if (const auto outputs = fields.find("outputs"))
    read_connectors(*outputs, Causality::output, false, system.connectors, &system.connections);
  if (const auto parameters = fields.find("parameters"))
    read_connectors(*parameters, Causality::parameter, false, system.connectors);
  ElementReader read_element(folder, context, system);
  for (const auto& entry : fields.need("units").entries("'units'")) {
    const auto& name = entry.first.node().text;
    const bool reads = entry.first.attempt([&] { read_element(entry.first, entry.second); });
    // Connections to it are no further errors.
    if (!reads && system.component(name) == nullptr && system.system(name) == nullptr)
      system.add(name, {}).where = entry.first.where();
  }
  if (const auto connections = fields.find("connections")) {
    ConnectionReader read_connection(system);
    for (const auto& view : connections->list("'connections'")) view.attempt([&] { read_connection(view); });
  }
  if (const auto events = fields.find("events"))
    for (const auto& view : events->list("'events'")) view.attempt([&] { system.events.push_back(read_event(view)); });
  if (const auto set = fields.find("set")) read_start_values(*set, "'set'", system.settings);
  read_solver(fields, system.solver, system.tolerance);
}

void read_words(std::string_view text, const std::string& shown, System& system) {
  Budget budget;
  const Node root = parse(text, shown, budget);
  const Origin origin{shown};
  const Fields fields(View(root, origin), inline_keys());
  read_solver(fields, system.solver, system.tolerance);
  if (const auto host = fields.find("host")) system.host = host->text("the host");
  if (const auto given = fields.find("parameters")) {
    std::vector<Connector> parameters;
    read_connectors(*given, describe::Causality::parameter, false, parameters);
    for (auto& parameter : parameters) {
      const auto known = std::find_if(system.connectors.begin(), system.connectors.end(),
                                      [&](const Connector& c) { return c.name == parameter.name; });
      if (known == system.connectors.end()) throw given->error("there is no parameter {}", quote(parameter.name));
      known->value = parameter.value;
      known->unit = parameter.unit;
    }
  }
  if (const auto connections = fields.find("connections")) {
    ConnectionReader read_connection(system);
    for (const auto& view : connections->list("'connections'")) read_connection(view);
  }
  if (const auto events = fields.find("events"))
    for (const auto& view : events->list("'events'")) system.events.push_back(read_event(view));
}

}  // namespace consort::yaml
