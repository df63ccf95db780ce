#include "group/derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace consort::group {

namespace {

// The best step of a central difference for a direction of this size relative to the point.
double difference_step(double size) {
  return std::cbrt(std::numeric_limits<double>::epsilon()) / std::max(size, std::numeric_limits<double>::min());
}

double relative_size(std::span<const double> direction, std::span<const double> at) {
  double size = 0;
  for (std::size_t i = 0; i < direction.size(); ++i)
    size = std::max(size, std::abs(direction[i]) / std::max(1.0, std::abs(at[i])));
  return size;
}

}  // namespace

void MemberDerivatives::operator()(MemberId id, Time t, const Direction& along, const Change& change) {
  auto& member = members_[id];
  const bool names_states = member.states == 0 || !member.state_references.empty();
  const bool needs_names = !along.states.empty() || !change.rates.empty();
  if (member.instance->directional_derivatives() != nullptr && (names_states || !needs_names))
    return provided(member, along, change);
  differences(member, t, along, change);
}

void MemberDerivatives::provided(Member& member, const Direction& along, const Change& change) {
  knowns_.clear();
  seed_.clear();
  if (!along.states.empty()) {
    knowns_ = member.state_references;
    seed_.assign(along.states.begin(), along.states.end());
  }
  knowns_.insert(knowns_.end(), along.inputs.begin(), along.inputs.end());
  seed_.insert(seed_.end(), along.values.begin(), along.values.end());
  unknowns_.clear();
  if (!change.rates.empty()) unknowns_ = member.rate_references;
  unknowns_.insert(unknowns_.end(), change.outputs.begin(), change.outputs.end());
  sensitivity_.assign(change.rates.size() + change.values.size(), 0.0);
  if (!unknowns_.empty() && !knowns_.empty())
    member.instance->directional_derivatives()->directional(unknowns_, knowns_, seed_, sensitivity_);
  const auto rates = static_cast<std::ptrdiff_t>(change.rates.size());
  std::copy(sensitivity_.begin(), sensitivity_.begin() + rates, change.rates.begin());
  std::copy(sensitivity_.begin() + rates, sensitivity_.end(), change.values.begin());
}

void MemberDerivatives::move(Member& member, const Direction& along, double by) {
  if (!along.states.empty()) {
    moved_.resize(states_.size());
    for (std::size_t i = 0; i < states_.size(); ++i) moved_[i] = states_[i] + by * along.states[i];
    member.instance->set_states(moved_);
  }
  if (along.inputs.empty()) return;
  moved_.resize(inputs_.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) moved_[i] = inputs_[i] + by * along.values[i];
  member.instance->set<double>(along.inputs, moved_);
}

void MemberDerivatives::differences(Member& member, Time t, const Direction& along, const Change& change) {
  auto& instance = *member.instance;
  states_.resize(along.states.empty() ? 0 : member.states);
  if (!states_.empty()) instance.get_states(states_);
  inputs_.resize(along.values.size());
  if (!inputs_.empty()) instance.get<double>(along.inputs, std::span(inputs_));
  const double size = std::max(relative_size(along.states, states_), relative_size(along.values, inputs_));
  if (size == 0) {
    std::fill(change.rates.begin(), change.rates.end(), 0.0);
    std::fill(change.values.begin(), change.values.end(), 0.0);
    return;
  }
  const double step = difference_step(size);
  rates_.resize(change.rates.size());
  outputs_.resize(change.values.size());
  for (const double sign : {-1.0, 1.0}) {
    move(member, along, sign * step);
    member.evaluate(t);
    const auto rates = sign < 0 ? std::span(rates_) : change.rates;
    const auto outputs = sign < 0 ? std::span(outputs_) : change.values;
    if (!rates.empty()) instance.get_derivatives(rates);
    if (!outputs.empty()) instance.get<double>(change.outputs, outputs);
  }
  for (std::size_t i = 0; i < rates_.size(); ++i) change.rates[i] = (change.rates[i] - rates_[i]) / (2 * step);
  for (std::size_t i = 0; i < outputs_.size(); ++i) change.values[i] = (change.values[i] - outputs_[i]) / (2 * step);
  move(member, along, 0);
}

bool MemberDerivatives::outputs_by_input(const Batch& outputs, std::uint32_t input, std::span<double> column) {
  const auto& slot = wiring_.inputs[input];
  auto& member = members_[slot.member];
  if (member.instance->directional_derivatives() == nullptr) return false;
  const auto& d = *member.description;
  const auto& variable = d[slot.variable];
  const auto count = member.elements(slot.variable);
  seed_.assign(count, 0.0);
  seed_[slot.element] = 1;
  member.instance->directional_derivatives()->directional(outputs.references, std::span(&variable.reference, 1), seed_,
                                                          column);
  return true;
}

}  // namespace consort::group
