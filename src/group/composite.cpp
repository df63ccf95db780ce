#include "group/composite.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace consort::group {

using describe::Causality;
using describe::Description;
using describe::Variable;
using describe::VariableId;

namespace {

class Composer {
 public:
  explicit Composer(const graph::Plan& plan) : plan_(plan) {}

  Composite operator()() {
    auto& d = to_.description;
    d.version = describe::FmiVersion::native;
    d.model_name = plan_.name;
    d.description = fmt::format("group of {} units", plan_.units.size());
    d.structured_names = true;
    find_driven();
    add_interface();
    for (std::uint32_t e = 0; e < plan_.externals.size(); ++e) add_external(e);
    for (std::uint32_t c = 0; c < plan_.connectors.size(); ++c) add_connector(c);
    for (MemberId m = 0; m < plan_.units.size(); ++m) add_member(m);
    add_structure();
    d.finish();
    return std::move(to_);
  }

 private:
  std::string_view keep(std::string_view text) { return to_.description.arena().store(text); }

  void find_driven() {
    driven_.resize(plan_.units.size());
    for (MemberId m = 0; m < plan_.units.size(); ++m)
      driven_[m].assign(plan_.units[m].description->variables.size(), false);
    for (const auto& c : plan_.connections) driven_[c.to][plan_.units[c.to].inputs.choice()[c.input]] = true;
    for (const auto& p : plan_.parameters) driven_[p.to.unit][p.to.variable] = true;
    for (const auto& f : plan_.formulas) driven_[f.unit][plan_.units[f.unit].inputs.choice()[f.variable]] = true;
    // What events of the group set belongs to the group.
    for (const auto& event : plan_.events)
      for (const auto& action : event.actions)
        if (action.target.unit != graph::no_unit && !action.is_state)
          driven_[action.target.unit][action.target.variable] = true;
  }

  void add_interface() {
    describe::Interface me;
    me.type = describe::InterfaceType::model_exchange;
    me.model_identifier = to_.description.model_name;
    me.event_mode = true;
    me.directional_derivatives = true;
    me.can_save_state = me.can_serialize_state = true;
    me.needs_completed_integrator_step = false;
    for (const auto& unit : plan_.units) {
      const auto* const own = unit.description->interface(describe::InterfaceType::model_exchange);
      if (own == nullptr) continue;
      me.can_save_state = me.can_save_state && own->can_save_state;
      me.can_serialize_state = me.can_serialize_state && own->can_serialize_state;
      me.needs_completed_integrator_step = me.needs_completed_integrator_step || own->needs_completed_integrator_step;
      to_.description.continuous_states += unit.description->continuous_states;
      to_.description.event_indicators += unit.description->event_indicators;
    }
    to_.description.interfaces.push_back(std::move(me));
  }

  // --- units of measure

  describe::MeasureId measure(const Description& from, describe::MeasureId id) {
    if (id == describe::no_measure) return id;
    const auto& m = from.units[id];
    const auto key = std::pair(&from, id);
    if (const auto known = measures_.find(key); known != measures_.end()) return known->second;
    describe::Measure copy = m;
    copy.name = keep(m.name);
    for (auto& unit : copy.display_units) unit.name = keep(unit.name);
    to_.description.units.push_back(std::move(copy));
    const auto made = static_cast<describe::MeasureId>(to_.description.units.size() - 1);
    measures_.emplace(key, made);
    return made;
  }

  // A unit by name: that of a member's variable with this unit, so that conversions are known.
  describe::MeasureId measure(std::string_view name) {
    if (name.empty()) return describe::no_measure;
    for (const auto& unit : plan_.units) {
      const auto& d = *unit.description;
      for (describe::MeasureId i = 0; i < d.units.size(); ++i)
        if (d.units[i].name == name) return measure(d, i);
    }
    describe::Measure unknown;
    unknown.name = keep(name);
    to_.description.units.push_back(std::move(unknown));
    return static_cast<describe::MeasureId>(to_.description.units.size() - 1);
  }

