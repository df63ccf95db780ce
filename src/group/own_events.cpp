#include "group/own_events.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace consort::group {

using Kind = graph::EventAction::Kind;

OwnEvents::OwnEvents(const graph::Plan& plan, const Wiring& wiring) : plan_(plan) {
  for (const auto& event : plan.events) {
    for (const auto& action : event.actions) {
      if (action.target.unit == graph::no_unit || action.is_state) continue;
      const auto same = [&](const Target& t) { return t.type == action.type && t.input == action.input; };
      if (std::any_of(targets_.begin(), targets_.end(), same)) continue;
      Target target{action.target.unit, action.type, action.input, none};
      for (std::uint32_t slot = 0; slot < wiring.inputs.size(); ++slot) {
        const auto& name = wiring.inputs[slot];
        if (name.member == action.target.unit && name.variable == action.target.variable &&
            name.element == action.target.first)
          target.slot = slot;
      }
      targets_.push_back(target);
    }
  }
  state_.conditions.assign(plan.events.size(), 0);
  counts_.assign(plan.events.size(), 0);
  state_.set.assign(targets_.size(), 0);
  state_.values.assign(targets_.size(), 0.0);
  state_.pulses.assign(targets_.size(), 0);
}

std::uint32_t OwnEvents::target_of(const graph::PlannedEvent::Action& action) const {
  const auto found = std::find_if(targets_.begin(), targets_.end(),
                                  [&](const Target& t) { return t.type == action.type && t.input == action.input; });
  return static_cast<std::uint32_t>(found - targets_.begin());
}

bool OwnEvents::holds(std::size_t event, const Columns& outputs, Time t) const {
  return couple::evaluate(plan_.events[event].when, outputs, t) != 0;
}

bool OwnEvents::is_due(const Columns& outputs, Time t) const {
  if (empty()) return false;
  if (std::find(state_.pulses.begin(), state_.pulses.end(), 1) != state_.pulses.end()) return true;
  for (std::size_t e = 0; e < plan_.events.size(); ++e)
    if (state_.conditions[e] == 0 && holds(e, outputs, t)) return true;
  return false;
}

bool OwnEvents::operator()(const Columns& outputs, Time t, std::vector<Reinit>& reinits) {
  fired_.clear();
  changed_.clear();
  right_sides_.clear();
  stop_ = nullptr;
  for (std::uint32_t i = 0; i < targets_.size(); ++i) {
    if (std::exchange(state_.pulses[i], std::uint8_t{0}) == 0) continue;
    state_.values[i] = 0;
    changed_.push_back(i);
  }
  for (std::uint32_t e = 0; e < plan_.events.size(); ++e) {
    const bool now = holds(e, outputs, t);
    const bool before = std::exchange(state_.conditions[e], now ? std::uint8_t{1} : std::uint8_t{0}) != 0;
    if (now && !before && state_.begun) fired_.push_back(e);
  }
  state_.begun = true;
  for (const auto e : fired_) ++counts_[e];
  for (const auto e : fired_)
    for (const auto& action : plan_.events[e].actions)
      right_sides_.push_back(action.value.program ? couple::evaluate(action.value, outputs, t) : 0.0);
  std::size_t next = 0;
  for (const auto e : fired_) {
    for (const auto& action : plan_.events[e].actions) {
      const double value = right_sides_[next++];
      if (action.kind == Kind::stop) {
        stop_ = &action.text;
      } else if (action.is_state) {
        reinits.push_back(
            {action.target.unit, action.target.variable, static_cast<std::uint32_t>(action.target.first), value});
      } else {
        const auto i = target_of(action);
        state_.set[i] = action.kind != Kind::release ? 1 : 0;
        state_.pulses[i] = action.kind == Kind::pulse ? 1 : 0;
        state_.values[i] = value;
        changed_.push_back(i);
      }
    }
  }
  return !fired_.empty() || !changed_.empty();
}

std::vector<std::string> OwnEvents::restless() const {
  std::vector<std::string> names;
  const auto most = counts_.empty() ? 0 : *std::max_element(counts_.begin(), counts_.end());
  for (std::size_t e = 0; e < counts_.size(); ++e)
    if (counts_[e] > most / 2) names.push_back(plan_.events[e].name);
  return names;
}

void OwnEvents::apply(MemberId member, Columns& inputs) const {
  static const graph::Formula plain{};
  for (std::size_t i = 0; i < targets_.size(); ++i)
    if (targets_[i].member == member && state_.set[i] != 0)
      couple::put_number(plain, state_.values[i], targets_[i].type, targets_[i].input, inputs);
}

}  // namespace consort::group
