#include "couple/system_events.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"

namespace consort::couple {

using graph::PlannedEvent;
using graph::UnitId;
using Kind = graph::EventAction::Kind;

namespace {

constexpr double quickly = 1e-4;            // parts of the communication step
constexpr std::uint32_t most_quick = 1000;  // firings in a row
constexpr std::uint32_t most_quicker = 4;

bool has_target(const PlannedEvent::Action& action) { return action.target.unit != graph::no_unit; }

bool same_target(const PlannedEvent::Action& a, const PlannedEvent::Action& b) {
  return has_target(a) && a.target.unit == b.target.unit && a.target.variable == b.target.variable &&
         a.target.first == b.target.first;
}

}  // namespace

// --- before the run -------------------------------------------------------------------------------------------------

SystemEvents::SystemEvents(const graph::Plan& plan, const fleet::Fleet& fleet, Duration step)
    : plan_(&plan), step_(step) {
  std::size_t actions = 0;
  for (const auto& event : plan.events) {
    check(event, fleet);
    for (const auto& action : event.actions) {
      if (action.kind == Kind::stop) stops_.push_back(&action.text);
      if (has_target(action) && !action.is_state) add_target(action);
    }
    actions += event.actions.size();
    const auto relations = event.when.program->relations();
    located_.push_back(std::any_of(relations.begin(), relations.end(), [](const auto& r) { return r.located; }) ? 1
                                                                                                                : 0);
    relations_ += relations.size();
  }
  held_.assign(relations_, 0.0);
  counts_.assign(plan.events.size(), 0);
  assigned_.reserve(actions);
  last_.events.reserve(plan.events.size());
  last_.targets.reserve(actions + targets_.size());
  last_.reinits.reserve(actions);
}

void SystemEvents::check(const PlannedEvent& event, const fleet::Fleet& fleet) const {
  for (auto a = event.actions.begin(); a != event.actions.end(); ++a) {
    if (!has_target(*a)) continue;
    const auto& unit = fleet.traits(a->target.unit);
    const std::string name = name_of(*a);
    require(!std::any_of(event.actions.begin(), a, [&](const Action& b) { return same_target(*a, b); }),
            "the event '{}' assigns to '{}' twice; all of its actions happen at once, so leave one of them", event.name,
            name);
    require_in_unit(unit.name, !a->is_state || unit.takes_states,
                    "the event '{}' sets '{}', a state, but unit '{}' takes new states only as Model Exchange; give "
                    "it 'interface: me', or set an input",
                    event.name, name, unit.name);
    require_in_unit(unit.name, a->kind != Kind::pulse || unit.event_verbs,
                    "the event '{}' gives a pulse to '{}', which lasts for one round of the event iteration, but unit "
                    "'{}' has no event mode and would never see it; use 'set' and 'release', or Model Exchange",
                    event.name, name, unit.name);
  }
}

void SystemEvents::add_target(const Action& action) {
  const auto same = [&](const Target& t) { return t.type == action.type && t.input == action.input; };
  if (std::any_of(targets_.begin(), targets_.end(), same)) return;
  const auto& unit = plan_->units[action.target.unit];
  const auto& choice = unit.inputs.choice();
  const auto place = static_cast<std::uint32_t>(std::lower_bound(choice.begin(), choice.end(), action.target.variable) -
                                                choice.begin());
  const auto element = static_cast<std::uint32_t>(action.target.first);
  const bool driven = std::any_of(plan_->connections.begin(), plan_->connections.end(), [&](const auto& c) {
    return c.to == action.target.unit && c.input == place && element >= c.input_first &&
           element < c.input_first + c.count;
  });
  targets_.push_back({action.target.unit, action.target.variable, element, action.type, action.input, driven, {}});
  targets_.back().to.text = fmt::format("an event that sets '{}'", name_of(action));
}

std::uint32_t SystemEvents::target_of(const Action& action) const {
  const auto found = std::find_if(targets_.begin(), targets_.end(),
                                  [&](const Target& t) { return t.type == action.type && t.input == action.input; });
  return static_cast<std::uint32_t>(found - targets_.begin());
}

void SystemEvents::prepare(RunState& state) {
  if (empty()) return;
  auto& back = state.memory.back;
  known_ = back.reserve<Known>("events of the system", plan_->events.size());
  overrides_ = back.reserve<Override>("targets of events of the system", targets_.size());
  stop_ = back.reserve<std::uint32_t>("events of the system: stop");
}

void SystemEvents::begin(RunState& state) {
  if (empty()) return;
  const auto known = state.memory.back[known_];
  for (std::size_t e = 0; e < known.size(); ++e) {
    known[e] = {};
    known[e].is_true = holds(e, state) ? 1 : 0;
    known[e].fired = -std::numeric_limits<double>::infinity();
  }
  keep_released(state);
}

void SystemEvents::keep_released(RunState& state) const {
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    auto& known = state.memory.back[overrides_][i];
    known = {};
    with_type(targets_[i].type, [&]<class T>() {
      if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof known.released)
        std::memcpy(&known.released, &state.signals.inputs.column<T>()[targets_[i].input], sizeof(T));
    });
  }
}

