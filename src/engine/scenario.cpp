#include "engine/scenario.hpp"

#include <algorithm>
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

Scenario::Scenario(const graph::Plan& plan, const std::vector<graph::ScenarioAction>& actions) {
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
  active_.resize(targets_.size());
  for (const auto& a : actions) {
    const auto index = static_cast<std::size_t>(std::find(paths.begin(), paths.end(), a.target) - paths.begin());
    const auto& target = targets_[index];
    const auto& unit = plan.units[target.unit];
    const auto variable = plan.require_variable(a.target).second;
    Action action{a.kind, a.at, a.duration, static_cast<std::uint32_t>(index), {}};
    require(std::isfinite(a.at) && a.duration >= 0,
            "the scenario's action on '{}' needs a time, and no negative duration", a.target);
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

std::optional<Time> Scenario::next_after(Time t) const {
  std::optional<Time> first;
  const auto offer = [&](Time at) {
    if (at > t && (!first || at < *first)) first = at;
  };
  for (std::size_t i = next_; i < actions_.size(); ++i) {
    offer(actions_[i].at);
    if (actions_[i].at > t) break;
  }
  for (const auto& a : active_)
    if (a.on && a.ramp) offer(a.since + a.duration);
  return first;
}

namespace {

Value current(Type type, std::uint32_t first, std::uint32_t count, const Columns& inputs) {
  Value value;
  with_type(type, [&]<class T>() {
    const auto& column = inputs.column<T>();
    value = Value(std::vector<T>(column.begin() + first, column.begin() + first + count));
  });
  return value;
}

}  // namespace

double Scenario::Active::at(Time t, std::size_t element) const {
  return from[element] + (to[element] - from[element]) * std::clamp((t - since) / duration, 0.0, 1.0);
}

void Scenario::begin(const Action& action, Time t, couple::RunState& state) {
  auto& target = targets_[action.target];
  auto& active = active_[action.target];
  // As the others see it now, not as it was for the last step.
  if (!active.on && target.driven) target.routes(state.signals.outputs, state.signals.inputs);
  Value now = current(target.type, target.first, target.count, state.signals.inputs);
  if (!active.on) target.released = now;
  if (active.on && active.ramp)
    for (std::size_t e = 0; e < active.from.size(); ++e) now.elements<double>()[e] = active.at(t, e);
  if (action.kind == Kind::release) {
    active = {};
    if (!target.driven) put(target, target.released, state);
    return;
  }
  active.on = true;
  active.ramp = action.kind == Kind::ramp && action.duration > 0;
  active.value = action.kind == Kind::hold ? now : action.value;
  if (!active.ramp) return;
  const auto& goal = action.value.elements<double>();
  active.from = now.elements<double>();
  active.to.resize(target.count);
  for (std::size_t e = 0; e < active.to.size(); ++e) active.to[e] = goal[goal.size() == 1 ? 0 : e];
  active.value = now;
  active.since = action.at;
  active.duration = action.duration;
}

bool Scenario::begin_due(Time t, Duration near, couple::RunState& state) {
  const std::size_t before = next_;
  for (; next_ < actions_.size() && actions_[next_].at <= t + near; ++next_) begin(actions_[next_], t, state);
  for (auto& a : active_) {
    if (!a.on || !a.ramp || t < a.since + a.duration - near) continue;
    a.ramp = false;
    a.value.elements<double>() = a.to;
  }
  return next_ != before;
}

void Scenario::prepare(Time t, Time end) {
  step_begin_ = t;
  step_end_ = end;
  for (auto& a : active_) {
    if (!a.on || !a.ramp) continue;
    // The mean over the step, where inputs are held.
    auto& value = a.value.elements<double>();
    for (std::size_t e = 0; e < value.size(); ++e) value[e] = 0.5 * (a.at(t, e) + a.at(end, e));
  }
}

void Scenario::put(const Target& target, const Value& value, couple::RunState& state) {
  with_type(target.type, [&]<class T>() {
    const auto& from = value.elements<T>();
    auto& column = state.signals.inputs.column<T>();
    for (std::uint32_t e = 0; e < target.count; ++e) column[target.first + e] = from[from.size() == 1 ? 0 : e];
  });
}

void Scenario::apply(couple::RunState& state) const {
  const auto width = state.signals.inputs.column<double>().size();
  for (std::size_t i = 0; i < active_.size(); ++i) {
    if (!active_[i].on) continue;
    const auto& target = targets_[i];
    put(target, active_[i].value, state);
    if (target.type != Type::Float64) continue;
    for (int m = 0; m < state.signals.order; ++m)
      for (std::uint32_t e = 0; e < target.count; ++e)
        state.signals.derivatives[static_cast<std::size_t>(m) * width + target.first + e] = 0;
    if (active_[i].ramp && target.moves && state.signals.order > 0) put_ramp(target, active_[i], state);
  }
}

// As the line that it is.
void Scenario::put_ramp(const Target& target, const Active& active, couple::RunState& state) const {
  for (std::uint32_t e = 0; e < target.count; ++e) {
    const double from = active.at(step_begin_, e);
    state.signals.inputs.column<double>()[target.first + e] = from;
    state.signals.derivatives[target.first + e] = (active.at(step_end_, e) - from) / (step_end_ - step_begin_);
  }
}

void Scenario::apply_at(Time t, couple::RunState& state) const {
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const auto& active = active_[i];
    if (!active.on) continue;
    const auto& target = targets_[i];
    put(target, active.value, state);
    if (!active.ramp) continue;
    auto& column = state.signals.inputs.column<double>();
    for (std::uint32_t e = 0; e < target.count; ++e) column[target.first + e] = active.at(t, e);
  }
}

bool Scenario::overrides(std::uint32_t input) const {
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const auto& target = targets_[i];
    if (active_[i].on && target.type == Type::Float64 && input >= target.first && input < target.first + target.count)
      return true;
  }
  return false;
}

// --- checkpoints

namespace {

void write_value(ByteWriter& writer, const Value& value) {
  writer(value.type());
  with_type(value.type(), [&]<class T>() { writer(value.elements<T>()); });
}

// Empty, or of a type and a number of elements that the target takes.
void read_value(ByteReader& reader, Type type, std::size_t count, Value& value) {
  Type is{};
  reader(is);
  ByteReader::check(static_cast<std::size_t>(is) < type_count);
  with_type(is, [&]<class T>() {
    std::vector<T> elements;
    reader.any_size(elements);
    ByteReader::check(elements.empty() || (is == type && (elements.size() == 1 || elements.size() == count)));
    value = Value(std::move(elements));
  });
}

}  // namespace

void Scenario::write(ByteWriter& writer) const {
  writer(static_cast<std::uint64_t>(next_));
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const auto& a = active_[i];
    write_value(writer, targets_[i].released);
    write_value(writer, a.value);
    writer(a.on, a.ramp, a.since, a.duration, a.from, a.to);
  }
}

void Scenario::read(ByteReader& reader) {
  std::uint64_t next = 0;
  reader(next);
  ByteReader::check(next <= actions_.size());
  next_ = next;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    auto& a = active_[i];
    auto& target = targets_[i];
    read_value(reader, target.type, target.count, target.released);
    read_value(reader, target.type, target.count, a.value);
    reader(a.on, a.ramp, a.since, a.duration);
    reader.any_size(a.from);
    reader.any_size(a.to);
    ByteReader::check(!a.on || a.value.size() > 0);
    ByteReader::check(!a.ramp || (target.type == Type::Float64 && a.from.size() == target.count &&
                                  a.to.size() == target.count && a.duration > 0));
  }
}

}  // namespace consort::engine
