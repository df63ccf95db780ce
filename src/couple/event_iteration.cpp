#include "couple/event_iteration.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace consort::couple {

using graph::UnitId;
using unit::Why;

// --- before the run -------------------------------------------------------------------------------------------------

EventIteration::EventIteration(const graph::Plan& plan, const fleet::Fleet& fleet, Point& point, SystemEvents* system,
                               double jump)
    : plan_(plan),
      point_(point),
      system_(system != nullptr && system->empty() ? nullptr : system),
      jump_(jump),
      cause_(fleet.size(), EventListener::Cause::state),
      is_able_(fleet.size(), 0),
      asking_(fleet.size()),
      inside_(fleet.size()),
      some_(fleet.size()),
      ended_(fleet.size()) {
  for (UnitId u = 0; u < fleet.size(); ++u) {
    if (!fleet.traits(u).event_verbs) continue;
    able_.push_back(u);
    is_able_[u] = 1;
    watch(u, fleet.traits(u).inner_events);
  }
  given_.resize(continuous_.size());
  watch_outputs();
}

void EventIteration::watch_outputs() {
  for (const auto& c : plan_.connections) {
    if (c.from == graph::no_unit || is_able_[c.from] != 0) continue;
    const auto& unit = plan_.units[c.from];
    if ((*unit.description)[unit.outputs.choice()[c.output]].variability != describe::Variability::discrete) continue;
    const auto place = unit.outputs.place(c.output);
    const auto first = unit.first_output[static_cast<std::size_t>(place.type)] + place.first;
    with_type(place.type, [&]<class T>() {
      auto& column = last_.column<T>();
      for (std::uint32_t e = c.output_first; e < c.output_first + c.count; ++e) {
        const auto known = [&](const Silent& s) { return s.type == place.type && s.output == first + e; };
        if (std::any_of(silent_.begin(), silent_.end(), known)) continue;
        silent_.push_back({c.from, c.output, place.type, first + e, static_cast<std::uint32_t>(column.size())});
        column.emplace_back();
      }
    });
  }
}

void EventIteration::look_for_silent_changes(const RunState& state) {
  for (std::size_t i = 0; i < silent_.size(); ++i) {
    const auto& s = silent_[i];
    with_type(s.type, [&]<class T>() {
      T& was = last_.column<T>()[s.kept];
      const T& is = state.signals.outputs.column<T>()[s.output];
      if (knows_last_ && !(was == is)) sightings_.add(i, state.t);
      was = is;
    });
  }
  knows_last_ = true;
}

std::string EventIteration::silent_changes() const {
  if (sightings_.count == 0) return {};
  const auto name = [&](std::uint64_t i) {
    const auto& unit = plan_.units[silent_[i].unit];
    return "'" + unit.name + "." + std::string((*unit.description)[unit.outputs.choice()[silent_[i].place]].name) + "'";
  };
  return fmt::format(
      "discrete outputs of units without event mode changed inside of steps, seen at their ends ({}): the time of the "
      "change is known to a communication step only",
      text_of(sightings_, name));
}