void SystemEvents::put_released(const Target& target, std::uint64_t bytes, Columns& inputs) const {
  with_type(target.type, [&]<class T>() {
    if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof bytes)
      std::memcpy(static_cast<void*>(&inputs.column<T>()[target.input]), &bytes, sizeof(T));
  });
}

// --- conditions -----------------------------------------------------------------------------------------------------

bool SystemEvents::holds(std::size_t event, const RunState& state) const {
  return evaluate(plan_->events[event].when, state.signals.outputs, state.t) != 0;
}

bool SystemEvents::is_due(const RunState& state) const {
  if (empty()) return false;
  for (const auto& o : state.memory.back[overrides_])
    if (o.pulse != 0) return true;
  const auto known = state.memory.back[known_];
  for (std::size_t e = 0; e < known.size(); ++e)
    if (known[e].is_true == 0 && holds(e, state)) return true;
  return false;
}

bool SystemEvents::became_true(const RunState& state) const {
  const auto known = state.memory.back[known_];
  for (std::size_t e = 0; e < known.size(); ++e)
    if (located_[e] != 0 && known[e].is_true == 0 && holds(e, state)) return true;
  return false;
}

bool SystemEvents::lingers(const RunState& state) const {
  const auto known = state.memory.back[known_];
  for (std::size_t e = 0; e < known.size(); ++e)
    if (known[e].watched != 0 && state.t > known[e].fired + 0.01 * step_ && holds(e, state)) return true;
  return false;
}

bool SystemEvents::has_left(const RunState& state) const {
  const auto known = state.memory.back[known_];
  for (std::size_t e = 0; e < known.size(); ++e)
    if (known[e].watched != 0 && !holds(e, state)) return true;
  return false;
}

void SystemEvents::stop_watching(RunState& state) const {
  for (auto& known : state.memory.back[known_])
    if (state.t > known.fired + 0.01 * step_) known.watched = 0;
}

void SystemEvents::hold(const RunState& state) {
  FormulaSlots slots;
  std::size_t first = 0;
  for (const auto& event : plan_->events) {
    const auto count = event.when.program->relations().size();
    const auto held = std::span(held_).subspan(first, count);
    std::fill(held.begin(), held.end(), 0.0);
    read_operands(event.when, state.signals.outputs, slots);
    static_cast<void>(event.when.program->refresh(slots, state.t, held));
    first += count;
  }
}

void SystemEvents::indicators(const RunState& state, std::span<double> values) const {
  FormulaSlots slots;
  std::size_t first = 0;
  for (const auto& event : plan_->events) {
    const auto count = event.when.program->relations().size();
    read_operands(event.when, state.signals.outputs, slots);
    event.when.program->indicators(slots, state.t, std::span(held_).subspan(first, count),
                                   values.subspan(first, count));
    first += count;
  }
}