  // --- variables

  VariableId add(Variable v, const Origin& origin) {
    const auto id = static_cast<VariableId>(to_.description.variables.size());
    v.reference = id;
    to_.description.variables.push_back(v);
    to_.origins.push_back(origin);
    return id;
  }

  describe::Range fixed_size(std::uint64_t elements, std::uint32_t rank) {
    auto& dimensions = to_.description.dimensions;
    const describe::Range range{static_cast<std::uint32_t>(dimensions.size()), rank};
    if (rank > 0) dimensions.push_back({elements, 0, false});
    return range;
  }

  void set_start(Variable& v, Value value) {
    v.start = static_cast<std::uint32_t>(to_.description.starts.size());
    to_.description.starts.push_back(std::move(value));
  }

  void add_external(std::uint32_t index) {
    const auto& e = plan_.externals[index];
    Variable v;
    v.name = keep(e.name);
    v.description = keep(e.description);
    v.type = e.type;
    v.causality = Causality::input;
    v.variability =
        e.discrete || e.type != Type::Float64 ? describe::Variability::discrete : describe::Variability::continuous;
    v.unit = measure(e.unit);
    v.dimensions = fixed_size(e.count, e.count > 1 ? 1 : 0);
    static_cast<void>(add(v, {Origin::Kind::external, index, describe::no_variable, e.count}));
  }

  void add_connector(std::uint32_t index) {
    const auto& c = plan_.connectors[index];
    Variable v;
    v.name = keep(c.name);
    v.type = c.type;
    v.causality = Causality::output;
    v.variability = c.type == Type::Float64 ? describe::Variability::continuous : describe::Variability::discrete;
    v.unit = measure(c.unit);
    static_cast<void>(add(v, {Origin::Kind::connector, index, describe::no_variable, 1}));
    auto& sources = to_.connector_sources.emplace_back();
    if (!c.formula) return sources.push_back(source_of(c.type, c.element));
    for (const auto& o : c.formula->operands) sources.push_back(source_of(o.type, o.source));
  }

  void add_member(MemberId m) {
    const auto& unit = plan_.units[m];
    const auto& d = *unit.description;
    const auto first = static_cast<VariableId>(to_.description.variables.size());
    to_.first_of_member.push_back(first);
    const auto first_type = static_cast<std::uint32_t>(to_.description.types.size());
    for (const auto& type : d.types) add_type(d, type);
    for (VariableId id = 0; id < d.variables.size(); ++id) {
      Variable v = d[id];
      const std::string name = fmt::format("{}.{}", unit.name, v.name);
      v.name = keep(name);
      v.description = keep(v.description);
      v.quantity = keep(v.quantity);
      v.mime_type = keep(v.mime_type);
      v.unit = measure(d, v.unit);
      if (v.declared_type != describe::no_type) v.declared_type += first_type;
      if (v.derivative_of != describe::no_variable) v.derivative_of += first;
      if (v.previous != describe::no_variable) v.previous += first;
      v.clocks = {};
      v.clock = describe::no_start;
      const auto elements = unit.starts.element_count(d, d[id]);
      v.dimensions = fixed_sizes(unit, id);
      adapt(v, m, id);
      const auto* const own = d.start(d[id]);
      if (const auto* const given = given_start(unit, id))
        set_start(v, *given);
      else if (own != nullptr)
        set_start(v, *own);
      static_cast<void>(add(v, {Origin::Kind::member, m, id, static_cast<std::uint32_t>(elements)}));
    }
    add_starts(m, first);
    for (const auto& alias : d.aliases)
      to_.description.aliases.push_back({alias.variable + first, keep(fmt::format("{}.{}", unit.name, alias.name)),
                                         keep(alias.description), alias.display_unit});
  }

