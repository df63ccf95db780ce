#include "engine/scenario.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "describe/start_values.hpp"

namespace consort::engine {

using Kind = graph::ScenarioAction::Kind;

std::vector<std::string> Scenario::targets(const std::vector<graph::ScenarioAction>& actions) {
  std::vector<std::string> paths;
  for (const auto& a : actions)
    if (std::find(paths.begin(), paths.end(), a.target) == paths.end()) paths.push_back(a.target);
  return paths;
}

Scenario::Scenario(const graph::Plan& plan, const std::vector<graph::ScenarioAction>& actions, Duration near)
    : near_(near) {
  if (actions.empty()) return;
  const auto paths = targets(actions);
  const couple::Gather::Owners owners(plan);
  const auto all = [](graph::UnitId, graph::UnitId) { return true; };
  for (const auto& path : paths) {
    const auto [u, variable] = plan.require_variable(path);
    const auto& unit = plan.units[u];
    const auto& choice = unit.inputs.choice();
    const auto index =
        static_cast<std::size_t>(std::lower_bound(choice.begin(), choice.end(), variable) - choice.begin());
    const auto place = unit.inputs.place(index);
    Target target;
    target.unit = u;
    target.type = place.type;
    target.first = unit.first_input[static_cast<std::size_t>(place.type)] + place.first;
    target.count = place.count;
    target.driven = std::any_of(plan.connections.begin(), plan.connections.end(),
                                [&, unit_id = u](const auto& c) { return c.to == unit_id && c.input == index; });
    const auto& v = (*unit.description)[variable];
    target.moves = v.causality == describe::Causality::input && v.variability == describe::Variability::continuous;
    target.routes = couple::Gather(plan, owners, std::span(&target.unit, 1), all);
    targets_.push_back(std::move(target));
  }
  std::array<std::uint32_t, type_count> places{};
  for (auto& target : targets_) {
    auto& place = places[static_cast<std::size_t>(target.type)];
    target.released = place;
    target.kept = place + target.count;
    place += 2 * target.count;
    target.ramp = ramp_elements_;
    if (target.type == Type::Float64) ramp_elements_ += target.count;
  }
  for (const auto& a : actions) {
    const auto index = static_cast<std::size_t>(std::find(paths.begin(), paths.end(), a.target) - paths.begin());
    const auto& target = targets_[index];
    const auto& unit = plan.units[target.unit];
    const auto variable = plan.require_variable(a.target).second;
    Action action{a.kind, a.at, a.duration, static_cast<std::uint32_t>(index), {}};
    require(std::isfinite(a.at) && a.duration >= 0,
            "the scenario's action on '{}' needs a finite time and a duration >= 0", a.target);
    require(a.kind != Kind::ramp || target.type == Type::Float64, "'{}' is of type {}; only Float64 can move in a ramp",
            a.target, name_of(target.type));
    if (a.kind == Kind::set || a.kind == Kind::ramp) {
      action.value = describe::read_start_value(*unit.description, (*unit.description)[variable], a.value);
      require(action.value.size() == 1 || action.value.size() == target.count,
              "'{}' has {} elements, but the scenario gives {}", a.target, target.count, action.value.size());
    }
    actions_.push_back(std::move(action));
  }
  std::stable_sort(actions_.begin(), actions_.end(), [](const Action& a, const Action& b) { return a.at < b.at; });
}

void Scenario::prepare(couple::RunState& state) {
  if (empty()) return;
  next_ = state.memory.stays.reserve<std::uint64_t>("scenario: action ahead");
  active_ = state.memory.stays.reserve<Active>("scenario: targets", targets_.size());
  from_ = state.memory.stays.reserve<double>("scenario: beginnings of ramps", ramp_elements_);
  to_ = state.memory.stays.reserve<double>("scenario: ends of ramps", ramp_elements_);
  for (const auto& target : targets_)
    with_type(target.type, [&]<class T>() { state.kept.column<T>().resize(target.kept + target.count); });
}

Time Scenario::next_event(const couple::RunState& state) const {
  Time first = fleet::never;
  if (empty()) return first;
  const Time t = state.t + near_;
  const auto offer = [&](Time at) {
    if (at > t) first = std::min(first, at);
  };
  for (std::size_t i = state.memory.stays.at(next_); i < actions_.size(); ++i) {
    offer(actions_[i].at);
    if (actions_[i].at > t) break;
  }
  for (const auto& a : state.memory.stays[active_])
    if (a.on != 0 && a.ramp != 0) offer(a.since + a.duration);
  return first;
}

double Scenario::ramp_at(const Target& target, const Active& active, Time t, std::size_t element,
                         const couple::RunState& state) const {
  const double from = state.memory.stays[from_][target.ramp + element];
  const double to = state.memory.stays[to_][target.ramp + element];
  return from + (to - from) * std::clamp((t - active.since) / active.duration, 0.0, 1.0);
}

// Stores the present inputs for put().
void Scenario::keep(const Target& target, std::uint32_t place, couple::RunState& state) {
  with_type(target.type, [&]<class T>() {
    const auto& column = state.signals.inputs.column<T>();
    std::copy_n(column.begin() + target.first, target.count, state.kept.column<T>().begin() + place);
  });
}

void Scenario::put(const Target& target, std::uint32_t place, couple::RunState& state) {
  with_type(target.type, [&]<class T>() {
    std::copy_n(state.kept.column<T>().begin() + place, target.count,
                state.signals.inputs.column<T>().begin() + target.first);
  });
}

void Scenario::begin(const Action& action, couple::RunState& state) const {
  const auto& target = targets_[action.target];
  auto& active = state.memory.stays[active_][action.target];
  const auto from = state.memory.stays[from_].subspan(target.ramp, target.type == Type::Float64 ? target.count : 0);
  const auto to = state.memory.stays[to_].subspan(target.ramp, from.size());
  // Route first, because the inputs may still be those of the last step.
  if (active.on == 0) {
    if (target.driven) target.routes(state.signals.outputs, state.signals.inputs, state.t);
    keep(target, target.released, state);
  }
  if (action.kind == Kind::release) {
    active = {};
    if (!target.driven) put(target, target.released, state);
    return;
  }
  // The present value: that of a ramp, or of the input.
  const bool was_ramp = active.on != 0 && active.ramp != 0;
  for (std::size_t e = 0; e < from.size(); ++e) {
    const double now =
        was_ramp ? ramp_at(target, active, state.t, e, state) : state.signals.inputs.column<double>()[target.first + e];
    if (action.kind == Kind::hold) state.kept.column<double>()[target.kept + e] = now;
    from[e] = now;
  }
  if (action.kind == Kind::hold && target.type != Type::Float64) keep(target, target.kept, state);
  active = {.on = 1,
            .ramp = action.kind == Kind::ramp && action.duration > 0 ? std::uint8_t{1} : std::uint8_t{0},
            .since = action.at,
            .duration = action.duration};
  if (action.kind == Kind::hold) return;
  with_type(target.type, [&]<class T>() {
    const auto& goal = action.value.elements<T>();
    auto& kept = state.kept.column<T>();
    for (std::uint32_t e = 0; e < target.count; ++e) kept[target.kept + e] = goal[goal.size() == 1 ? 0 : e];
  });
  for (std::size_t e = 0; e < to.size(); ++e) to[e] = state.kept.column<double>()[target.kept + e];
}

bool Scenario::begin_due(couple::RunState& state) {
  if (empty()) return false;
  auto& next = state.memory.stays.at(next_);
  const auto before = next;
  for (; next < actions_.size() && actions_[next].at <= state.t + near_; ++next) begin(actions_[next], state);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    auto& a = state.memory.stays[active_][i];
    if (a.on == 0 || a.ramp == 0 || state.t < a.since + a.duration - near_) continue;
    a.ramp = 0;
    for (std::uint32_t e = 0; e < targets_[i].count; ++e)
      state.kept.column<double>()[targets_[i].kept + e] = state.memory.stays[to_][targets_[i].ramp + e];
  }
  return next != before;
}

