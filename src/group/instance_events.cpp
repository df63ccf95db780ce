// Events of a group: who has a cause, and the rounds of an event iteration.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "group/instance.hpp"
#include "solve/problem.hpp"
#include "unit/fmu_values.hpp"

namespace consort::group {

namespace {

constexpr std::uint32_t most_rounds = 1000;  // at one time

std::int8_t sign_of(double x) { return x > 0 ? std::int8_t{1} : x < 0 ? std::int8_t{-1} : std::int8_t{0}; }

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, EnumValue> || std::is_base_of_v<Bool, T>)
    return a.value == b.value;
  else
    return a == b;
}

}  // namespace

void GroupInstance::find_held_inputs() {
  held_.resize(members_.size());
  const auto& plan = model_->plan;
  for (const auto& c : plan.connections) {
    const auto& unit = plan.units[c.to];
    const auto& v = (*unit.description)[unit.inputs.choice()[c.input]];
    const bool is_converted = v.type == Type::Float64 && c.from != graph::no_unit && !is_float(source_type(c));
    if (is_continuous_input(v) && !is_converted) continue;
    bool watched = true;
    if (c.from != graph::no_unit) {
      const auto& source = (*plan.units[c.from].description)[plan.units[c.from].outputs.choice()[c.output]];
      watched = source.variability != describe::Variability::continuous || !is_float(source.type);
    }
    const auto place = unit.inputs.place(c.input);
    const auto first = unit.first_input[static_cast<std::size_t>(place.type)] + place.first + c.input_first;
    for (std::uint32_t e = 0; e < c.count; ++e) held_[c.to].push_back({place.type, first + e, watched, c.input});
  }
  for (const auto& event : plan.events)
    for (const auto& action : event.actions)
      if (action.input != graph::no_source) hold_target(action);
}

// A target of the group's own events that no continuous connection leads to.
void GroupInstance::hold_target(const graph::PlannedEvent::Action& action) {
  const auto& targets = own_events_.targets();
  const bool is_slot = std::any_of(targets.begin(), targets.end(), [&](const OwnEvents::Target& t) {
    return t.type == action.type && t.input == action.input && t.slot != none;
  });
  auto& held = held_[action.target.unit];
  const bool is_known = std::any_of(held.begin(), held.end(),
                                    [&](const Held& h) { return h.type == action.type && h.input == action.input; });
  if (is_slot || is_known) return;
  const auto& choice = model_->plan.units[action.target.unit].inputs.choice();
  const auto place = std::find(choice.begin(), choice.end(), action.target.variable) - choice.begin();
  held.push_back({action.type, action.input, true, static_cast<std::uint32_t>(place)});
}

void GroupInstance::gather(MemberId m) {
  gathers_[m](memory_.outputs, memory_.inputs, memory_.t);
  if (!own_events_.empty()) own_events_.apply(m, memory_.inputs);
}

Type GroupInstance::source_type(const graph::ConnectionInfo& c) const {
  const auto& unit = model_->plan.units[c.from];
  return (*unit.description)[unit.outputs.choice()[c.output]].type;
}

// Brings the values that are passed among members up to date. In initialization mode all inputs are set, in event mode
// only the continuous ones: the others are given to a member before it is updated.
void GroupInstance::exchange() {
  const auto& plan = model_->plan;
  const bool initializing = mode_ == Mode::initialization;
  for (MemberId m = 0; m < members_.size(); ++m)
    takes_part_[m] = !initializing || !members_[m].is_v1 || initialised_[m] != 0 ? 1 : 0;
  dirty_ = false;
  coupling_.hold_relations(false);
  if (!initializing) coupling_.some(memory_.t, takes_part_);
  for (const auto m : plan.order) {
    const auto& unit = plan.units[m];
    gather(m);
    if (takes_part_[m] == 0) continue;
    auto& instance = *members_[m].instance;
    if (initializing && initialised_[m] == 0) unit::set_values(instance, unit.inputs, memory_.inputs, unit.first_input);
    if (!initializing) members_[m].evaluate(memory_.t);
    unit::get_values(instance, unit.outputs, memory_.outputs, unit.first_output);
  }
  if (initializing) coupling_.some(memory_.t, takes_part_);
  for (const auto m : plan.order) gather(m);
  ++point_;
}

// --- events of the group's own system --------------------------------------------------------------------------------