  // The value that the system file gives, for all elements.
  static const Value* given_start(const graph::PlannedUnit& unit, VariableId id) {
    const auto& given = unit.starts.others();
    const auto found = std::find(given.variables.begin(), given.variables.end(), id);
    if (found == given.variables.end()) return nullptr;
    const auto& value = given.values[static_cast<std::size_t>(found - given.variables.begin())];
    const auto& d = *unit.description;
    return value.size() == unit.starts.element_count(d, d[id]) ? &value : nullptr;
  }

  // Sizes are those of this run: structural parameters of members are set once, by the group.
  describe::Range fixed_sizes(const graph::PlannedUnit& unit, VariableId id) {
    const auto& d = *unit.description;
    auto& dimensions = to_.description.dimensions;
    const describe::Range range{static_cast<std::uint32_t>(dimensions.size()), d[id].dimensions.count};
    for (const auto& dimension : d.dimensions_of(d[id])) {
      std::uint64_t size = dimension.size;
      if (dimension.is_reference) {
        const auto& sizes = unit.starts.sizes();
        const auto given = sizes.find(dimension.reference);
        const auto parameter = d.find(dimension.reference, Type::UInt64);
        const auto* const start = parameter == describe::no_variable ? nullptr : d.start(d[parameter]);
        size = given != sizes.end() ? given->second : start != nullptr ? start->elements<std::uint64_t>().front() : 0;
      }
      dimensions.push_back({size, 0, false});
    }
    return range;
  }

  void adapt(Variable& v, MemberId m, VariableId id) {
    if (v.causality == Causality::independent || v.causality == Causality::structural_parameter)
      v.causality = Causality::local;
    if (!driven_[m][id]) return;
    if (v.causality == Causality::parameter) v.causality = Causality::calculated_parameter;
    if (v.causality == Causality::input) v.causality = Causality::local;
    v.initial = describe::Initial::calculated;
  }

  void add_type(const Description& d, const describe::TypeDefinition& type) {
    auto copy = type;
    copy.name = keep(type.name);
    copy.description = keep(type.description);
    copy.quantity = keep(type.quantity);
    copy.unit = measure(d, type.unit);
    for (auto& item : copy.items) {
      item.name = keep(item.name);
      item.description = keep(item.description);
    }
    to_.description.types.push_back(std::move(copy));
  }

  void add_starts(MemberId m, VariableId first) {
    const auto& given = plan_.units[m].starts.others();
    for (std::size_t i = 0; i < given.variables.size(); ++i)
      to_.starts.push_back({given.variables[i] + first, given.values[i]});
  }

  // --- structure

  void add_structure() {
    add_derivatives();
    reach_.resize(to_.description.variables.size());
    for (VariableId v = 0; v < to_.description.variables.size(); ++v)
      if (to_.description.variables[v].causality == Causality::input) follow(v);
    auto& structure = to_.description.structure;
    for (VariableId v = 0; v < to_.description.variables.size(); ++v) {
      if (to_.description.variables[v].causality != Causality::output) continue;
      describe::Unknown unknown{v, true, {static_cast<std::uint32_t>(structure.dependencies.size()), 0}};
      for (const auto input : reach_[v]) structure.dependencies.push_back({input});
      unknown.dependencies.count = static_cast<std::uint32_t>(reach_[v].size());
      structure.outputs.push_back(unknown);
    }
  }

  // All or none: only complete lists tell which variables are states.
  void add_derivatives() {
    auto& structure = to_.description.structure;
    for (MemberId m = 0; m < plan_.units.size(); ++m) {
      const auto& d = *plan_.units[m].description;
      const bool tells = d.version != describe::FmiVersion::v1;
      if (!tells) return structure.derivatives.clear();
      for (const auto& unknown : d.structure.derivatives)
        structure.derivatives.push_back({unknown.variable + to_.first_of_member[m], false, {}});
    }
  }