void Scenario::begin_step(const couple::Interval& interval, couple::RunState& state) {
  step_begin_ = interval.t;
  step_end_ = interval.end;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const auto& a = state.memory.stays[active_][i];
    if (a.on == 0 || a.ramp == 0) continue;
    // If inputs are held: the mean over the step.
    for (std::uint32_t e = 0; e < targets_[i].count; ++e)
      state.kept.column<double>()[targets_[i].kept + e] =
          0.5 * (ramp_at(targets_[i], a, step_begin_, e, state) + ramp_at(targets_[i], a, step_end_, e, state));
  }
}

void Scenario::apply(couple::RunState& state) const {
  const auto width = state.signals.inputs.column<double>().size();
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const auto& active = state.memory.stays[active_][i];
    if (active.on == 0) continue;
    const auto& target = targets_[i];
    put(target, target.kept, state);
    if (target.type != Type::Float64) continue;
    for (int m = 0; m < state.signals.highest; ++m)
      for (std::uint32_t e = 0; e < target.count; ++e)
        state.signals.derivatives[static_cast<std::size_t>(m) * width + target.first + e] = 0;
    if (active.ramp != 0 && target.moves && state.signals.highest > 0) put_ramp(target, active, state);
  }
}

// As a straight line.
void Scenario::put_ramp(const Target& target, const Active& active, couple::RunState& state) const {
  for (std::uint32_t e = 0; e < target.count; ++e) {
    const double from = ramp_at(target, active, step_begin_, e, state);
    state.signals.inputs.column<double>()[target.first + e] = from;
    state.signals.derivatives[target.first + e] =
        (ramp_at(target, active, step_end_, e, state) - from) / (step_end_ - step_begin_);
  }
}

void Scenario::apply_at_point(couple::RunState& state) const {
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const auto& active = state.memory.stays[active_][i];
    if (active.on == 0) continue;
    const auto& target = targets_[i];
    put(target, target.kept, state);
    if (active.ramp == 0) continue;
    auto& column = state.signals.inputs.column<double>();
    for (std::uint32_t e = 0; e < target.count; ++e)
      column[target.first + e] = ramp_at(target, active, state.t, e, state);
  }
}

bool Scenario::overrides(std::uint32_t input, const couple::RunState& state) const {
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const auto& target = targets_[i];
    if (state.memory.stays[active_][i].on != 0 && target.type == Type::Float64 && input >= target.first &&
        input < target.first + target.count)
      return true;
  }
  return false;
}

}  // namespace consort::engine
