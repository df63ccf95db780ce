#include "engine/external_inputs.hpp"

namespace consort::engine {

ExternalInputs::ExternalInputs(const graph::Plan& plan, const std::string& file, Duration near)
    : plan_(&plan), near_(near), description_(std::make_shared<describe::Description>()) {
  auto& d = *description_;
  d.model_name = plan.name;
  for (const auto& signal : plan.externals) {
    describe::Variable v;
    v.name = d.arena().store(signal.name);
    v.reference = static_cast<ValueReference>(d.variables.size());
    v.type = signal.type;
    v.causality = describe::Causality::input;
    v.variability = signal.discrete ? describe::Variability::discrete : describe::Variability::continuous;
    if (signal.count != 1) {
      v.dimensions = {static_cast<std::uint32_t>(d.dimensions.size()), 1};
      d.dimensions.push_back({signal.count, 0, false});
    }
    d.variables.push_back(v);
  }
  d.finish();
  table_ = std::make_shared<input::InputTable>(input::InputTable::read(file, d));
}

std::optional<Time> ExternalInputs::next_event_after(Time t) const {
  return table_ ? table_->next_event_after(t + near_) : std::nullopt;
}

Time ExternalInputs::event_at(Time t) const {
  const auto event = table_->next_event_after(t - near_);
  return event && *event <= t + near_ ? *event : t;
}

void ExternalInputs::write(const Columns& values, couple::RunState& state) const {
  std::array<std::uint32_t, type_count> at{};
  for (const auto id : table_->variables()) {
    const auto& signal = plan_->externals[id];
    auto& from = at[static_cast<std::size_t>(signal.type)];
    with_type(signal.type, [&]<class T>() {
      for (std::uint32_t e = 0; e < signal.count; ++e)
        state.signals.outputs.column<T>()[signal.element + e] = values.column<T>()[from + e];
    });
    from += signal.count;
  }
}

void ExternalInputs::at(Time t, couple::RunState& state) {
  if (!table_) return;
  table_->at(event_at(t), input::Side::after, cursor_, values_);
  write(values_, state);
}

void ExternalInputs::for_step(Time t, Time end, bool polynomials, couple::RunState& state) {
  if (!table_) return;
  table_->at(event_at(t), input::Side::after, cursor_, values_);
  if (!polynomials) {
    table_->at(event_at(end), input::Side::before, cursor_, later_);
    const auto mean = [](auto& a, const auto& b) {
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = (a[i] + b[i]) / 2;
    };
    // What holds is the same on both sides of a step, unless an event lies within it.
    if (const auto event = next_event_after(t); !event || *event >= end - near_) {
      mean(values_.column<double>(), later_.column<double>());
      mean(values_.column<float>(), later_.column<float>());
    }
  }
  write(values_, state);
}

}  // namespace consort::engine
