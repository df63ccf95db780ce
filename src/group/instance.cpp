#include "group/instance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "graph/parameter_route.hpp"
#include "solve/problem.hpp"
#include "unit/fmu_values.hpp"

namespace consort::group {

using describe::Causality;
using describe::SignalSet;
using describe::VariableId;

namespace {

std::vector<Member> make_members(const Model& model, std::vector<std::unique_ptr<fmi::ModelExchange>> instances) {
  CONSORT_ASSERT(instances.size() == model.plan.units.size());
  std::vector<Member> members;
  members.reserve(instances.size());
  for (std::size_t m = 0; m < instances.size(); ++m)
    members.emplace_back(std::move(instances[m]), *model.plan.units[m].description);
  return members;
}

Value read_value(fmi::Instance& instance, const describe::Variable& variable, std::size_t elements) {
  return with_type(variable.type, [&]<class T>() {
    std::vector<T> values(elements);
    instance.get<T>(std::span(&variable.reference, 1), std::span<T>(values));
    return Value(std::move(values));
  });
}

void write_value(fmi::Instance& instance, const describe::Variable& variable, const Value& value) {
  with_type(variable.type, [&]<class T>() {
    const auto& elements = value.elements<T>();
    instance.set<T>(std::span(&variable.reference, 1), std::span<const T>(elements.data(), elements.size()));
  });
}

// Values before the members are asked.
void fill_with_starts(const graph::PlannedUnit& unit, const SignalSet& set, const describe::Offsets& at, Columns& to) {
  const auto& d = *unit.description;
  for (std::size_t i = 0; i < set.choice().size(); ++i) {
    const auto* const value = d.start(d[set.choice()[i]]);
    const auto place = set.place(i);
    if (value == nullptr || value->type() != place.type || value->size() == 0) continue;
    with_type(place.type, [&]<class T>() {
      const auto& from = value->elements<T>();
      for (std::uint32_t e = 0; e < place.count; ++e)
        to.column<T>()[at[static_cast<std::size_t>(place.type)] + place.first + e] =
            from[from.size() == place.count ? e : 0];
    });
  }
}

// One value for all elements.
Value spread(const Value& value, std::size_t elements) {
  return with_type(value.type(), [&]<class T>() { return Value(std::vector<T>(elements, value.elements<T>().at(0))); });
}

// FMI 2.0, 2.2.7; FMI 3.0, 2.4.7.5.
bool may_be_set_in_initialization(const describe::Variable& v) {
  return v.causality == Causality::input || v.initial == describe::Initial::exact;
}

}  // namespace

// --- life ------------------------------------------------------------------------------------------------------------

GroupInstance::GroupInstance(std::shared_ptr<const Model> model, std::string name,
                             std::vector<std::unique_ptr<fmi::ModelExchange>> members)
    : model_(std::move(model)),
      name_(std::move(name)),
      members_(make_members(*model_, std::move(members))),
      derivatives_(model_->wiring, members_),
      coupling_(model_->plan, model_->wiring, members_, derivatives_),
      own_events_(model_->plan, model_->wiring),
      slots_of_(members_.size()),
      starts_(model_->composite.starts),
      in_event_(members_.size()),
      asked_(members_.size()),
      initialised_(members_.size()),
      takes_part_(members_.size()),
      given_(model_->wiring.inputs.size()),
      evaluated_at_(members_.size()) {
  const auto& plan = model_->plan;
  memory_.next_events.assign(members_.size(), solve::never);
  memory_.step_events.assign(members_.size(), 0);
  memory_.relation_signs.assign(coupling_.indicator_count(), 0);
  memory_.outputs = plan.make_outputs();
  memory_.inputs = plan.make_inputs();
  given_held_ = memory_.inputs;
  coupling_.set_outputs(memory_.outputs);
  for (std::uint32_t i = 0; i < model_->wiring.inputs.size(); ++i)
    slots_of_[model_->wiring.inputs[i].member].push_back(i);
  const couple::Gather::Owners owners(plan);
  const auto all = [](graph::UnitId, graph::UnitId) { return true; };
  for (MemberId m = 0; m < members_.size(); ++m) {
    gathers_.emplace_back(plan, owners, std::span(&m, 1), all);
    can_save_ = can_save_ && members_[m].instance->state_saving() != nullptr;
  }
  find_held_inputs();
  configure_members();
  give_start_values(false);
  give_defaults_to_externals();
}

GroupInstance::~GroupInstance() = default;

void GroupInstance::configure_members() {
  for (MemberId m = 0; m < members_.size(); ++m) {
    const auto& starts = model_->plan.units[m].starts;
    const auto& set = starts.structural();
    if (set.empty()) continue;
    const auto& d = *members_[m].description;
    const auto signals = starts.signals(d, set.variables);
    Columns columns = starts.columns(d, set, signals);
    require_in_unit(members_[m].instance->name(), unit::configure_values(*members_[m].instance, signals, columns),
                    "unit '{}' has no configuration mode, so its structural parameters cannot be changed",
                    members_[m].instance->name());
  }
}

void GroupInstance::give_start_values(bool in_initialization) {
  for (const auto& start : starts_) {
    const auto& origin = model_->composite.origins[start.variable];
    if (origin.kind != Origin::Kind::member) continue;
    auto& member = members_[origin.index];
    const auto& v = (*member.description)[origin.variable];
    if (in_initialization && (member.is_v1 || !may_be_set_in_initialization(v))) continue;
    write_value(*member.instance, v,
                start.value.size() == origin.elements ? start.value : spread(start.value, origin.elements));
  }
}

// An input of the group that nobody sets has the start value of the first variable that it drives.
void GroupInstance::give_defaults_to_externals() {
  const auto& plan = model_->plan;
  for (const auto& unit : plan.units) {
    fill_with_starts(unit, unit.outputs, unit.first_output, memory_.outputs);
    fill_with_starts(unit, unit.inputs, unit.first_input, memory_.inputs);
  }
  for (const auto& c : plan.connections) {
    if (c.from != graph::no_unit) continue;
    const auto& unit = plan.units[c.to];
    const auto id = unit.inputs.choice()[c.input];
    const auto& d = *unit.description;
    const auto& external = plan.externals[c.output];
    const auto* value = d.start(d[id]);
    for (const auto& given : starts_)
      if (given.variable == model_->composite.first_of_member[c.to] + id) value = &given.value;
    if (value == nullptr || value->type() != external.type || external.type != d[id].type) continue;
    with_type(external.type, [&]<class T>() {
      const auto& from = value->elements<T>();
      auto& to = memory_.outputs.column<T>();
      for (std::uint32_t e = 0; e < c.count && !from.empty(); ++e) {
        T one = from[from.size() == 1 ? 0 : std::min<std::size_t>(c.input_first + e, from.size() - 1)];
        if constexpr (std::is_same_v<T, double>) {
          const auto place = unit.inputs.place(c.input);
          const auto scaling = plan.scaling_of(unit.first_input[float64] + place.first + c.input_first + e);
          if (scaling.factor != 0) one = (one - scaling.offset) / scaling.factor;
        }
        to[external.element + c.output_first + e] = one;
      }
    });
  }
  for (std::uint32_t i = 0; i < model_->wiring.externals; ++i)
    coupling_.externals()[i] = memory_.outputs.column<double>()[model_->wiring.sources[i]];
}

void GroupInstance::set_debug_logging(bool on, std::span<const std::string> categories) {
  for (auto& m : members_) m.instance->set_debug_logging(on, categories);
}

void GroupInstance::enter_initialization(const fmi::Experiment& experiment) {
  if (experiment.tolerance) rtol_ = *experiment.tolerance;
  memory_.t = experiment.start;
  for (auto& m : members_) m.instance->enter_initialization(experiment);
  mode_ = Mode::initialization;
  give_start_values(true);
  dirty_ = true;
}

// As for a system of units: those with an initialization mode first, then those of FMI 1.0, then again the former,
// which may depend on them.
void GroupInstance::exit_initialization() {
  exchange();
  if (pass_parameters()) exchange();
  if (std::any_of(members_.begin(), members_.end(), [](const Member& m) { return m.is_v1; })) {
    initialize_old_members();
    static_cast<void>(pass_parameters());
    exchange();
  }
  for (MemberId m = 0; m < members_.size(); ++m) {
    if (initialised_[m] != 0) continue;
    members_[m].instance->exit_initialization();
    initialised_[m] = 1;
  }
  mode_ = Mode::event;
  std::fill(in_event_.begin(), in_event_.end(), std::uint8_t{1});
  std::fill(asked_.begin(), asked_.end(), std::uint8_t{1});
  rounds_ = 0;
  lay_out();
}

void GroupInstance::initialize_old_members() {
  for (const auto m : model_->plan.order) {
    if (!members_[m].is_v1) continue;
    gather(m);
    const auto& unit = model_->plan.units[m];
    unit::set_values(*members_[m].instance, unit.inputs, memory_.inputs, unit.first_input);
    members_[m].instance->exit_initialization();
    initialised_[m] = 1;
    unit::get_values(*members_[m].instance, unit.outputs, memory_.outputs, unit.first_output);
  }
}

// True if a value has changed.
bool GroupInstance::pass_parameters() {
  bool changed = false;
  for (const auto& route : model_->plan.parameters) {
    if (initialised_[route.to.unit] != 0 || (members_[route.from.unit].is_v1 && initialised_[route.from.unit] == 0))
      continue;
    const auto elements = [&](const graph::Elements& e) {
      return model_->composite.origins[model_->composite.first_of_member[e.unit] + e.variable].elements;
    };
    auto& from = members_[route.from.unit];
    auto& to = members_[route.to.unit];
    const auto& target = (*to.description)[route.to.variable];
    const Value part =
        graph::taken(route, read_value(*from.instance, (*from.description)[route.from.variable], elements(route.from)),
                     *to.description);
    Value all = read_value(*to.instance, target, elements(route.to));
    with_type(target.type, [&]<class T>() {
      for (std::size_t i = 0; i < part.size(); ++i) {
        auto& there = all.elements<T>()[route.to.first + i];
        const auto& here = part.elements<T>()[i];
        if (there == here) continue;
        there = here;
        changed = true;
      }
    });
    write_value(*to.instance, target, all);
  }
  return changed;
}

void GroupInstance::make_directional() {
  directional_.emplace(*model_, members_, derivatives_, [this](std::uint32_t connector) -> const std::vector<double>& {
    return connector_gradient(connector);
  });
}

void GroupInstance::lay_out() {
  states_ = indicators_ = 0;
  for (auto& m : members_) {
    m.lay_out(states_, indicators_);
    states_ += m.states;
    indicators_ += m.indicators;
  }
  memory_.signs.assign(indicators_, 0);
  indicators_now_.resize(event_indicators());
  jacobian_.emplace(model_->wiring, members_, derivatives_);
  make_directional();
}

void GroupInstance::terminate() {
  for (auto& m : members_) m.instance->terminate();
}

void GroupInstance::reset() {
  for (auto& m : members_) m.instance->reset();
  mode_ = Mode::instantiated;
  std::fill(initialised_.begin(), initialised_.end(), std::uint8_t{0});
  starts_ = model_->composite.starts;
  configure_members();
  give_start_values(false);
}

void GroupInstance::tolerate(const std::function<void()>& reads) {
  std::function<void()> all = reads;
  for (auto& m : members_) all = [&instance = *m.instance, inner = std::move(all)] { instance.tolerate(inner); };
  all();
}

std::string GroupInstance::missing(std::string_view capability) const {
  return fmt::format("the group '{}' cannot do this because one of its units lacks {}", name_, capability);
}

// --- points ----------------------------------------------------------------------------------------------------------

void GroupInstance::set_time(Time t) {
  memory_.t = t;
  for (auto& m : members_) m.instance->set_time(t);
  dirty_ = true;
  ++point_;
}

void GroupInstance::set_states(std::span<const double> x) {
  for (auto& m : members_)
    if (m.states > 0) m.instance->set_states(x.subspan(m.first_state, m.states));
  dirty_ = true;
  ++point_;
}

void GroupInstance::get_states(std::span<double> x) {
  for (auto& m : members_)
    if (m.states > 0) m.instance->get_states(x.subspan(m.first_state, m.states));
}

void GroupInstance::evaluate_coupling() {
  if (!dirty_ || mode_ != Mode::continuous) return;
  coupling_(memory_.t);
  dirty_ = false;
}

void GroupInstance::get_derivatives(std::span<double> dx) {
  evaluate_coupling();
  for (auto& m : members_)
    if (m.states > 0) m.instance->get_derivatives(dx.subspan(m.first_state, m.states));
}

void GroupInstance::get_event_indicators(std::span<double> z) {
  evaluate_coupling();
  for (auto& m : members_)
    if (m.indicators > 0) m.instance->get_event_indicators(z.subspan(m.first_indicator, m.indicators));
  if (coupling_.indicator_count() > 0) coupling_.indicators(memory_.t, z.subspan(indicators_));
}

void GroupInstance::get_nominals(std::span<double> x) {
  for (auto& m : members_)
    if (m.states > 0) m.instance->get_nominals(x.subspan(m.first_state, m.states));
}

fmi::IntegratorStep GroupInstance::completed_integrator_step(bool may_roll_back) {
  evaluate_coupling();
  fmi::IntegratorStep all;
  for (MemberId m = 0; m < members_.size(); ++m) {
    memory_.step_events[m] = 0;
    if (!members_[m].instance->interface().needs_completed_integrator_step) continue;
    const auto step = members_[m].instance->completed_integrator_step(may_roll_back);
    memory_.step_events[m] = step.enter_event_mode ? 1 : 0;
    all.enter_event_mode = all.enter_event_mode || step.enter_event_mode;
    all.terminate = all.terminate || step.terminate;
  }
  return all;
}

// --- values ----------------------------------------------------------------------------------------------------------

void GroupInstance::refresh(MemberId m) {
  if (mode_ == Mode::initialization && dirty_) exchange();
  evaluate_coupling();
  if (mode_ != Mode::continuous || !members_[m].may_lag || evaluated_at_[m] == point_) return;
  members_[m].evaluate(memory_.t);
  evaluated_at_[m] = point_;
}

// A value that a connector shows, as a number.
double GroupInstance::read_source(const SlotName& source, Type type) {
  if (source.member == none) return couple::number_at(memory_.outputs, type, source.element);
  refresh(source.member);
  auto& member = members_[source.member];
  const auto& v = (*member.description)[source.variable];
  const auto elements =
      model_->composite.origins[model_->composite.first_of_member[source.member] + source.variable].elements;
  Columns one;
  return with_type(type, [&]<class T>() {
    one.column<T>().resize(elements);
    member.instance->get<T>(std::span(&v.reference, 1), std::span<T>(one.column<T>()));
    return (v.negated ? -1 : 1) * couple::number_at(one, type, source.element);
  });
}

void GroupInstance::read_operands(std::uint32_t connector, couple::FormulaSlots& slots) {
  const auto& formula = *model_->plan.connectors[connector].formula;
  const auto& sources = model_->composite.connector_sources[connector];
  for (std::size_t k = 0; k < sources.size(); ++k)
    slots[k] =
        formula.operands[k].factor * read_source(sources[k], formula.operands[k].type) + formula.operands[k].offset;
}

double GroupInstance::read_formula(std::uint32_t connector) {
  const auto& formula = *model_->plan.connectors[connector].formula;
  couple::FormulaSlots slots;
  read_operands(connector, slots);
  return formula.factor * formula.program->evaluate(slots, memory_.t) + formula.offset;
}

const std::vector<double>& GroupInstance::connector_gradient(std::uint32_t connector) {
  const auto& formula = *model_->plan.connectors[connector].formula;
  couple::FormulaSlots slots, by_used;
  read_operands(connector, slots);
  const auto used = formula.program->operands();
  double value = 0, by_time = 0;
  formula.program->gradient(slots, memory_.t, value, std::span(by_used).first(used.size()), by_time);
  gradient_.assign(formula.operands.size(), 0.0);
  for (std::size_t k = 0; k < used.size(); ++k)
    gradient_[used[k].slot] += formula.factor * by_used[k] * formula.operands[used[k].slot].factor;
  return gradient_;
}

const Origin& GroupInstance::origin(ValueReference reference) const {
  const auto& origins = model_->composite.origins;
  if (reference >= origins.size())
    throw run_error("the group '{}' has no variable with the value reference {}; use one of its description", name_,
                    reference)
        .in_unit(name_);
  return origins[reference];
}

// Fills the scratch with the references from `i` on that belong to one member, and moves `i` behind them. Returns the
// number of elements.
std::size_t GroupInstance::find_run(std::span<const ValueReference> references, std::size_t& i) {
  const auto member = origin(references[i]).index;
  references_scratch_.clear();
  std::size_t elements = 0;
  for (; i < references.size(); ++i) {
    const auto& next = origin(references[i]);
    if (next.kind != Origin::Kind::member || next.index != member) break;
    references_scratch_.push_back((*members_[member].description)[next.variable].reference);
    elements += next.elements;
  }
  return elements;
}

// Consecutive references of one member are read by one call.
template <class T>
void GroupInstance::read_values(std::span<const ValueReference> references, T* values) {
  const auto& origins = model_->composite.origins;
  const auto read_connector = [&](const Origin& origin) {
    const auto& connector = model_->plan.connectors[origin.index];
    if constexpr (std::is_same_v<T, double>) {
      if (connector.formula) {
        *values = read_formula(origin.index);
        return;
      }
    }
    const auto& source = model_->composite.connector_sources[origin.index].front();
    if (source.member == none) {
      *values = memory_.outputs.column<T>()[source.element];
    } else {
      refresh(source.member);
      const auto& member = members_[source.member];
      const auto& v = (*member.description)[source.variable];
      const auto elements = origins[model_->composite.first_of_member[source.member] + source.variable].elements;
      std::vector<T> all(elements);
      member.instance->get<T>(std::span(&v.reference, 1), std::span<T>(all));
      *values = all[source.element];
      if constexpr (std::is_same_v<T, double>) *values *= v.negated ? -1 : 1;
    }
    if constexpr (std::is_same_v<T, double>) *values = connector.factor * *values + connector.offset;
  };
  for (std::size_t i = 0; i < references.size();) {
    const auto& origin = this->origin(references[i]);
    if (origin.kind == Origin::Kind::external) {
      const auto& e = model_->plan.externals[origin.index];
      std::copy_n(memory_.outputs.column<T>().begin() + e.element, e.count, values);
      values += e.count;
      ++i;
    } else if (origin.kind == Origin::Kind::connector) {
      read_connector(origin);
      ++values;
      ++i;
    } else {
      refresh(origin.index);
      const std::size_t elements = find_run(references, i);
      members_[origin.index].instance->get<T>(references_scratch_, std::span<T>(values, elements));
      values += elements;
    }
  }
}

void GroupInstance::read(Type type, std::span<const ValueReference> references, void* values, std::size_t) {
  with_type(type, [&]<class T>() { read_values(references, static_cast<T*>(values)); });
}

template <class T>
void GroupInstance::write_values(std::span<const ValueReference> references, const T* values) {
  for (std::size_t i = 0; i < references.size();) {
    const auto reference = references[i];
    const auto& origin = this->origin(reference);
    if (mode_ == Mode::continuous && origin.kind == Origin::Kind::member) {
      const std::size_t elements = find_run(references, i);
      members_[origin.index].instance->set<T>(references_scratch_, std::span<const T>(values, elements));
      values += elements;
      dirty_ = true;
      ++point_;
      continue;
    }
    ++i;
    if (origin.kind == Origin::Kind::member) {
      write_member(origin.index, reference, values, origin.elements);
    } else {
      CONSORT_ASSERT(origin.kind == Origin::Kind::external);
      std::copy_n(values, origin.elements,
                  memory_.outputs.column<T>().begin() + model_->plan.externals[origin.index].element);
      dirty_ = true;
    }
    values += origin.elements;
  }
  if constexpr (std::is_same_v<T, double>) {
    for (std::uint32_t i = 0; i < model_->wiring.externals; ++i)
      coupling_.externals()[i] = memory_.outputs.template column<double>()[model_->wiring.sources[i]];
  }
}

// In event mode, a changed value is a cause of its member's event.
template <class T>
void GroupInstance::write_member(MemberId m, ValueReference reference, const T* values, std::size_t count) {
  auto& instance = *members_[m].instance;
  const auto& own = (*members_[m].description)[model_->composite.origins[reference].variable];
  const std::span<const T> given(values, count);
  if (mode_ == Mode::instantiated || mode_ == Mode::initialization)
    remember_start(reference, Value(std::vector<T>(values, values + count)));
  if (mode_ == Mode::event && initialised_[m] != 0) {
    const Value now = read_value(instance, own, count);
    const auto same = [](const T& a, const T& b) {
      if constexpr (std::is_same_v<T, EnumValue> || std::is_base_of_v<Bool, T>)
        return a.value == b.value;
      else
        return a == b;
    };
    if (std::equal(given.begin(), given.end(), now.elements<T>().begin(), same)) return;
    enter(m);
    ask(m);
  }
  instance.set<T>(std::span(&own.reference, 1), given);
  dirty_ = true;
  ++point_;
}

void GroupInstance::write(Type type, std::span<const ValueReference> references, const void* values, std::size_t) {
  with_type(type, [&]<class T>() { write_values(references, static_cast<const T*>(values)); });
}

void GroupInstance::remember_start(ValueReference reference, Value value) {
  const auto known =
      std::find_if(starts_.begin(), starts_.end(), [&](const Composite::Start& s) { return s.variable == reference; });
  if (known != starts_.end()) {
    known->value = std::move(value);
  } else {
    starts_.push_back({reference, std::move(value)});
  }
}

// --- derivatives -----------------------------------------------------------------------------------------------------

fmi::BorderedJacobian* GroupInstance::bordered_jacobian() { return jacobian_ ? this : nullptr; }

void GroupInstance::evaluate(std::span<double> values) {
  evaluate_coupling();
  jacobian_->evaluate(memory_.t, coupling_.gains(memory_.t), values);
}

void GroupInstance::directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                                std::span<const double> seed, std::span<double> sensitivity) {
  for (const auto reference : unknowns) static_cast<void>(origin(reference));
  for (const auto reference : knowns) static_cast<void>(origin(reference));
  if (mode_ == Mode::initialization && dirty_) exchange();
  if (!directional_) make_directional();  // in initialization mode there are no states yet
  evaluate_coupling();
  (*directional_)(memory_.t, coupling_.gains(memory_.t), unknowns, knowns, seed, sensitivity);
}

}  // namespace consort::group
