#include "unit/custom_description.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/describe_model.hpp"
#include "model/layout.hpp"

namespace consort::unit {

using describe::Description;
using describe::VariableId;
using Kind = CustomLayout::Kind;

namespace {

Type type_of_variable(const NativeVariable& v) {
  switch (v.type) {
    case NativeType::integer: return Type::Int32;
    case NativeType::boolean: return Type::Boolean;
    default: return Type::Float64;
  }
}

bool is_discrete(const NativeVariable& v) { return v.discrete || v.type != NativeType::real; }

// Calls `f(kind, variable)` for all declared variables in the order of the description.
template <class F>
void for_all(const NativeDeclaration& d, F&& f) {
  for (const auto& v : d.states) f(Kind::state, v);
  for (const auto& v : d.inputs) f(Kind::input, v);
  for (const auto& v : d.outputs) f(Kind::output, v);
  for (const auto& v : d.parameters) f(Kind::parameter, v);
  for (const auto& v : d.memory) f(Kind::memory, v);
}

class Describer {
 public:
  Describer(const NativeDeclaration& declaration, const NativeUnit& unit) : declaration_(declaration) {
    to_.version = describe::FmiVersion::native;
    to_.model_name = declaration.name;
    to_.description = declaration.description;
    to_.structured_names = true;
    to_.default_experiment.start_time = 0;
    to_.default_experiment.stop_time = declaration.stop_time;
    to_.default_experiment.step_size = declaration.step;
    describe::Interface me;
    me.type = describe::InterfaceType::model_exchange;
    me.model_identifier = declaration.name;
    me.can_save_state = me.can_serialize_state = unit.why_no_save().empty();
    me.directional_derivatives = true;
    me.needs_completed_integrator_step = false;
    me.event_mode = true;
    to_.interfaces.push_back(std::move(me));
  }

  Description describe() {
    describe::Variable time;
    time.name = "time";
    time.description = "simulation time";
    time.causality = describe::Causality::independent;
    to_.variables.push_back(time);
    ids_["time"] = 0;
    for_all(declaration_, [&](Kind kind, const NativeVariable& v) { add(kind, v); });
    add_structure();
    to_.continuous_states = static_cast<std::uint32_t>(declaration_.states.size());
    to_.event_indicators = declaration_.indicators;
    to_.finish();
    return std::move(to_);
  }

 private:
  template <class... Arguments>
  void check(bool condition, const NativeVariable& v, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    require(condition, "model '{}': the variable '{}' {}", declaration_.name, v.name,
            fmt::format(text, std::forward<Arguments>(arguments)...));
  }

  void check_variable(Kind kind, const NativeVariable& v) {
    check(!v.name.empty(), v, "has no name; give it one");
    check(ids_.count(v.name) == 0, v, "is declared twice; states are outputs without a further declaration");
    check(kind != Kind::state || !is_discrete(v), v, "is a state, which is a continuous real");
    check(v.type == NativeType::real || v.unit.empty(), v, "has the unit of measure '{}', but only reals have one",
          v.unit);
    check(v.unit.empty() || model::parse_unit(v.unit).known, v,
          "has the unit of measure '{}', which is not known; write units as in \"kg.m/s2\"", v.unit);
    constexpr double most = std::numeric_limits<std::int32_t>::max();
    check(v.type != NativeType::integer || (v.start == std::trunc(v.start) && std::abs(v.start) <= most), v,
          "is an integer and cannot start with {}", v.start);
    check(v.type != NativeType::boolean || v.start == 0 || v.start == 1, v,
          "is a Boolean and cannot start with {}; give 0 or 1", v.start);
  }

  void add(Kind kind, const NativeVariable& v) {
    check_variable(kind, v);
    describe::Variable to;
    to.name = to_.arena().store(v.name);
    to.description = to_.arena().store(v.description);
    to.reference = static_cast<ValueReference>(to_.variables.size());
    to.type = type_of_variable(v);
    to.unit = model::add_unit(to_, v.unit);
    to.declares_initial = true;
    to.initial = describe::Initial::exact;
    to.variability = is_discrete(v) ? describe::Variability::discrete : describe::Variability::continuous;
    if (kind == Kind::state) {
      to.causality = describe::Causality::output;
      if (v.nominal > 0) to.nominal = v.nominal, to.has_nominal = true;
    } else if (kind == Kind::input) {
      to.causality = describe::Causality::input;
      to.initial = describe::Initial::none;
      to.declares_initial = false;
    } else if (kind == Kind::output) {
      to.causality = describe::Causality::output;
      to.initial = describe::Initial::calculated;
    } else if (kind == Kind::parameter) {
      to.causality = describe::Causality::parameter;
      to.variability = v.tunable ? describe::Variability::tunable : describe::Variability::fixed;
    } else {
      to.causality = describe::Causality::local;
      to.variability = describe::Variability::discrete;
    }
    if (kind != Kind::output) add_start(v, to);
    ids_[v.name] = to.reference;
    to_.variables.push_back(to);
    if (kind == Kind::state) add_rate(v, to.reference);
  }