// Returns true if something happened. Members are asked for an update if a state of theirs was set; changes of inputs
// are found later.
bool GroupInstance::fire_own_events() {
  if (own_events_.empty()) return false;
  reinits_.clear();
  coupling_.refresh_conditions(memory_.t);
  if (!own_events_(memory_.outputs, memory_.t, reinits_)) return false;
  for (const auto i : own_events_.changed()) {
    const auto& target = own_events_.targets()[i];
    if (target.slot == none) continue;
    const bool is_set = own_events_.state().set[i] != 0;
    coupling_.override_input(target.slot,
                             is_set ? own_events_.state().values[i] : std::numeric_limits<double>::quiet_NaN());
  }
  for (const auto& reinit : reinits_) reinitialise(reinit);
  exchange();
  return true;
}

// States may be set in continuous-time mode only (FMI 2.0, 3.2.2; FMI 3.0, 3.2.1).
void GroupInstance::reinitialise(const OwnEvents::Reinit& reinit) {
  auto& member = members_[reinit.member];
  if (std::exchange(in_event_[reinit.member], std::uint8_t{0}) != 0) member.instance->leave_event_mode();
  const auto& d = *member.description;
  std::size_t at = reinit.element;
  for (const auto& unknown : d.structure.derivatives) {
    if (d[unknown.variable].derivative_of == reinit.variable) break;
    at += member.elements(unknown.variable);
  }
  states_now_.resize(member.states);
  member.instance->get_states(states_now_);
  states_now_[at] = reinit.value;
  member.instance->set_states(states_now_);
  ask(reinit.member);
}

// --- causes ----------------------------------------------------------------------------------------------------------

void GroupInstance::ask(MemberId m) { asked_[m] = 1; }

void GroupInstance::enter(MemberId m) {
  if (in_event_[m] != 0) return;
  members_[m].instance->enter_event_mode();
  in_event_[m] = 1;
}

void GroupInstance::enter_event_mode() {
  std::fill(asked_.begin(), asked_.end(), std::uint8_t{0});
  find_causes();
  std::copy(coupling_.inputs().begin(), coupling_.inputs().end(), given_.begin());
  given_held_ = memory_.inputs;
  mode_ = Mode::event;
  rounds_ = 0;
  own_events_.begin();
  for (MemberId m = 0; m < members_.size(); ++m)
    if (asked_[m] != 0) enter(m);
}

void GroupInstance::find_causes() {
  evaluate_coupling();
  const double slack = 4 * std::numeric_limits<double>::epsilon() * std::abs(memory_.t);
  own_cause_ = false;
  if (event_indicators() > 0) get_event_indicators(indicators_now_);
  for (std::size_t i = indicators_; i < indicators_now_.size(); ++i) {
    const bool is_on = indicators_now_[i] > 0;
    own_cause_ = own_cause_ || is_on != (memory_.relation_signs[i - indicators_] != 0);
  }
  for (MemberId m = 0; m < members_.size(); ++m) {
    if (memory_.next_events[m] <= memory_.t + slack || memory_.step_events[m] != 0) ask(m);
    for (std::size_t i = members_[m].first_indicator; i < members_[m].first_indicator + members_[m].indicators; ++i)
      if (sign_of(indicators_now_[i]) != memory_.signs[i]) ask(m);
    memory_.step_events[m] = 0;
  }
}

void GroupInstance::remember_signs() {
  if (event_indicators() == 0) return;
  get_event_indicators(indicators_now_);
  for (std::size_t i = 0; i < indicators_; ++i) memory_.signs[i] = sign_of(indicators_now_[i]);
  for (std::size_t i = indicators_; i < indicators_now_.size(); ++i)
    memory_.relation_signs[i - indicators_] = indicators_now_[i] > 0 ? 1 : 0;
}

// --- rounds ----------------------------------------------------------------------------------------------------------

bool GroupInstance::held_changed(MemberId m) const {
  return std::any_of(held_[m].begin(), held_[m].end(), [&](const Held& h) {
    return h.watched && with_type(h.type, [&]<class T>() {
             return !same(memory_.inputs.column<T>()[h.input], given_held_.column<T>()[h.input]);
           });
  });
}

// A change below the tolerance is not a jump; the error control of the solver covers it.
bool GroupInstance::has_jump(MemberId m) const {
  const auto u = coupling_.inputs();
  return std::any_of(slots_of_[m].begin(), slots_of_[m].end(), [&](std::uint32_t i) {
    return std::abs(u[i] - given_[i]) > rtol_ * std::max(std::abs(u[i]), std::abs(given_[i]));
  });
}

void GroupInstance::find_changed_inputs() {
  for (MemberId m = 0; m < members_.size(); ++m)
    if (held_changed(m) || has_jump(m)) ask(m);
}