void EventIteration::watch(UnitId u, bool finds_events) {
  const auto& unit = plan_.units[u];
  for (std::uint32_t i = 0; i < unit.inputs.choice().size(); ++i) {
    const auto& v = (*unit.description)[unit.inputs.choice()[i]];
    const auto place = unit.inputs.place(i);
    const auto first = unit.first_input[static_cast<std::size_t>(place.type)] + place.first;
    if (v.variability == describe::Variability::continuous) {
      if (finds_events && place.type == Type::Float64)
        for (std::uint32_t e = 0; e < place.count; ++e) continuous_.push_back({u, first + e});
      continue;
    }
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
  try {
    return settle_all(fleet, state, causes);
  } catch (const ConversionFailed& failure) {
    throw failure.with_text(fmt::format("in the events at t = {} s: {}", state.t, failure.what())).at(state.t);
  }
}

unit::StepOutcome EventIteration::settle_all(fleet::Fleet& fleet, RunState& state, std::span<const UnitId> causes) {
  for (auto* const list : {&asking_, &inside_, &ended_}) list->clear();
  looks_for_jumps_ = false;
  find_causes(state, causes);
  propagate(state);
  remember_continuous(state.signals.inputs);
  looks_for_jumps_ = true;
  bool fired = fire(fleet, state);
  const bool happened = fired || !asking_.empty();
  while (fired || !asking_.empty() || is_due(state)) {
    settle(fleet, state);
    point_.end_events(state);
    if (!ended_.empty()) {
      if (listener_ != nullptr) listener_->settled(state);
      return {state.t, Why::terminate};
    }
    propagate(state);
    fired = fire(fleet, state);
  }
  if (happened && listener_ != nullptr) listener_->settled(state);
  if (system_ == nullptr || system_->stop(state) == nullptr) return {state.t, Why::completed};
  if (!state.stop.asked) state.stop = {true, graph::no_unit, state.t};
  return {state.t, Why::terminate};
}

void EventIteration::ask(UnitId u, EventListener::Cause cause) {
  if (asking_.has(u)) return;
  cause_[u] = cause;
  asking_.add(u);
}

void EventIteration::find_causes(const RunState& state, std::span<const UnitId> causes) {
  for (const auto u : able_)
    if (state.signals.next_event[u] <= state.t)
      cause_[u] = EventListener::Cause::time;
    else
      cause_[u] = EventListener::Cause::state;
  for (const auto u : causes)
    if (is_able_[u] != 0) asking_.add(u);
  for (const auto u : able_)
    if (state.signals.next_event[u] <= state.t) asking_.add(u);
}

void EventIteration::propagate(RunState& state) {
  keep(state.signals.inputs);
  point_.give_all(state);
  for (const auto& w : watched_)
    if (is_changed(w, state.signals.inputs)) ask(w.unit, EventListener::Cause::input);
  if (!looks_for_jumps_) return;
  for (std::size_t i = 0; i < continuous_.size(); ++i)
    if (jumps(i, state.signals.inputs)) ask(continuous_[i].unit, EventListener::Cause::input);
}

bool EventIteration::fire(fleet::Fleet& fleet, RunState& state) {
  if (system_ == nullptr || !system_->fire(state)) return false;
  const auto& last = system_->last();
  if (listener_ != nullptr) listener_->fired(*system_, state);
  for (const auto& reinit : last.reinits) reinitialise(fleet, reinit);
  for (const auto target : last.targets)
    if (const auto u = system_->unit_of(target); is_able_[u] != 0) ask(u, EventListener::Cause::system);
  propagate(state);
  return true;
}

void EventIteration::reinitialise(fleet::Fleet& fleet, const SystemEvents::Reinit& reinit) {
  const auto& unit = plan_.units[reinit.unit];
  const auto set = unit.starts.signals(*unit.description, std::span(&reinit.variable, 1));
  Columns columns = set.make_columns();
  const auto place = set.place(0);
  if (place.count > 1) fleet.get(reinit.unit, set, columns);
  graph::Formula to;  // for messages
  to.text = "an event that sets '" + system_->name_of(reinit) + "'";
  put_number(to, reinit.value, place.type, place.first + reinit.element, columns);
  fleet.set(reinit.unit, set, columns);
  ask(reinit.unit, EventListener::Cause::system);
}

void EventIteration::settle(fleet::Fleet& fleet, RunState& state) {
  do {
    if (state.n >= most_rounds) throw unsettled(state);
    ++state.n;
    enter(fleet, state);
    update(fleet, state);
    if (!ended_.empty()) break;
    propagate(state);
    fire(fleet, state);
  } while (!asking_.empty() || is_due(state));
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
    if (listener_ != nullptr) listener_->enters(u, cause_[u], state);
  }
  if (some_.empty()) return;
  fleet.enter_event_mode(some_.all());
  point_.tick(state);
}

void EventIteration::update(fleet::Fleet& fleet, RunState& state) {
  const unit::StepRequest now{.t = state.t};
  for (const auto u : asking_.all()) fleet.submit(fleet.wave_of(u), fleet::Verb::update, now, state.signals);
  const auto& inputs = state.signals.inputs.column<double>();
  for (std::size_t i = 0; i < continuous_.size(); ++i)
    if (asking_.has(continuous_[i].unit)) given_[i] = inputs[continuous_[i].input];
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

void EventIteration::remember_continuous(const Columns& inputs) {
  const auto& column = inputs.column<double>();
  for (std::size_t i = 0; i < continuous_.size(); ++i) given_[i] = column[continuous_[i].input];
}

bool EventIteration::jumps(std::size_t i, const Columns& inputs) const {
  const double is = inputs.column<double>()[continuous_[i].input];
  return std::abs(is - given_[i]) > jump_ * std::max(std::abs(is), std::abs(given_[i]));
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
  for (std::size_t i = 0; i < continuous_.size(); ++i) {
    if (!jumps(i, state.signals.inputs)) continue;
    const auto& unit = plan_.units[continuous_[i].unit];
    for (std::uint32_t p = 0; p < unit.inputs.choice().size(); ++p) {
      const auto place = unit.inputs.place(p);
      const auto first = unit.first_input[float64] + place.first;
      if (place.type == Type::Float64 && continuous_[i].input >= first && continuous_[i].input < first + place.count)
        variables.push_back("'" + unit.name + "." + std::string((*unit.description)[unit.inputs.choice()[p]].name) +
                            "'");
    }
  }
  std::vector<std::string> events;
  if (system_ != nullptr) events = system_->restless();
  std::vector<std::string> still;
  if (!events.empty())
    still.push_back(fmt::format("the event{} {} of the system {} again", events.size() == 1 ? "" : "s",
                                fmt::join(events, ", "), events.size() == 1 ? "happens" : "happen"));
  if (!units.empty())
    still.push_back(
        fmt::format("{} still {} to be updated", fmt::join(units, ", "), units.size() == 1 ? "has" : "have"));
  if (!variables.empty()) still.push_back(fmt::format("{} still change", fmt::join(variables, ", ")));
  auto error = run_error(
      "events at t = {} s do not settle: after {} rounds, {}; look for conditions that undo each other, or break the "
      "loop with a unit that has a delay",
      state.t, most_rounds, fmt::join(still, ", and "));
  if (!asking_.empty()) error = std::move(error).in_unit(plan_.units[asking_.all().front()].name);
  return std::move(error).at(state.t);
}

}  // namespace consort::couple
