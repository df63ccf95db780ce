#include "step/saved_run.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace consort::step {

using couple::RunState;

SavedRun::SavedRun(const graph::Plan& plan, const fleet::Fleet& fleet) {
  for (std::size_t i = 0; i < type_count; ++i)
    if (i != float64 && plan.input_count[i] + plan.output_count[i] > 0) types_.push_back(static_cast<Type>(i));
  for (const auto& unit : fleet.traits()) has_events_ = has_events_ || unit.announces_events();
  inputs_.resize(plan.input_count[float64]);
  outputs_.resize(plan.output_count[float64]);
}

void SavedRun::keep(const RunState& state) {
  // The bindings name every member, so that a new member causes a compile error here; add it to bring_back(), too.
  const auto& [t, n, steps, events, inner_events, signals, memory, kept, tallies, loops, stop, stopped, apart, discards,
               discarded_by, bonds, control, rows] = state;
  const auto& [inputs, outputs, derivatives, order, highest, output_derivatives, next_event] = signals;
  static_cast<void>(kept);
  static_cast<void>(tallies);
  static_cast<void>(loops);
  static_cast<void>(stopped);
  static_cast<void>(apart);
  static_cast<void>(discards);
  static_cast<void>(discarded_by);
  static_cast<void>(control);
  static_cast<void>(rows);
  static_cast<void>(derivatives);
  static_cast<void>(order);  // the same for all units
  CONSORT_ASSERT(inputs.column<double>().size() == inputs_.size() &&
                 outputs.column<double>().size() == outputs_.size());
  t_ = t;
  n_ = n;
  steps_ = steps;
  events_ = events;
  inner_events_ = inner_events;
  order_ = highest;
  stop_ = stop;
  memory_.copy_from(memory.back);
  std::copy_n(inputs.column<double>().data(), inputs_.size(), inputs_.data());
  std::copy_n(outputs.column<double>().data(), outputs_.size(), outputs_.data());
  for (const auto type : types_) {
    with_type(type, [&]<class T>() {
      other_inputs_.column<T>() = state.signals.inputs.column<T>();
      other_outputs_.column<T>() = state.signals.outputs.column<T>();
    });
  }
  if (!output_derivatives.empty()) output_derivatives_ = output_derivatives;
  if (has_events_) next_event_ = next_event;
  if (!bonds.empty() || !bonds_.empty()) bonds_ = bonds;
}

void SavedRun::bring_back(RunState& state) const {
  state.t = t_;
  state.n = n_;
  state.steps = steps_;
  state.events = events_;
  state.inner_events = inner_events_;
  state.signals.set_order(order_);
  state.stop = stop_;
  state.memory.back.copy_from(memory_);
  std::copy_n(inputs_.data(), inputs_.size(), state.signals.inputs.column<double>().data());
  std::copy_n(outputs_.data(), outputs_.size(), state.signals.outputs.column<double>().data());
  for (const auto type : types_) {
    with_type(type, [&]<class T>() {
      state.signals.inputs.column<T>() = other_inputs_.column<T>();
      state.signals.outputs.column<T>() = other_outputs_.column<T>();
    });
  }
  if (!output_derivatives_.empty()) state.signals.output_derivatives = output_derivatives_;
  if (has_events_) state.signals.next_event = next_event_;
  if (!bonds_.empty() || !state.bonds.empty()) state.bonds = bonds_;
}

}  // namespace consort::step