  void add_start(const NativeVariable& v, describe::Variable& to) {
    to.start = static_cast<std::uint32_t>(to_.starts.size());
    if (to.type == Type::Int32)
      to_.starts.push_back(Value::scalar(static_cast<std::int32_t>(v.start)));
    else if (to.type == Type::Boolean)
      to_.starts.push_back(Value::scalar(Bool(v.start != 0)));
    else
      to_.starts.push_back(Value::scalar(v.start));
  }

  void add_rate(const NativeVariable& state, VariableId id) {
    describe::Variable rate;
    rate.name = to_.arena().store("der(" + state.name + ")");
    rate.reference = static_cast<ValueReference>(to_.variables.size());
    rate.unit = model::add_unit(to_, model::rate_unit(state.unit));
    rate.initial = describe::Initial::calculated;
    rate.declares_initial = true;
    rate.derivative_of = id;
    to_.variables.push_back(rate);
  }

  void add_structure() {
    auto& structure = to_.structure;
    for (const auto& v : declaration_.states) {
      const auto id = ids_.at(v.name);
      const auto begin = static_cast<std::uint32_t>(structure.dependencies.size());
      structure.dependencies.push_back({id, describe::DependencyKind::dependent});
      structure.outputs.push_back({id, true, {begin, 1}});
      structure.derivatives.push_back(unknown(v, id + 1));
      structure.initial_unknowns.push_back({id + 1, false, {}});
    }
    for (const auto& v : declaration_.outputs) {
      structure.outputs.push_back(unknown(v, ids_.at(v.name)));
      structure.initial_unknowns.push_back({ids_.at(v.name), false, {}});
    }
  }

  describe::Unknown unknown(const NativeVariable& v, VariableId id) {
    auto& all = to_.structure.dependencies;
    describe::Unknown result{id, v.depends_on.has_value(), {static_cast<std::uint32_t>(all.size()), 0}};
    if (!v.depends_on) return result;
    for (const auto& name : *v.depends_on) {
      const auto known = ids_.find(name);
      const auto is_known = [&](const NativeVariable& other) { return other.name == name; };
      check(known != ids_.end() && (std::any_of(declaration_.states.begin(), declaration_.states.end(), is_known) ||
                                    std::any_of(declaration_.inputs.begin(), declaration_.inputs.end(), is_known)),
            v, "depends on '{}', which is neither a state nor an input", name);
      all.push_back({known->second, describe::DependencyKind::dependent});
    }
    result.dependencies.count = static_cast<std::uint32_t>(v.depends_on->size());
    return result;
  }

  const NativeDeclaration& declaration_;
  Description to_;
  std::map<std::string, VariableId> ids_;
};

}  // namespace

CustomLayout::CustomLayout(const NativeDeclaration& d)
    : states(d.states.size()),
      memory(d.memory.size()),
      inputs(d.inputs.size()),
      parameters(d.parameters.size()),
      outputs(d.outputs.size()),
      first_memory(states),
      first_input(first_memory + memory),
      first_parameter(first_input + inputs),
      first_rate(first_parameter + parameters),
      first_output(first_rate + states),
      size(first_output + outputs) {
  places.emplace_back();
  std::map<Kind, std::size_t> next{{Kind::state, 0},           {Kind::memory, first_memory},
                                   {Kind::input, first_input}, {Kind::parameter, first_parameter},
                                   {Kind::rate, first_rate},   {Kind::output, first_output}};
  const auto place = [&](Kind kind, Type type, bool discrete, bool tunable) {
    places.push_back({kind, type, discrete, tunable, static_cast<std::uint32_t>(next[kind]++)});
  };
  for_all(d, [&](Kind kind, const NativeVariable& v) {
    place(kind, type_of_variable(v), is_discrete(v) || kind == Kind::memory, v.tunable);
    if (kind == Kind::state) place(Kind::rate, Type::Float64, false, false);
  });
}

Description describe_custom(const NativeDeclaration& declaration, const NativeUnit& unit) {
  require(std::isfinite(declaration.stop_time) && declaration.step > 0,
          "model '{}': the default experiment needs a finite stop time and a positive step", declaration.name);
  return Describer(declaration, unit).describe();
}

}  // namespace consort::unit