void SystemEvents::look(RunState& state) const {
  const auto known = state.memory.back[known_];
  for (std::size_t e = 0; e < known.size(); ++e) {
    if (known[e].is_true == 0 || holds(e, state)) continue;
    known[e].is_true = known[e].watched = 0;
  }
}

// --- a round --------------------------------------------------------------------------------------------------------

bool SystemEvents::fire(RunState& state) {
  last_.clear();
  if (empty()) return false;
  if (std::exchange(now_, state.t) != state.t) std::fill(counts_.begin(), counts_.end(), 0);
  auto overrides = state.memory.back[overrides_];
  for (std::uint32_t i = 0; i < targets_.size(); ++i) {
    if (std::exchange(overrides[i].pulse, std::uint8_t{0}) == 0) continue;
    overrides[i].value = 0;
    last_.targets.push_back(i);
  }
  auto known = state.memory.back[known_];
  for (std::uint32_t e = 0; e < known.size(); ++e) {
    const bool now = holds(e, state);
    const bool before = std::exchange(known[e].is_true, now ? std::uint8_t{1} : std::uint8_t{0}) != 0;
    if (!now) known[e].watched = 0;
    if (!now || before) continue;
    note_firing(e, known[e], state.t);
    known[e].watched = located_[e];
    last_.events.push_back(e);
    ++counts_[e];
  }
  if (last_.events.empty()) return !last_.empty();
  evaluate_right_sides(state);
  require_agreement(state.t);
  assign(state);
  return true;
}

void SystemEvents::note_firing(std::uint32_t event, Known& known, Time t) const {
  const Duration gap = t - known.fired;
  if (!(gap > 0)) return;  // rounds at one time have a limit of their own
  const bool is_quick = gap < quickly * step_;
  known.quick = is_quick ? known.quick + 1 : 0;
  known.quicker = is_quick && gap < known.gap ? known.quicker + 1 : 0;
  known.gap = gap;
  known.fired = t;
  if (known.quick < most_quick && known.quicker < most_quicker) return;
  std::vector<std::string> read;
  for (const auto& operand : plan_->events[event].when.program->operands()) read.push_back("'" + operand.name + "'");
  throw run_error(
      "the event '{}' accumulates at t = {} s: it happens again after {:.3g} s, far below the communication "
      "step of {} s{}; its condition reads {}: let the event change the system so that the condition stays "
      "false for a while (come to rest below a small speed, say), or give the condition a hysteresis",
      name(event), t, gap, step_,
      known.quicker >= most_quicker ? " and after ever shorter times" : fmt::format(", {} times", known.quick),
      fmt::join(read, ", "))
      .at(t);
}

void SystemEvents::evaluate_right_sides(const RunState& state) {
  assigned_.clear();
  for (const auto e : last_.events)
    for (const auto& action : plan_->events[e].actions)
      assigned_.push_back(
          {e, &action, action.value.program ? evaluate(action.value, state.signals.outputs, state.t) : 0.0});
}

void SystemEvents::require_agreement(Time t) const {
  const auto text = [](const Assigned& a) {
    switch (a.action->kind) {
      case Kind::set: return fmt::format("sets it to {}", a.value);
      case Kind::pulse: return fmt::format("gives it a pulse of {}", a.value);
      default: return std::string("releases it");
    }
  };
  for (auto a = assigned_.begin(); a != assigned_.end(); ++a) {
    for (auto b = assigned_.begin(); b != a; ++b) {
      if (!same_target(*a->action, *b->action)) continue;
      if (a->action->kind == b->action->kind && a->value == b->value) continue;
      throw run_error(
          "two events at t = {} s contradict each other about '{}': '{}' {}, and '{}' {}; make one event of "
          "them, or let one condition exclude the other",
          t, name_of(*a->action), name(b->event), text(*b), name(a->event), text(*a))
          .at(t);
    }
  }
}

