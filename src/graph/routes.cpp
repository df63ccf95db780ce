#include "graph/routes.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

#include <fmt/format.h>

#include "base/error.hpp"

namespace consort::graph {

using describe::VariableId;

namespace {

std::vector<VariableId> sorted(std::vector<VariableId> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::uint32_t index_in(const std::vector<VariableId>& choice, VariableId id) {
  return static_cast<std::uint32_t>(std::lower_bound(choice.begin(), choice.end(), id) - choice.begin());
}

class Layout {
 public:
  Layout(const Flat& flat, const Links& links, Plan& plan) : flat_(flat), links_(links), plan_(plan) {}

  void operator()(std::span<const Elements> targets, const WantedVariable& wants) {
    choose(targets, wants);
    place_units();
    place_externals();
    for (auto& s : plan_.sources) s.clear();
    for (std::size_t t = 0; t < type_count; ++t) plan_.sources[t].assign(plan_.input_count[t], no_source);
    driver_.resize(type_count);
    for (std::size_t t = 0; t < type_count; ++t) driver_[t].assign(plan_.input_count[t], nullptr);
    for (const auto& link : links_.links) flat_.attempt(link.where, [&] { route(link); });
    for (const auto& outer : links_.outer) name_output(outer);
    for (const auto& event : links_.events) place_event(event);
    const auto by_input = [](const auto& a, const auto& b) { return a.input < b.input; };
    std::sort(plan_.scalings.begin(), plan_.scalings.end(), by_input);
    std::stable_sort(plan_.conversions.begin(), plan_.conversions.end(),
                     [](const auto& a, const auto& b) { return a.unit < b.unit; });
  }

 private:
  template <class F>
  static void for_each_source(const Link& link, F&& f) {
    if (!link.formula) return f(graph::Source{link.from, link.external, link.external_element});
    for (const auto& source : link.formula->sources) f(source);
  }

  template <class F>
  void for_each_formula_of_events(F&& f) const {
    for (const auto& event : links_.events) {
      f(*event.when);
      for (const auto& action : event.actions)
        if (action.value) f(*action.value);
    }
  }

  void choose(std::span<const Elements> targets, const WantedVariable& wants) {
    std::vector<std::vector<VariableId>> inputs(flat_.units.size()), outputs(flat_.units.size());
    const auto read = [&](const Link& link) {
      for_each_source(link, [&](const graph::Source& source) {
        if (source.from.unit != no_unit) outputs[source.from.unit].push_back(source.from.variable);
      });
    };
    for (const auto& link : links_.links) {
      inputs[link.to.unit].push_back(link.to.variable);
      read(link);
    }
    for (const auto& outer : links_.outer) read(outer.link);
    for_each_formula_of_events([&](const FormulaLink& formula) {
      for (const auto& source : formula.sources)
        if (source.from.unit != no_unit) outputs[source.from.unit].push_back(source.from.variable);
    });
    for (const auto& event : links_.events)
      for (const auto& action : event.actions)
        if (action.target.unit != no_unit && !action.is_state)
          inputs[action.target.unit].push_back(action.target.variable);
    for (const auto& target : targets) inputs[target.unit].push_back(target.variable);
    for (UnitId u = 0; u < flat_.units.size(); ++u) {
      const auto& d = *flat_.units[u].description;
      for (VariableId v = 0; v < d.variables.size(); ++v) {
        const bool wanted = wants ? wants(d[v]) : d[v].causality == describe::Causality::output;
        if (wanted && d[v].type != Type::Clock) outputs[u].push_back(v);
      }
      auto& unit = plan_.units[u];
      unit.inputs = unit.starts.signals(d, sorted(std::move(inputs[u])));
      unit.outputs = unit.starts.signals(d, sorted(std::move(outputs[u])));
    }
  }

  void place_units() {
    for (auto& unit : plan_.units) {
      unit.first_input = plan_.input_count;
      unit.first_output = plan_.output_count;
      for (const auto& g : unit.inputs.groups())
        plan_.input_count[static_cast<std::size_t>(g.type)] += static_cast<std::uint32_t>(g.elements());
      for (const auto& g : unit.outputs.groups())
        plan_.output_count[static_cast<std::size_t>(g.type)] += static_cast<std::uint32_t>(g.elements());
    }
  }

  // An external signal has the type of its connector. If that is not given, it has the type of the first variable it
  // drives.
  void place_externals() {
    const auto sizes = external_sizes();
    for (const auto& link : links_.links) {
      if (link.formula || link.external == no_source || externals_.contains(link.external)) continue;
      const auto& node = flat_.nodes[link.external];
      const auto& d = *flat_.units[link.to.unit].description;
      const auto& v = d[link.to.variable];
      ExternalSignal signal;
      signal.name = node.path;
      signal.table = node.system->table.string();
      signal.column = node.connector->name;
      signal.type = node.connector->type.value_or(v.type);
      signal.count = checked_size(link.external, sizes.at(link.external));
      signal.unit = node.connector->unit.empty() ? std::string(d.unit_name(v)) : node.connector->unit;
      signal.description = std::string(v.description);
      signal.discrete = v.variability != describe::Variability::continuous;
      add_external(link.external, std::move(signal));
    }
    const auto add_read_by = [&](const Link& link) {
      if (!link.formula) return;
      for (const auto& source : link.formula->sources)
        if (source.external != no_source) add_external_of_formula(source.external, sizes.at(source.external));
    };
    for (const auto& link : links_.links) add_read_by(link);
    for (const auto& outer : links_.outer) add_read_by(outer.link);
    for_each_formula_of_events([&](const FormulaLink& formula) {
      for (const auto& source : formula.sources)
        if (source.external != no_source) add_external_of_formula(source.external, sizes.at(source.external));
    });
  }

  void add_external(std::uint32_t node, ExternalSignal signal) {
    auto& count = plan_.output_count[static_cast<std::size_t>(signal.type)];
    signal.element = count;
    count += signal.count;
    externals_.emplace(node, static_cast<std::uint32_t>(plan_.externals.size()));
    plan_.externals.push_back(std::move(signal));
  }

  // Read by expressions only.
  void add_external_of_formula(std::uint32_t external, std::uint64_t size) {
    if (externals_.contains(external)) return;
    const auto& node = flat_.nodes[external];
    ExternalSignal signal;
    signal.name = node.path;
    signal.table = node.system->table.string();
    signal.column = node.connector->name;
    signal.type = node.connector->type.value_or(Type::Float64);
    signal.count = checked_size(external, size);
    signal.unit = node.connector->unit;
    signal.discrete = !is_float(signal.type);
    add_external(external, std::move(signal));
  }

  // Per node: the size of the variable that the whole connector drives; if there is none, the largest connected index.
  [[nodiscard]] std::unordered_map<std::uint32_t, std::uint64_t> external_sizes() const {
    std::unordered_map<std::uint32_t, std::uint64_t> sizes, wholes;
    const auto note = [&](const graph::Source& source, std::uint64_t whole) {
      if (source.external == no_source) return;
      auto& size = sizes.emplace(source.external, 1).first->second;
      size = std::max(size, source.external_element);
      if (source.external_element == 0) wholes.emplace(source.external, whole);
    };
    for (const auto& link : links_.links)
      for_each_source(link, [&](const graph::Source& source) { note(source, link.formula ? 1 : link.to.count); });
    for (const auto& outer : links_.outer)
      if (outer.link.formula)
        for (const auto& source : outer.link.formula->sources) note(source, 1);
    for_each_formula_of_events([&](const FormulaLink& formula) {
      for (const auto& source : formula.sources) note(source, 1);
    });
    for (const auto& [external, size] : wholes) sizes[external] = size;
    return sizes;
  }
  [[nodiscard]] std::uint32_t checked_size(std::uint32_t external, std::uint64_t size) const {
    require(size <= largest_external, "'{}' has no element {}; arrays from outside have at most {}",
            flat_.nodes[external].path, size, largest_external);
    return static_cast<std::uint32_t>(size);
  }
  static constexpr std::uint64_t largest_external = 1'000'000;

  struct Source {
    Type type = Type::Float64;
    std::uint32_t element = 0;
    std::uint32_t count = 1;
  };

  template <class From>  // a Link or a graph::Source
  Source source_of(const From& link) const {
    if (link.external != no_source) {
      const auto found = externals_.find(link.external);
      CONSORT_ASSERT(found != externals_.end());
      const auto& e = plan_.externals[found->second];
      if (link.external_element == 0) return {e.type, e.element, e.count};
      require(link.external_element <= e.count, "'{}' has {} elements, so there is no element {}; correct the index",
              e.name, e.count, link.external_element);
      return {e.type, e.element + static_cast<std::uint32_t>(link.external_element) - 1, 1};
    }
    const auto& unit = plan_.units[link.from.unit];
    const auto place = unit.outputs.place(index_in(unit.outputs.choice(), link.from.variable));
    const auto first = unit.first_output[static_cast<std::size_t>(place.type)] + place.first;
    return {place.type, first + static_cast<std::uint32_t>(link.from.first),
            static_cast<std::uint32_t>(link.from.count)};
  }

  std::string from_text(const Link& link) const {
    if (link.formula) return link.formula->text;
    if (link.external != no_source) return flat_.nodes[link.external].path;
    const auto& u = flat_.units[link.from.unit];
    return fmt::format("{}.{}", u.path, (*u.description)[link.from.variable].name);
  }
  std::string to_text(const Link& link) const {
    const auto& u = flat_.units[link.to.unit];
    return fmt::format("{}.{}", u.path, (*u.description)[link.to.variable].name);
  }

  [[nodiscard]] Formula formula_of(const std::shared_ptr<const FormulaLink>& link) const {
    Formula formula;
    formula.program = std::shared_ptr<const expr::Program>(link, &link->program);
    for (const auto& source : link->sources) {
      const Source column = source_of(source);
      formula.operands.push_back({column.type, column.element, source.factor, source.offset, source.from.unit});
    }
    formula.text = link->text;
    return formula;
  }
  [[nodiscard]] Formula formula_of(const Link& link) const {
    Formula formula = formula_of(link.formula);
    formula.factor = link.factor;
    formula.offset = link.offset;
    return formula;
  }

  void place_event(const EventLink& link) {
    PlannedEvent event;
    event.name = link.name;
    event.when = formula_of(link.when);
    for (const auto& from : link.actions) {
      PlannedEvent::Action action;
      action.kind = from.kind;
      action.target = from.target;
      action.is_state = from.is_state;
      action.text = from.text;
      if (from.target.unit != no_unit) place_target(from, action);
      if (from.value) action.value = formula_of(from.value);
      event.actions.push_back(std::move(action));
    }
    plan_.events.push_back(std::move(event));
  }

  void place_target(const EventLink::Action& from, PlannedEvent::Action& to) const {
    const auto& unit = plan_.units[from.target.unit];
    to.type = (*unit.description)[from.target.variable].type;
    if (from.is_state) return;
    const auto place = unit.inputs.place(index_in(unit.inputs.choice(), from.target.variable));
    to.input = unit.first_input[static_cast<std::size_t>(place.type)] + place.first +
               static_cast<std::uint32_t>(from.target.first);
  }

  void route_formula(const Link& link) {
    const auto& unit = plan_.units[link.to.unit];
    const auto input = index_in(unit.inputs.choice(), link.to.variable);
    const auto place = unit.inputs.place(input);
    Formula formula = formula_of(link);
    formula.to = place.type;
    formula.input = unit.first_input[static_cast<std::size_t>(place.type)] + place.first +
                    static_cast<std::uint32_t>(link.to.first);
    formula.unit = link.to.unit;
    formula.variable = input;
    require(is_scalar_like(place.type) && place.type != Type::Clock, "{}: an expression gives no {}", formula.text,
            name_of(place.type));
    drive(link, place.type, formula.input);
    for (const auto& source : link.formula->sources) {
      const bool from_unit = source.from.unit != no_unit;
      const auto output = from_unit ? index_in(plan_.units[source.from.unit].outputs.choice(), source.from.variable)
                                    : externals_.at(source.external);
      plan_.connections.push_back({source.from.unit, output, link.to.unit, input, 1,
                                   from_unit ? static_cast<std::uint32_t>(source.from.first) : 0,
                                   static_cast<std::uint32_t>(link.to.first), 1.0,
                                   static_cast<std::uint32_t>(plan_.formulas.size())});
    }
    add_sampling(link, formula.to, formula.input, 1);
    plan_.formulas.push_back(std::move(formula));
  }

  void add_sampling(const Link& link, Type type, std::uint32_t input, std::uint32_t count) {
    if (link.sample <= 0) return;
    auto text = link.formula
                    ? link.formula->text
                    : fmt::format("the connection {} → {}{}", from_text(link), to_text(link), where_text(link.where));
    require(is_scalar_like(type) && type != Type::Clock, "{}: a {} cannot be sampled; remove 'sample'", text,
            name_of(type));
    plan_.samplings.push_back({link.to.unit, type, input, count, link.sample, std::move(text)});
  }

  void drive(const Link& link, Type type, std::uint32_t input) {
    auto& driver = driver_[static_cast<std::size_t>(type)][input];
    if (driver != nullptr) {
      throw input_error("{} has two sources: {}{} and {}{}; remove one connection", to_text(link), from_text(*driver),
                        where_text(driver->where), from_text(link), where_text(link.where));
    }
    driver = &link;
  }

  void route(const Link& link) {
    if (link.formula) return route_formula(link);
    const Source source = source_of(link);
    const auto& unit = plan_.units[link.to.unit];
    const auto input = index_in(unit.inputs.choice(), link.to.variable);
    const auto place = unit.inputs.place(input);
    const auto first = unit.first_input[static_cast<std::size_t>(place.type)] + place.first +
                       static_cast<std::uint32_t>(link.to.first);
    require(source.count == link.to.count,
            "the connection {} → {}{}: {} has {} elements and {} has {}; connect elements one by one", from_text(link),
            to_text(link), where_text(link.where), from_text(link), source.count, to_text(link), link.to.count);
    require(converts(source.type, place.type, link.transformed),
            "the connection {} → {}{}: {} cannot be taken as {}; give a transformation or a mapping", from_text(link),
            to_text(link), where_text(link.where), name_of(source.type), name_of(place.type));
    for (std::uint32_t e = 0; e < source.count; ++e) {
      drive(link, place.type, first + e);
      route_element(link, {source.type, source.element + e, 1}, place.type, first + e);
    }
    add_sampling(link, place.type, first, source.count);
    const auto output = link.from.unit == no_unit
                            ? externals_.at(link.external)
                            : index_in(plan_.units[link.from.unit].outputs.choice(), link.from.variable);
    const bool from_unit = link.from.unit != no_unit;
    plan_.connections.push_back({link.from.unit, output, link.to.unit, input, source.count,
                                 from_unit ? static_cast<std::uint32_t>(link.from.first) : 0,
                                 static_cast<std::uint32_t>(link.to.first), link.mapping.empty() ? link.factor : 1.0});
  }

  void route_element(const Link& link, const Source& source, Type to, std::uint32_t input) {
    const bool plain = link.factor == 1.0 && link.offset == 0.0;
    const bool same = source.type == to && link.mapping.empty();
    if (same && (plain || to == Type::Float64)) {
      plan_.sources[static_cast<std::size_t>(to)][input] = source.element;
      if (!plain) plan_.scalings.push_back({input, link.factor, link.offset});
      return;
    }
    require(plain || is_scalar_like(to), "the connection {} → {}{}: a {} cannot be scaled; remove factor and offset",
            from_text(link), to_text(link), where_text(link.where), name_of(to));
    Conversion c;
    c.from = source.type;
    c.to = to;
    c.source = source.element;
    c.input = input;
    c.factor = link.factor;
    c.offset = link.offset;
    c.unit = link.to.unit;
    c.partial = link.partial;
    c.connection = fmt::format("{} → {}{}", from_text(link), to_text(link), where_text(link.where));
    for (const auto& entry : link.mapping)
      if (auto from = source_value(link, c.from, entry.first))
        c.mapping.emplace_back(std::move(*from), end_value(link, false, c.to, entry.second));
    plan_.conversions.push_back(std::move(c));
  }

  // nullopt for a value that the source's type cannot hold; only a partial mapping may list such values.
  std::optional<Value> source_value(const Link& link, Type type, const std::string& text) const {
    try {
      return end_value(link, true, type, text);
    } catch (const Error&) {
      if (link.partial) return std::nullopt;
      throw;
    }
  }

  // Reads one value of a mapping. An enumeration's value may be the name of an item.
  Value end_value(const Link& link, bool source, Type type, const std::string& text) const {
    const Elements& slot = source ? link.from : link.to;
    if (slot.unit == no_unit) return Value::parse(type, text, 1);
    const auto& d = *flat_.units[slot.unit].description;
    try {
      Value value = describe::read_start_value(d, d[slot.variable], text);
      require(value.size() == 1, "one value is needed, not '{}'", text);
      return value;
    } catch (const Error& error) {
      throw input_error("the mapping of {} → {}{}: {}", from_text(link), to_text(link), where_text(link.where),
                        error.what());
    }
  }

  void name_output(const OuterLink& outer) {
    if (!outer.link.mapping.empty()) return;
    if (outer.link.formula) return name_formula(outer);
    if (outer.link.external != no_source && !externals_.contains(outer.link.external)) return;
    const Source source = source_of(outer.link);
    for (std::uint32_t e = 0; e < source.count; ++e) {
      NamedSignal signal;
      signal.name =
          flat_.nodes[outer.node].path + outer.element + (source.count == 1 ? "" : fmt::format("[{}]", e + 1));
      signal.type = source.type;
      signal.element = source.element + e;
      signal.factor = outer.link.factor;
      signal.offset = outer.link.offset;
      // A transformation without a declared unit leads to an unknown one.
      const auto& declared = flat_.nodes[outer.node].connector->unit;
      signal.unit = declared.empty() && !outer.link.transformed ? outer.link.unit : declared;
      plan_.connectors.push_back(std::move(signal));
    }
  }

  void name_formula(const OuterLink& outer) {
    NamedSignal signal;
    signal.name = flat_.nodes[outer.node].path + outer.element;
    signal.formula = std::make_shared<const Formula>(formula_of(outer.link));
    const auto& declared = flat_.nodes[outer.node].connector->unit;
    signal.unit = declared.empty() ? outer.link.unit : declared;
    plan_.connectors.push_back(std::move(signal));
  }

  const Flat& flat_;
  const Links& links_;
  Plan& plan_;
  std::map<std::uint32_t, std::uint32_t> externals_;  // node → index into Plan::externals
  std::vector<std::vector<const Link*>> driver_;      // per type and input element
};

}  // namespace

void lay_out(const Flat& flat, const Links& links, std::span<const Elements> targets, const WantedVariable& wants,
             Plan& plan) {
  Layout(flat, links, plan)(targets, wants);
}

}  // namespace consort::graph
