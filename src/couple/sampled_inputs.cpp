#include "couple/sampled_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <type_traits>

#include "base/error.hpp"

namespace consort::couple {

namespace {

template <class T>
constexpr bool fits = std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t);

}  // namespace

SampledInputs::SampledInputs(const graph::Plan& plan, Time start, Duration step, Duration near)
    : start_(start), near_(near) {
  const Gather::Owners owners(plan);
  const auto all = [](graph::UnitId, graph::UnitId) { return true; };
  std::size_t at = 0;
  for (const auto& sampling : plan.samplings) {
    const double steps = step > 0 ? sampling.period / step : 1;
    require(std::round(steps) >= 1 && std::abs(steps - std::round(steps)) <= 1e-6 * steps,
            "{} is sampled every {} s, which is not a multiple of the communication step of {} s; "
            "choose a multiple of "
            "it, or another step",
            sampling.text, sampling.period, step);
    held_.push_back({&sampling, at, Gather(plan, owners, std::span(&sampling.unit, 1), all)});
    at += sampling.count;
  }
}

void SampledInputs::prepare(RunState& state) {
  if (empty()) return;
  const auto& last = held_.back();
  next_ = state.memory.back.reserve<std::uint64_t>("sampled inputs: ticks", held_.size());
  values_ = state.memory.back.reserve<std::uint64_t>("sampled inputs: values", last.at + last.sampling->count);
}

bool SampledInputs::begin_due(RunState& state) {
  bool ticked = false;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    auto& next = state.memory.back[next_][i];
    const auto& s = *held_[i].sampling;
    if (start_ + static_cast<double>(next) * s.period > state.t + near_) continue;
    next = static_cast<std::uint64_t>(std::floor((state.t + near_ - start_) / s.period)) + 1;
    held_[i].routes(state.signals.outputs, state.signals.inputs, state.t);
    const auto values = state.memory.back[values_].subspan(held_[i].at, s.count);
    with_type(s.type, [&]<class T>() {
      if constexpr (fits<T>)
        for (std::uint32_t e = 0; e < s.count; ++e)
          std::memcpy(&values[e], static_cast<const void*>(&state.signals.inputs.column<T>()[s.input + e]), sizeof(T));
    });
    ticked = true;
  }
  return ticked;
}

void SampledInputs::apply_at_point(RunState& state) const {
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (state.memory.back[next_][i] == 0) continue;
    const auto& s = *held_[i].sampling;
    const auto values = state.memory.back[values_].subspan(held_[i].at, s.count);
    with_type(s.type, [&]<class T>() {
      if constexpr (fits<T>)
        for (std::uint32_t e = 0; e < s.count; ++e)
          std::memcpy(static_cast<void*>(&state.signals.inputs.column<T>()[s.input + e]), &values[e], sizeof(T));
    });
  }
}

void SampledInputs::apply(RunState& state) const {
  apply_at_point(state);
  const auto width = state.signals.inputs.column<double>().size();
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const auto& s = *held_[i].sampling;
    if (s.type != Type::Float64 || state.memory.back[next_][i] == 0) continue;
    for (int m = 0; m < state.signals.highest; ++m)
      std::fill_n(state.signals.derivatives.begin() +
                      static_cast<std::ptrdiff_t>(static_cast<std::size_t>(m) * width + s.input),
                  s.count, 0.0);
  }
}

bool SampledInputs::overrides(std::uint32_t input, const RunState& state) const {
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const auto& s = *held_[i].sampling;
    if (s.type == Type::Float64 && input >= s.input && input < s.input + s.count && state.memory.back[next_][i] != 0)
      return true;
  }
  return false;
}

Time SampledInputs::next_event(const RunState& state) const {
  Time first = fleet::never;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const auto next = std::max<std::uint64_t>(state.memory.back[next_][i], 1);
    const Time tick = start_ + static_cast<double>(next) * held_[i].sampling->period;
    if (tick > state.t + near_) first = std::min(first, tick);
  }
  return first;
}

}  // namespace consort::couple
