#include "describe/start_values.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consort::describe {

namespace {

// "; its items are 'slow' (1), 'fast' (2)", for an enumeration.
std::string items_text(const Description& d, const Variable& v) {
  if (v.type != Type::Enumeration || v.declared_type == no_type) return {};
  std::vector<std::string> items;
  for (const auto& item : d.types[v.declared_type].items)
    items.push_back(fmt::format("{} ({})", quote(item.name), item.value));
  constexpr std::size_t most = 20;
  const bool all = items.size() <= most;
  if (!all) items.resize(most);
  return fmt::format("; its items are {}{}", fmt::join(items, ", "), all ? "" : ", …");
}

// Many FMUs accept a number without an item silently; report it.
void check_items(const Description& d, const Variable& v, const Value& value) {
  if (v.type != Type::Enumeration || v.declared_type == no_type || d.types[v.declared_type].items.empty()) return;
  const auto& items = d.types[v.declared_type].items;
  for (const auto number : value.elements<EnumValue>()) {
    const bool known = std::any_of(items.begin(), items.end(), [&](const auto& i) { return i.value == number.value; });
    require(known, "start value of '{}': {} is not one of its values{}", v.name, number.value, items_text(d, v));
  }
}

void check_settable(const Variable& v) {
  require(v.is_settable_before_run() || v.causality == Causality::structural_parameter,
          "'{}' cannot be given a start value: it is {} ({}, initial {}); parameters, inputs and variables with "
          "initial exact or approx can",
          v.name, name_of(v.causality), name_of(v.variability), name_of(v.initial));
}

}  // namespace

Value read_start_value(const Description& d, const Variable& v, std::string_view text) {
  if (v.type == Type::Enumeration && v.declared_type != no_type) {
    const auto& items = d.types[v.declared_type].items;
    const auto named = std::find_if(items.begin(), items.end(), [&](const auto& i) { return i.name == trim(text); });
    if (named != items.end()) return Value::scalar(EnumValue(named->value));
  }
  require(v.type == Type::String || v.type == Type::Binary || !trim(text).empty(),
          "the start value of '{}' is empty; write it as NAME=VALUE", v.name);
  Value value;
  try {
    value = Value::parse(v.type, text);
  } catch (const Error& error) {
    throw input_error("start value of '{}': {}{}", v.name, error.what(), items_text(d, v));
  }
  check_items(d, v, value);
  return value;
}

StartValues resolve_start_values(const Description& d, const std::vector<std::pair<std::string, std::string>>& texts) {
  StartValues all;
  for (const auto& [name, text] : texts) {
    const VariableId id = d.require_variable(name);
    require(!all.contains(id), "'{}' is given two start values; remove one", name);
    check_settable(d[id]);
    all.add(d, id, read_start_value(d, d[id], text));
  }
  return all;
}

// --- the values

void StartValues::add(const Description& d, VariableId id, Value value) {
  const Variable& v = d[id];
  check_settable(v);
  const bool structural = v.causality == Causality::structural_parameter;
  if (structural && value.type() == Type::UInt64 && value.size() == 1)
    sizes_[v.reference] = value.elements<std::uint64_t>().front();
  auto& set = structural ? structural_ : others_;
  const auto same = std::find(set.variables.begin(), set.variables.end(), id);
  if (same != set.variables.end()) {
    set.values[static_cast<std::size_t>(same - set.variables.begin())] = std::move(value);
    return;
  }
  set.variables.push_back(id);
  set.values.push_back(std::move(value));
}

bool StartValues::contains(VariableId id) const {
  const auto in = [&](const Set& set) {
    return std::find(set.variables.begin(), set.variables.end(), id) != set.variables.end();
  };
  return in(structural_) || in(others_);
}

Columns StartValues::columns(const Description& d, const Set& set, const SignalSet& signals) const {
  Columns columns = signals.make_columns();
  for (std::size_t i = 0; i < set.variables.size(); ++i) {
    const auto place = signals.place(i);
    const Value& value = set.values[i];
    require(value.size() == place.count || (value.size() == 1 && place.count > 1),
            "'{}' has {} elements, but {} start values are given", d[set.variables[i]].name, place.count, value.size());
    with_type(place.type, [&]<class T>() {
      const auto& elements = value.elements<T>();
      for (std::uint32_t e = 0; e < place.count; ++e)
        columns.column<T>()[place.first + e] = elements[elements.size() == 1 ? 0 : e];
    });
  }
  return columns;
}

Value StartValues::merged(const Description& d, VariableId id, std::uint64_t first, const Value& part) const {
  const Variable& v = d[id];
  const auto count = element_count(d, v);
  if (part.size() == count) return part;
  const auto found = std::find(others_.variables.begin(), others_.variables.end(), id);
  const Value* const known = found == others_.variables.end()
                                 ? d.start(v)
                                 : &others_.values[static_cast<std::size_t>(found - others_.variables.begin())];
  require(known != nullptr && known->size() > 0 && known->type() == v.type,
          "the other elements of '{}' have no values; give all of them", v.name);
  return with_type(v.type, [&]<class T>() {
    std::vector<T> all = known->elements<T>();
    all.resize(static_cast<std::size_t>(count), all.front());
    std::copy(part.elements<T>().begin(), part.elements<T>().end(), all.begin() + static_cast<std::ptrdiff_t>(first));
    return Value(std::move(all));
  });
}

// --- sizes of arrays

std::uint64_t StartValues::dimension(const Description& d, const Dimension& dimension) const {
  if (!dimension.is_reference) return dimension.size;
  if (const auto given = sizes_.find(dimension.reference); given != sizes_.end()) return given->second;
  const VariableId id = d.find(dimension.reference, Type::UInt64);
  const Value* s = id == no_variable ? nullptr : d.start(d[id]);
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

std::optional<std::uint64_t> StartValues::element_at(const Description& d, const Variable& v,
                                                     std::span<const std::uint64_t> indices) const {
  const auto dimensions = d.dimensions_of(v);
  if (indices.size() != dimensions.size()) return std::nullopt;
  std::uint64_t element = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::uint64_t size = dimension(d, dimensions[i]);
    if (indices[i] < 1 || indices[i] > size) return std::nullopt;
    element = element * size + (indices[i] - 1);
  }
  return element;
}

}  // namespace consort::describe