  // Marks the outputs that depend on this input of the group without a delay.
  void follow(VariableId input) {
    std::vector<std::pair<MemberId, VariableId>> open;
    std::map<std::pair<MemberId, VariableId>, bool> seen;
    const auto visit = [&](MemberId m, VariableId id) {
      if (seen.emplace(std::pair(m, id), true).second) open.emplace_back(m, id);
    };
    const auto& origin = to_.origins[input];
    if (origin.kind == Origin::Kind::member) {
      visit(origin.index, origin.variable);
    } else {
      for (const auto& c : plan_.connections)
        if (c.from == graph::no_unit && c.output == origin.index)
          visit(c.to, plan_.units[c.to].inputs.choice()[c.input]);
      const auto& external = plan_.externals[origin.index];
      for (std::uint32_t c = 0; c < plan_.connectors.size(); ++c)
        for (const auto& source : to_.connector_sources[c])
          if (source.member == none && source.element >= external.element &&
              source.element < external.element + external.count)
            mark(connector_variable(c), input);
    }
    while (!open.empty()) {
      const auto [m, id] = open.back();
      open.pop_back();
      for (const auto output : followers(m, id)) reach(m, output, input, visit);
    }
  }

  // False if it was marked before.
  bool mark(VariableId output, VariableId input) {
    auto& inputs = reach_[output];
    if (!inputs.empty() && inputs.back() == input) return false;
    inputs.push_back(input);
    return true;
  }

  template <class Visit>
  void reach(MemberId m, VariableId output, VariableId input, Visit&& visit) {
    if (!mark(to_.first_of_member[m] + output, input)) return;
    const auto& unit = plan_.units[m];
    for (const auto& c : plan_.connections)
      if (c.from == m && unit.outputs.choice()[c.output] == output)
        visit(c.to, plan_.units[c.to].inputs.choice()[c.input]);
    for (std::uint32_t c = 0; c < plan_.connectors.size(); ++c)
      for (const auto& source : to_.connector_sources[c])
        if (source.member == m && source.variable == output) mark(connector_variable(c), input);
  }

  [[nodiscard]] VariableId connector_variable(std::uint32_t index) const {
    return static_cast<VariableId>(plan_.externals.size()) + index;
  }

  [[nodiscard]] SlotName source_of(Type of_type, std::uint32_t element) const {
    const auto type = static_cast<std::size_t>(of_type);
    for (MemberId m = 0; m < plan_.units.size(); ++m) {
      const auto& outputs = plan_.units[m].outputs;
      for (std::size_t i = 0; i < outputs.choice().size(); ++i) {
        const auto place = outputs.place(i);
        const auto first = plan_.units[m].first_output[type] + place.first;
        if (place.type == of_type && element >= first && element < first + place.count)
          return {m, outputs.choice()[i], element - first};
      }
    }
    return {none, describe::no_variable, element};
  }

  // The outputs of a member that depend on its input directly.
  const std::vector<VariableId>& followers(MemberId m, VariableId input) {
    const auto [found, is_new] = followers_.try_emplace(std::pair(m, input));
    if (!is_new) return found->second;
    const auto& d = *plan_.units[m].description;
    std::map<VariableId, const describe::Unknown*> declared;
    for (const auto& unknown : d.structure.outputs)
      if (unknown.declared) declared.emplace(unknown.variable, &unknown);
    for (VariableId v = 0; v < d.variables.size(); ++v) {
      if (d[v].causality != Causality::output) continue;
      const auto known = declared.find(v);
      const auto depends = [&] {
        const auto all = d.structure.of(*known->second);
        return std::any_of(all.begin(), all.end(), [&](const auto& x) { return x.variable == input; });
      };
      if (known == declared.end() || depends()) found->second.push_back(v);
    }
    return found->second;
  }

  const graph::Plan& plan_;
  Composite to_;
  std::vector<std::vector<bool>> driven_;  // by member and variable
  std::map<std::pair<const Description*, describe::MeasureId>, describe::MeasureId> measures_;
  std::vector<std::vector<VariableId>> reach_;  // by variable: the inputs of the group that it depends on
  std::map<std::pair<MemberId, VariableId>, std::vector<VariableId>> followers_;
};

}  // namespace

Composite compose(const graph::Plan& plan) { return Composer(plan)(); }

}  // namespace consort::group
