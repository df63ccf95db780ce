#include "couple/event_iteration.hpp"

#include <cmath>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace consort::couple {

using graph::UnitId;
using unit::Why;

// --- before the run -------------------------------------------------------------------------------------------------

EventIteration::EventIteration(const graph::Plan& plan, const fleet::Fleet& fleet, Point& point)
    : plan_(plan),
      point_(point),
      is_able_(fleet.size(), 0),
      asking_(fleet.size()),
      inside_(fleet.size()),
      some_(fleet.size()),
      ended_(fleet.size()) {
  for (UnitId u = 0; u < fleet.size(); ++u) {
    if (!fleet.traits(u).event_verbs) continue;
    able_.push_back(u);
    is_able_[u] = 1;
    watch(u);
  }
}

void EventIteration::watch(UnitId u) {
  const auto& unit = plan_.units[u];
  for (std::uint32_t i = 0; i < unit.inputs.choice().size(); ++i) {
    const auto& v = (*unit.description)[unit.inputs.choice()[i]];
    if (v.variability == describe::Variability::continuous) continue;
    const auto place = unit.inputs.place(i);
    const auto first = unit.first_input[static_cast<std::size_t>(place.type)] + place.first;
    with_type(place.type, [&]<class T>() {
      auto& column = kept_.column<T>();
      for (std::uint32_t e = 0; e < place.count; ++e) {
        watched_.push_back({u, i, e, place.type, first + e, static_cast<std::uint32_t>(column.size())});
        column.emplace_back();
      }
    });
  }
}

// --- one time -------------------------------------------------------------------------------------------------------

unit::StepOutcome EventIteration::run(fleet::Fleet& fleet, RunState& state, std::span<const UnitId> causes) {
  for (auto* const list : {&asking_, &inside_, &ended_}) list->clear();
  find_causes(state, causes);
  propagate(state);
  while (!asking_.empty()) {
    settle(fleet, state);
    point_.end_events(state);
    if (!ended_.empty()) return {state.t, Why::terminate};
    propagate(state);
  }
  return {state.t, Why::completed};
}

void EventIteration::find_causes(const RunState& state, std::span<const UnitId> causes) {
  for (const auto u : causes)
    if (is_able_[u] != 0) asking_.add(u);
  for (const auto u : able_)
    if (state.signals.next_event[u] <= state.t) asking_.add(u);
}

void EventIteration::propagate(RunState& state) {
  keep(state.signals.inputs);
  point_.give_all(state);
  for (const auto& w : watched_)
    if (is_changed(w, state.signals.inputs)) asking_.add(w.unit);
}

void EventIteration::settle(fleet::Fleet& fleet, RunState& state) {
  while (!asking_.empty()) {
    if (state.n >= most_rounds) throw unsettled(state);
    ++state.n;
    enter(fleet, state);
    update(fleet, state);
    if (!ended_.empty()) break;
    propagate(state);
  }
  leave(fleet, state);
}

void EventIteration::enter(fleet::Fleet& fleet, RunState& state) {
  some_.clear();
  for (const auto u : asking_.all()) {
    if (inside_.has(u)) continue;
    some_.add(u);
    inside_.add(u);
    fleet.count_event(u);
    ++state.events;
  }
  if (some_.empty()) return;
  fleet.enter_event_mode(some_.all());
  point_.tick(state);
}

void EventIteration::update(fleet::Fleet& fleet, RunState& state) {
  const unit::StepRequest now{.t = state.t};
  for (const auto u : asking_.all()) fleet.submit(fleet.wave_of(u), fleet::Verb::update, now, state.signals);
  asking_.clear();
  if (fleet.wait()) return;
  for (const auto u : fleet.told()) {
    const auto& reply = fleet.reply(u);
    if (reply.repeat) asking_.add(u);
    if (reply.outcome.why != Why::terminate) continue;
    ended_.add(u);
    if (!state.stop.asked) state.stop = {true, u, state.t};
  }
}

void EventIteration::leave(fleet::Fleet& fleet, RunState& state) {
  some_.clear();
  for (const auto u : inside_.all())
    if (!ended_.has(u)) some_.add(u);
  if (!some_.empty()) fleet.leave_event_mode(some_.all());
  // Some units provide derivatives of outputs only outside event mode.
  const unit::StepRequest now{.t = state.t};
  for (const auto u : some_.all()) fleet.submit(fleet.wave_of(u), fleet::Verb::read, now, state.signals);
  fleet.wait();
  inside_.clear();
  asking_.clear();
}

// --- discrete inputs ------------------------------------------------------------------------------------------------

void EventIteration::keep(const Columns& inputs) {
  for (const auto& w : watched_)
    with_type(w.type, [&]<class T>() { kept_.column<T>()[w.kept] = inputs.column<T>()[w.input]; });
}

bool EventIteration::is_changed(const Watched& w, const Columns& inputs) const {
  return with_type(w.type, [&]<class T>() {
    const T& was = kept_.column<T>()[w.kept];
    const T& is = inputs.column<T>()[w.input];
    // A value that stays NaN has not changed.
    if constexpr (std::is_floating_point_v<T>) return !(was == is || (std::isnan(was) && std::isnan(is)));
    return !(was == is);
  });
}

Error EventIteration::unsettled(const RunState& state) const {
  std::vector<std::string> units;
  std::vector<std::string> variables;
  for (const auto u : asking_.all()) units.push_back("'" + plan_.units[u].name + "'");
  for (const auto& w : watched_) {
    if (!is_changed(w, state.signals.inputs)) continue;
    const auto& unit = plan_.units[w.unit];
    const auto& v = (*unit.description)[unit.inputs.choice()[w.place]];
    variables.push_back("'" + unit.name + "." + unit.starts.element_name(*unit.description, v, w.element) + "'");
  }
  return run_error(
             "events at t = {} s do not settle: after {} rounds, {} still {} to be updated{}; look for conditions that "
             "undo each other, or break the loop with a unit that has a delay",
             state.t, most_rounds, fmt::join(units, ", "), units.size() == 1 ? "has" : "have",
             variables.empty() ? std::string() : fmt::format(", and {} still change", fmt::join(variables, ", ")))
      .in_unit(plan_.units[asking_.all().front()].name)
      .at(state.t);
}

}  // namespace consort::couple
