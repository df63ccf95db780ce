#include "engine/start_values.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consort::engine {

using describe::Causality;
using describe::Description;
using describe::SignalSet;
using describe::Variable;
using describe::VariableId;

namespace {

// "; its items are 'slow' (1), 'fast' (2)", for an enumeration.
std::string items_text(const Description& d, const Variable& v) {
  if (v.type != Type::Enumeration || v.declared_type == describe::no_type) return {};
  std::vector<std::string> items;
  for (const auto& item : d.types[v.declared_type].items)
    items.push_back(fmt::format("{} ({})", quote(item.name), item.value));
  constexpr std::size_t most = 20;
  const bool all = items.size() <= most;
  if (!all) items.resize(most);
  return fmt::format("; its items are {}{}", fmt::join(items, ", "), all ? "" : ", …");
}

Value read_value(const Description& d, const Variable& v, const std::string& text) {
  if (v.type == Type::Enumeration && v.declared_type != describe::no_type) {
    const auto& items = d.types[v.declared_type].items;
    const auto named = std::find_if(items.begin(), items.end(), [&](const auto& i) { return i.name == trim(text); });
    if (named != items.end()) return Value::scalar(EnumValue(named->value));
  }
  require(v.type == Type::String || v.type == Type::Binary || !trim(text).empty(),
          "the start value of '{}' is empty; write it as NAME=VALUE", v.name);
  try {
    return Value::parse(v.type, text);
  } catch (const Error& error) {
    throw input_error("start value of '{}': {}{}", v.name, error.what(), items_text(d, v));
  }
}

void check_settable(const Variable& v) {
  require(v.is_settable_before_run() || v.causality == Causality::structural_parameter,
          "'{}' cannot be given a start value: it is {} ({}, initial {}); parameters, inputs and variables with "
          "initial exact or approx can",
          v.name, describe::name_of(v.causality), describe::name_of(v.variability), describe::name_of(v.initial));
}

}  // namespace

StartValues resolve_start_values(const Description& d, const std::vector<std::pair<std::string, std::string>>& texts) {
  StartValues all;
  for (const auto& [name, text] : texts) {
    const VariableId id = d.require_variable(name);
    const Variable& v = d[id];
    check_settable(v);
    Value value = read_value(d, v, text);
    const bool structural = v.causality == Causality::structural_parameter;
    auto& set = structural ? all.structural_ : all.others_;
    const auto twice = std::find(set.variables.begin(), set.variables.end(), id);
    require(twice == set.variables.end(), "'{}' is given two start values; remove one", name);
    if (structural && value.type() == Type::UInt64 && value.size() == 1)
      all.sizes_[v.reference] = value.elements<std::uint64_t>().front();
    set.variables.push_back(id);
    set.values.push_back(std::move(value));
  }
  return all;
}

std::uint64_t StartValues::dimension(const Description& d, const describe::Dimension& dimension) const {
  if (!dimension.is_reference) return dimension.size;
  if (const auto given = sizes_.find(dimension.reference); given != sizes_.end()) return given->second;
  const VariableId id = d.find(dimension.reference, Type::UInt64);
  const Value* s = id == describe::no_variable ? nullptr : d.start(d[id]);
  return s != nullptr && s->type() == Type::UInt64 && s->size() == 1 ? s->elements<std::uint64_t>().front() : 0;
}

std::uint64_t StartValues::element_count(const Description& d, const Variable& v) const {
  if (sizes_.empty()) return d.element_count(v);
  std::uint64_t count = 1;
  for (const auto& one : d.dimensions_of(v)) count *= std::min<std::uint64_t>(dimension(d, one), 1U << 30);
  return count;
}

SignalSet StartValues::signals(const Description& d, std::span<const VariableId> choice) const {
  std::vector<std::uint64_t> sizes;
  for (const VariableId id : choice) sizes.push_back(element_count(d, d[id]));
  return SignalSet(d, choice, sizes);
}

std::string StartValues::element_name(const Description& d, const Variable& v, std::uint64_t element) const {
  if (!v.is_array()) return std::string(v.name);
  const auto dimensions = d.dimensions_of(v);
  std::vector<std::uint64_t> index(dimensions.size());
  for (std::size_t i = dimensions.size(); i-- > 0;) {
    const std::uint64_t size = std::max<std::uint64_t>(dimension(d, dimensions[i]), 1);
    index[i] = element % size + 1;
    element /= size;
  }
  return fmt::format("{}[{}]", v.name, fmt::join(index, ","));
}

void StartValues::Set::apply(unit::Variables& unit, const StartValues& all, bool structural) {
  if (variables.empty()) return;
  const auto& d = unit.description();
  const SignalSet signals = all.signals(d, variables);
  Columns columns = signals.make_columns();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto place = signals.place(i);
    const Value& value = values[i];
    require(value.size() == place.count || (value.size() == 1 && place.count > 1),
            "'{}' has {} elements, but {} start values are given", d[variables[i]].name, place.count, value.size());
    with_type(place.type, [&]<class T>() {
      const auto& elements = value.elements<T>();
      for (std::uint32_t e = 0; e < place.count; ++e)
        columns.column<T>()[place.first + e] = elements[elements.size() == 1 ? 0 : e];
    });
  }
  if (!structural) return unit.set(signals, columns);
  require(unit.configure(signals, columns),
          "unit '{}' has no configuration mode, so its structural parameters cannot be changed", unit.name());
}

void StartValues::apply_structural(unit::Variables& unit) { structural_.apply(unit, *this, true); }
void StartValues::apply(unit::Variables& unit) { others_.apply(unit, *this, false); }

}  // namespace consort::engine
