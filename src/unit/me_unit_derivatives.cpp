#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "unit/me_unit_impl.hpp"

namespace consort::unit {

void MeUnit::get_output_derivatives(std::span<const ValueReference> outputs, std::span<const std::int32_t> orders,
                                    std::span<double> values) {
  require_running();
  require_in_unit(name(), std::all_of(orders.begin(), orders.end(), [](std::int32_t order) { return order == 1; }),
                  "unit '{}' provides only first derivatives of its outputs; request order 1", name());
  // Time does not advance in event mode, and an instance that has ended stays in event mode.
  if (outputs.empty() || in_event_mode_ || problem_.memory().ended) return std::fill(values.begin(), values.end(), 0.0);
  refresh();
  // Forward differences, because time must not go back before an event. States move along a straight line; its
  // second-order error cancels in the difference of three points, like that of the outputs.
  ahead_.resize(outputs.size());
  further_.resize(outputs.size());
  instance_->get<double>(outputs, std::span(values).first(outputs.size()));
  if (state_count_ > 0) instance_->get_derivatives(rates_);
  const Duration scale = last_.known ? t_ - last_.from : 1e-3 * std::max(1.0, std::abs(t_));
  const Duration s = std::max(1e-4 * scale, 1e-12 * std::abs(t_));
  for (const int k : {1, 2}) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = states()[i] + k * s * rates_[i];
    go_to(t_ + k * s, x_);
    inputs_.set_present(inputs_.state().slopes, k * s);
    read_at(t_ + k * s, outputs, std::span(k == 1 ? ahead_ : further_));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) values[i] = (4 * ahead_[i] - 3 * values[i] - further_[i]) / (2 * s);
  stale_ = true;
}

double MeUnit::make_direction(std::span<const ValueReference> knowns, std::span<const double> seed) {
  std::fill(direction_.begin(), direction_.end(), 0.0);
  inputs_.add_seed(knowns, seed, direction_);
  double size = 0;
  for (std::size_t i = 0; i < direction_.size(); ++i)
    size = std::max(size, std::abs(direction_[i]) / std::max(1.0, std::abs(inputs_.values()[i])));
  return size;
}

void MeUnit::directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                         std::span<const double> seed, std::span<double> sensitivity) {
  if (unknowns.empty()) return;
  if (solver_) refresh();
  if (auto* const own = instance_->directional_derivatives())
    return own->directional(unknowns, knowns, seed, sensitivity);
  require_running();
  const double step = difference_step(make_direction(knowns, seed));
  ahead_.resize(sensitivity.size());
  inputs_.set_present(direction_, -step);
  read_at(t_, unknowns, ahead_);
  inputs_.set_present(direction_, step);
  read_at(t_, unknowns, sensitivity);
  for (std::size_t i = 0; i < sensitivity.size(); ++i) sensitivity[i] = (sensitivity[i] - ahead_[i]) / (2 * step);
  stale_ = true;
}

void MeUnit::step_directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                              std::span<const double> seed, std::span<double> sensitivity) {
  if (!last_.known || last_.events.count > 0) {
    throw run_error(
        "unit '{}' has no derivatives of its last step at t = {} s: {}; repeat the step with changed inputs instead",
        name(), t_,
        last_.known ? "the step contained an event" : "no step was taken since the start or the last restore")
        .in_unit(name())
        .at(t_);
  }
  if (unknowns.empty()) return;
  const double seed_size = make_direction(knowns, seed);
  if (!sensitivity_ && state_count_ > 0) {
    const auto rate = [this](Time t, solve::ConstVector x, double amount, solve::Vector dx) {
      go_to(t, x);
      inputs_.set_in_last_step(t, direction_, amount);
      instance_->get_derivatives(dx);
    };
    sensitivity_ = std::make_unique<StepSensitivity>(state_count_, rate, options_.solver_options.rtol);
  }
  std::span<const double> s;
  with_unit(name(), [&] {
    if (state_count_ > 0) s = (*sensitivity_)(last_.from, t_, last_.states, seed_size);
  });
  double size = seed_size;
  for (std::size_t i = 0; i < s.size(); ++i)
    size = std::max(size, std::abs(s[i]) / std::max(1.0, std::abs(states()[i])));
  const double step = difference_step(size);
  ahead_.resize(sensitivity.size());
  for (const double sign : {-1.0, 1.0}) {
    for (std::size_t i = 0; i < s.size(); ++i) x_[i] = states()[i] + sign * step * s[i];
    go_to(t_, x_);
    inputs_.set_in_last_step(t_, direction_, sign * step);
    read_at(t_, unknowns, sign < 0 ? std::span(ahead_) : sensitivity);
  }
  for (std::size_t i = 0; i < sensitivity.size(); ++i) sensitivity[i] = (sensitivity[i] - ahead_[i]) / (2 * step);
  stale_ = true;
}

}  // namespace consort::unit