void SystemEvents::assign(RunState& state) {
  auto overrides = state.memory.back[overrides_];
  for (const auto& [event, action, value] : assigned_) {
    if (action->kind == Kind::stop) {
      auto& stop = state.memory.back.at(stop_);
      const auto text = std::find(stops_.begin(), stops_.end(), &action->text) - stops_.begin();
      if (stop == 0) stop = static_cast<std::uint32_t>(text) + 1;
      continue;
    }
    if (action->is_state) {
      last_.reinits.push_back(
          {action->target.unit, action->target.variable, static_cast<std::uint32_t>(action->target.first), value});
      continue;
    }
    const auto i = target_of(*action);
    auto& o = overrides[i];
    o.on = action->kind != Kind::release ? 1 : 0;
    o.pulse = action->kind == Kind::pulse ? 1 : 0;
    o.value = value;
    if (o.on == 0 && !targets_[i].driven) put_released(targets_[i], o.released, state.signals.inputs);
    last_.targets.push_back(i);
  }
}

const std::string* SystemEvents::stop(const RunState& state) const {
  if (empty()) return nullptr;
  const auto index = state.memory.back.at(stop_);
  return index == 0 ? nullptr : stops_[index - 1];
}

// --- names ----------------------------------------------------------------------------------------------------------

std::string SystemEvents::name_of(const Reinit& reinit) const {
  const auto& unit = plan_->units[reinit.unit];
  const auto& v = (*unit.description)[reinit.variable];
  return unit.name + "." + unit.starts.element_name(*unit.description, v, reinit.element);
}

std::string SystemEvents::name_of(const Action& action) const {
  return name_of(
      Reinit{action.target.unit, action.target.variable, static_cast<std::uint32_t>(action.target.first), 0});
}

std::string SystemEvents::target_name(std::uint32_t target) const {
  const auto& t = targets_[target];
  return name_of(Reinit{t.unit, t.variable, t.element, 0});
}

std::string SystemEvents::deeds(std::uint32_t event) const {
  std::string text;
  for (const auto& a : assigned_) {
    if (a.event != event) continue;
    if (!text.empty()) text += "; ";
    switch (a.action->kind) {
      case Kind::set: text += fmt::format("{} = {}", name_of(*a.action), a.value); break;
      case Kind::pulse: text += fmt::format("{} = {} for one round", name_of(*a.action), a.value); break;
      case Kind::release: text += fmt::format("{} released", name_of(*a.action)); break;
      case Kind::stop: text += "stop"; break;
    }
  }
  return text;
}

std::vector<std::string> SystemEvents::restless() const {
  std::vector<std::string> names;
  const auto most = counts_.empty() ? 0 : *std::max_element(counts_.begin(), counts_.end());
  for (std::uint32_t e = 0; e < counts_.size(); ++e)
    if (counts_[e] > most / 2) names.push_back("'" + name(e) + "'");
  return names;
}

// --- inputs ---------------------------------------------------------------------------------------------------------

void SystemEvents::apply_at_point(RunState& state) const {
  const auto overrides = std::as_const(state.memory.back)[overrides_];
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (overrides[i].on == 0) continue;
    if (targets_[i].type == Type::Float64)
      state.signals.inputs.column<double>()[targets_[i].input] = overrides[i].value;
    else
      put_number(targets_[i].to, overrides[i].value, targets_[i].type, targets_[i].input, state.signals.inputs);
  }
}

void SystemEvents::apply(RunState& state) const {
  apply_at_point(state);
  const auto width = state.signals.inputs.column<double>().size();
  const auto overrides = std::as_const(state.memory.back)[overrides_];
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (overrides[i].on == 0 || targets_[i].type != Type::Float64) continue;
    for (int m = 0; m < state.signals.highest; ++m)
      state.signals.derivatives[static_cast<std::size_t>(m) * width + targets_[i].input] = 0;
  }
}

bool SystemEvents::overrides(std::uint32_t input, const RunState& state) const {
  const auto overrides = state.memory.back[overrides_];
  for (std::size_t i = 0; i < targets_.size(); ++i)
    if (overrides[i].on != 0 && targets_[i].type == Type::Float64 && targets_[i].input == input) return true;
  return false;
}

}  // namespace consort::couple
