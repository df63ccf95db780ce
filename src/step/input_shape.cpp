#include "step/input_shape.hpp"

#include <algorithm>
#include <span>

#include "step/interface.hpp"

namespace consort::step {

using couple::RunState;
using graph::UnitId;

namespace {

// Σ over the past, whose weights begin at `first`.
double past(const RunState& state, const std::array<double, couple::most_points>& weights, std::size_t first,
            int points, std::uint32_t input) {
  double sum = 0;
  for (int k = 0; k < points; ++k) sum += weights[first + static_cast<std::size_t>(k)] * state.history.values(k)[input];
  return sum;
}

}  // namespace

InputShape::InputShape(const graph::Plan& plan, int order) : order_(order) {
  const auto all = plan.all_units();
  const couple::Gather::Owners owners(plan);
  everything_ = couple::Gather(plan, owners, all, [](UnitId, UnitId) { return true; });
  const couple::Gather external(plan, owners, all, [](UnitId source, UnitId) { return source == graph::no_unit; });
  const auto continuous = continuous_inputs(plan);
  for (const auto& copy : external.reals())
    if (continuous[copy.input]) external_.push_back(copy.input);
}

void InputShape::begin(RunState& state, const Interval& interval) {
  auto& signals = state.signals;
  everything_(signals.outputs, signals.inputs);
  state.history.push(interval.t, signals.inputs.column<double>());
  signals.order = order_;
  past_ = std::min(order_, state.history.points());
  known_ = std::min(std::max(order_, 1) + 1, state.history.points());
  std::array<Time, couple::most_points + 1> times{interval.end};
  for (int k = 0; k < known_; ++k) times[static_cast<std::size_t>(k) + 1] = state.history.time(k);
  const auto known = std::span(times).subspan(1, static_cast<std::size_t>(known_));
  guess_ = couple::derivative_weights(known, interval.end);
  if (order_ == 0) return;
  going_on_ = couple::derivative_weights(known, interval.t);
  through_ = couple::derivative_weights(std::span(times).first(static_cast<std::size_t>(past_) + 1), interval.t);
  const std::size_t width = signals.inputs.column<double>().size();
  signals.derivatives.resize(static_cast<std::size_t>(order_) * width);
  for (const auto input : external_) {
    for (int m = 1; m <= order_; ++m) {
      double sum = 0;
      if (m < known_) sum = past(state, going_on_[static_cast<std::size_t>(m)], 0, known_, input);
      signals.derivatives[static_cast<std::size_t>(m - 1) * width + input] = sum;
    }
  }
}

double InputShape::guess(const RunState& state, std::uint32_t input) const {
  return past(state, guess_[0], 0, known_, input);
}

void InputShape::end_at(RunState& state, std::uint32_t input, double end) const {
  auto& signals = state.signals;
  auto& inputs = signals.inputs.column<double>();
  if (order_ == 0) {
    inputs[input] = end;
    return;
  }
  for (int m = 1; m <= order_; ++m) {
    const auto& w = through_[static_cast<std::size_t>(m)];
    const double sum = m <= past_ ? w[0] * end + past(state, w, 1, past_, input) : 0.0;
    signals.derivatives[static_cast<std::size_t>(m - 1) * inputs.size() + input] = sum;
  }
  inputs[input] = state.history.values(0)[input];
}

}  // namespace consort::step
