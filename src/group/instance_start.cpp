// Start values and initialization of a group.
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "graph/parameter_route.hpp"
#include "group/instance.hpp"
#include "group/member_values.hpp"
#include "unit/fmu_values.hpp"

namespace consort::group {

using describe::Causality;
using describe::SignalSet;

namespace {

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

}  // namespace consort::group