void GroupInstance::remember_given(MemberId m) {
  const auto u = std::as_const(coupling_).inputs();
  for (const auto i : slots_of_[m]) given_[i] = u[i];
  for (const auto& h : held_[m])
    with_type(h.type, [&]<class T>() { given_held_.column<T>()[h.input] = memory_.inputs.column<T>()[h.input]; });
}

void GroupInstance::give_inputs(MemberId m) {
  const auto& unit = model_->plan.units[m];
  if (!held_[m].empty()) unit::set_values(*members_[m].instance, unit.inputs, memory_.inputs, unit.first_input);
  remember_given(m);
}

fmi::DiscreteUpdate GroupInstance::update_discrete_states() {
  const auto nobody = [&] { return std::find(asked_.begin(), asked_.end(), 1) == asked_.end(); };
  if (rounds_ == 0) exchange();
  const bool fired = fire_own_events();
  if (rounds_ == 0) {
    find_changed_inputs();
    if (nobody() && !own_cause_ && !fired) std::fill(asked_.begin(), asked_.end(), std::uint8_t{1});
  } else if (fired) {
    find_changed_inputs();
  } else if (nobody()) {  // an announced event is still due
    for (MemberId m = 0; m < members_.size(); ++m)
      if (memory_.next_events[m] <= memory_.t) ask(m);
  }
  if (++rounds_ > most_rounds) throw unsettled();
  for (MemberId m = 0; m < members_.size(); ++m) {
    if (asked_[m] == 0) continue;
    enter(m);
    give_inputs(m);
  }
  fmi::DiscreteUpdate all;
  for (MemberId m = 0; m < members_.size(); ++m) {
    if (std::exchange(asked_[m], std::uint8_t{0}) == 0) continue;
    const auto one = members_[m].instance->update_discrete_states();
    all.terminate = all.terminate || one.terminate;
    all.nominals_changed = all.nominals_changed || one.nominals_changed;
    all.states_changed = all.states_changed || one.states_changed;
    memory_.next_events[m] = one.next_event.value_or(solve::never);
    if (one.repeat) ask(m);
  }
  exchange();
  find_changed_inputs();
  all.terminate = all.terminate || (fired && own_events_.stop() != nullptr);
  all.states_changed = all.states_changed || !reinits_.empty();
  all.repeat = !all.terminate && (!nobody() || own_events_.is_due(memory_.outputs, memory_.t));
  const Time next = *std::min_element(memory_.next_events.begin(), memory_.next_events.end());
  if (next < solve::never) all.next_event = next;
  return all;
}

void GroupInstance::leave_event_mode() {
  for (MemberId m = 0; m < members_.size(); ++m)
    if (std::exchange(in_event_[m], std::uint8_t{0}) != 0) members_[m].instance->leave_event_mode();
  mode_ = Mode::continuous;
  dirty_ = true;
  coupling_.hold_relations(true);
  remember_signs();
}

Error GroupInstance::unsettled() const {
  std::vector<std::string> who;
  const auto u = coupling_.inputs();
  for (MemberId m = 0; m < members_.size(); ++m) {
    if (asked_[m] == 0) continue;
    std::vector<std::string> changed;
    for (const auto i : slots_of_[m])
      if (u[i] != given_[i]) changed.push_back(model_->wiring.name_of(model_->plan, model_->wiring.inputs[i]));
    const auto& unit = model_->plan.units[m];
    for (const auto& h : held_[m])
      with_type(h.type, [&]<class T>() {
        if (!same(memory_.inputs.column<T>()[h.input], given_held_.column<T>()[h.input]))
          changed.push_back(fmt::format("{}.{}", unit.name, (*unit.description)[unit.inputs.choice()[h.place]].name));
      });
    who.push_back(changed.empty() ? fmt::format("'{}' asks for another update", unit.name)
                                  : fmt::format("'{}' gets new values of {}", unit.name, fmt::join(changed, ", ")));
  }
  if (const auto events = own_events_.restless(); !events.empty())
    who.push_back(
        fmt::format("'{}' happen{} again and again", fmt::join(events, "', '"), events.size() == 1 ? "s" : ""));
  return run_error(
             "the events of the group '{}' do not settle at t = {} s after {} rounds: {}; check the conditions of "
             "these "
             "units against each other",
             name_, memory_.t, most_rounds, fmt::join(who, "; "))
      .in_unit(name_)
      .at(memory_.t);
}

}  // namespace consort::group
