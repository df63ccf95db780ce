#include "unit/polynomial_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"

namespace consort::unit {

using describe::Causality;
using describe::Variability;

PolynomialInputs::PolynomialInputs(fmi::ModelExchange& instance, const describe::Description& description)
    : instance_(instance), description_(description) {}

// --- layout ----------------------------------------------------------------------------------------------------------

std::uint64_t element_count(const describe::Description& d, const describe::Variable& v,
                            const std::map<ValueReference, std::uint64_t>& structural) {
  std::uint64_t count = 1;
  bool changed = false;
  for (const auto& dimension : d.dimensions_of(v)) {
    const auto found = dimension.is_reference ? structural.find(dimension.reference) : structural.end();
    changed = changed || found != structural.end();
    if (found != structural.end()) {
      count *= found->second;
    } else if (!dimension.is_reference) {
      count *= dimension.size;
    } else {
      const auto id = d.find(dimension.reference, Type::UInt64);
      const auto* const start = id == describe::no_variable ? nullptr : d.start(d[id]);
      count *= start == nullptr ? 1 : start->elements<std::uint64_t>().at(0);
    }
  }
  return changed ? count : d.element_count(v);
}

namespace {

bool is_polynomial(const describe::Variable& v) {
  return v.causality == Causality::input && v.type == Type::Float64 && v.variability == Variability::continuous;
}

}  // namespace

void PolynomialInputs::lay_out(const std::map<ValueReference, std::uint64_t>& structural) {
  slots_.assign(description_.variables.size(), {});
  references_.clear();
  for (auto& references : held_references_) references.clear();
  state_ = {};
  for (std::size_t i = 0; i < description_.variables.size(); ++i) {
    const auto& v = description_.variables[i];
    // Clocks tick in event mode and have no value to hold.
    if (!v.is_settable_at_run_time() || v.type == Type::Clock) continue;
    add(i, static_cast<std::uint32_t>(element_count(description_, v, structural)));
  }
  const std::size_t n = state_.coefficients[0].size();
  for (auto& c : state_.coefficients) c.assign(n, 0.0);
  state_.before.assign(n, 0.0);
  state_.slopes.assign(n, 0.0);
  present_.assign(n, 0.0);
  last_ = state_.coefficients;
  held_types_.clear();
  for (std::size_t i = 0; i < type_count; ++i) {
    if (!held_references_[i].empty()) held_types_.push_back(static_cast<Type>(i));
  }
}

void PolynomialInputs::add(std::size_t variable, std::uint32_t count) {
  const auto& v = description_.variables[variable];
  // The first of several aliases allocates the slot for all of them.
  const auto first = description_.find(v.reference, v.type);
  if (first != describe::no_variable && slots_[first].way != Way::none) {
    slots_[variable] = slots_[first];
    return;
  }
  Slot slot{is_polynomial(v) ? Way::polynomial : Way::held, 0, count};
  if (slot.way == Way::polynomial) {
    auto& values = state_.coefficients[0];
    slot.first = static_cast<std::uint32_t>(values.size());
    values.resize(values.size() + count);
    references_.push_back(v.reference);
  } else {
    with_type(v.type, [&]<class T>() {
      auto& column = state_.held.column<T>();
      slot.first = static_cast<std::uint32_t>(column.size());
      column.resize(column.size() + count);
    });
    held_references_[static_cast<std::size_t>(v.type)].push_back(v.reference);
  }
  slots_[variable] = slot;
  if (first != describe::no_variable) slots_[first] = slot;
}

void PolynomialInputs::remember(const describe::SignalSet& signals, Columns& values) {
  signals.negate(values);
  for (std::size_t i = 0; i < signals.choice().size(); ++i) {
    const auto& v = description_[signals.choice()[i]];
    const auto place = signals.place(i);
    with_type(place.type, [&]<class T>() {
      const auto first = values.column<T>().begin() + place.first;
      remembered_[{v.type, v.reference}] = Value(std::vector<T>(first, first + place.count));
    });
  }
  signals.negate(values);
}

template <class T>
void PolynomialInputs::read(std::span<const ValueReference> references, std::span<T> to) {
  if (references.empty()) return;
  try {
    return instance_.tolerate([&] { instance_.get<T>(references, to); });
  } catch (const fmi::Refused&) {  // then one after another
  }
  for (const auto& reference : references) {
    const auto variable = description_.find(reference, type_of<T>);
    const auto part = to.subspan(slots_[variable].first, slots_[variable].count);
    try {
      instance_.tolerate([&] { instance_.get<T>(std::span(&reference, 1), part); });
    } catch (const fmi::Refused&) {
      const auto known = remembered_.find({type_of<T>, reference});
      const Value* const value =
          known != remembered_.end() ? &known->second : description_.start(description_[variable]);
      if (value == nullptr || value->type() != type_of<T> || value->size() == 0) continue;
      for (std::size_t e = 0; e < part.size(); ++e)
        part[e] = value->elements<T>()[value->size() == part.size() ? e : 0];
    }
  }
}

void PolynomialInputs::read_back(Time t) {
  state_.base = t;
  read<double>(references_, state_.coefficients[0]);
  state_.before = state_.coefficients[0];
  for (const auto type : held_types_) {
    with_type(type,
              [&]<class T>() { read<T>(held_references_[static_cast<std::size_t>(type)], state_.held.column<T>()); });
  }
}

// --- new values ------------------------------------------------------------------------------------------------------

void PolynomialInputs::take(const describe::SignalSet& signals, Columns& values) {
  signals.negate(values);
  for (std::size_t i = 0; i < signals.choice().size(); ++i) {
    const auto& slot = slots_[signals.choice()[i]];
    const auto from = signals.place(i);
    if (slot.way == Way::none || from.count != slot.count) [[unlikely]] {
      signals.negate(values);
      throw input_error(
          "unit '{}': '{}' cannot be set while the unit runs as Model Exchange with a solver; set only inputs and "
          "tunable "
          "parameters, with all of their elements",
          instance_.name(), description_[signals.choice()[i]].name)
          .in_unit(instance_.name());
    }
    if (slot.way == Way::held) {
      take_held(slot, from, values);
    } else {
      std::copy_n(values.column<double>().begin() + from.first, from.count,
                  state_.coefficients[0].begin() + slot.first);
    }
  }
  signals.negate(values);
}

void PolynomialInputs::take_held(const Slot& slot, const describe::SignalSet::Place& from, const Columns& values) {
  with_type(from.type, [&]<class T>() {
    for (std::uint32_t e = 0; e < from.count; ++e) {
      T& mine = state_.held.column<T>()[slot.first + e];
      const T& theirs = values.column<T>()[from.first + e];
      if (mine == theirs) continue;
      mine = theirs;
      state_.held_changed = true;
    }
  });
}

const PolynomialInputs::Slot& PolynomialInputs::polynomial(ValueReference reference) const {
  const auto id = description_.find(reference, Type::Float64);
  if (id == describe::no_variable || slots_[id].way != Way::polynomial) {
    throw input_error(
        "unit '{}': the value reference {} is not a continuous Float64 input; only these have derivatives",
        instance_.name(), reference)
        .in_unit(instance_.name());
  }
  return slots_[id];
}

void PolynomialInputs::take_derivatives(std::span<const ValueReference> references,
                                        std::span<const std::int32_t> orders, std::span<const double> values) {
  constexpr double factorials[] = {1, 1, 2, 6};
  for (std::size_t k = 1; k <= highest_order; ++k)
    std::fill(state_.coefficients[k].begin(), state_.coefficients[k].end(), 0.0);
  for (std::size_t i = 0; i < references.size(); ++i) {
    const auto& slot = polynomial(references[i]);
    require_in_unit(instance_.name(), orders[i] >= 1 && orders[i] <= highest_order && slot.count == 1,
                    "unit '{}' accepts derivatives of orders 1 to {} for scalar inputs, got order {}", instance_.name(),
                    highest_order, orders[i]);
    const auto k = static_cast<std::size_t>(orders[i]);
    state_.coefficients[k][slot.first] = values[i] / factorials[k];
  }
}

bool PolynomialInputs::external_event_needed(double rtol) const {
  if (state_.held_changed) return true;
  const auto& after = state_.coefficients[0];
  for (std::size_t i = 0; i < after.size(); ++i) {
    const double size = std::max(std::abs(after[i]), std::abs(state_.before[i]));
    if (!(std::abs(after[i] - state_.before[i]) <= rtol * size)) return true;
  }
  return false;
}

// --- during a step ---------------------------------------------------------------------------------------------------

void PolynomialInputs::end_step(Time t) {
  auto& c = state_.coefficients;
  const Duration s = t - state_.base;
  last_base_ = state_.base;
  for (std::size_t k = 0; k < c.size(); ++k) last_[k] = c[k];
  for (std::size_t i = 0; i < state_.before.size(); ++i) {
    state_.slopes[i] = c[1][i] + s * (2 * c[2][i] + 3 * s * c[3][i]);
    state_.before[i] = c[0][i] = c[0][i] + s * (c[1][i] + s * (c[2][i] + s * c[3][i]));
    c[1][i] = c[2][i] = c[3][i] = 0;
  }
  state_.base = t;
}

void PolynomialInputs::evaluate(const Coefficients& c, Duration s) {
  for (std::size_t i = 0; i < present_.size(); ++i) present_[i] = c[0][i] + s * (c[1][i] + s * (c[2][i] + s * c[3][i]));
}

void PolynomialInputs::send() { instance_.set<double>(references_, std::span<const double>(present_)); }

void PolynomialInputs::set_continuous(Time t, bool) {
  if (references_.empty()) return;
  if (in_event_) {
    std::copy(state_.before.begin(), state_.before.end(), present_.begin());
  } else {
    evaluate(state_.coefficients, t - state_.base);
  }
  send();
}

void PolynomialInputs::set_all(Time t) {
  if (in_event_) state_.before = state_.coefficients[0];
  in_event_ = false;
  set_continuous(t, true);
  if (!state_.held_changed) return;
  for (const auto type : held_types_) {
    with_type(type, [&]<class T>() {
      instance_.set<T>(held_references_[static_cast<std::size_t>(type)], std::span<const T>(state_.held.column<T>()));
    });
  }
  state_.held_changed = false;
  ++held_passed_;
}

// --- shifted inputs --------------------------------------------------------------------------------------------------

void PolynomialInputs::add_seed(std::span<const ValueReference> references, std::span<const double> seed,
                                std::span<double> direction) const {
  std::size_t from = 0;
  for (const auto reference : references) {
    const auto& slot = polynomial(reference);
    require_in_unit(instance_.name(), from + slot.count <= seed.size(),
                    "unit '{}': fewer seeds than input elements; give one seed per element", instance_.name());
    for (std::uint32_t e = 0; e < slot.count; ++e) direction[slot.first + e] += seed[from++];
  }
}

void PolynomialInputs::set_present(std::span<const double> direction, double amount) {
  if (references_.empty()) return;
  for (std::size_t i = 0; i < present_.size(); ++i) present_[i] = state_.coefficients[0][i] + amount * direction[i];
  send();
}

void PolynomialInputs::set_in_last_step(Time t, std::span<const double> direction, double amount) {
  if (references_.empty()) return;
  evaluate(last_, t - last_base_);
  for (std::size_t i = 0; i < present_.size(); ++i) present_[i] += amount * direction[i];
  send();
}

}  // namespace consort::unit
