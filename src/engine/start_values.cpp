#include "engine/start_values.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"

namespace consort::engine {

void apply_structural(const StartValues& starts, unit::Variables& unit) {
  const auto& set = starts.structural();
  if (set.empty()) return;
  const auto signals = starts.signals(unit.description(), set.variables);
  Columns columns = starts.columns(unit.description(), set, signals);
  require_in_unit(unit.name(), unit.configure(signals, columns),
                  "unit '{}' has no configuration mode, so its structural parameters cannot be changed", unit.name());
}

namespace {

void apply_set(const StartValues& starts, const StartValues::Set& set, unit::Variables& unit) {
  if (set.empty()) return;
  const auto signals = starts.signals(unit.description(), set.variables);
  Columns columns = starts.columns(unit.description(), set, signals);
  unit.set(signals, columns);
}

}  // namespace

void apply(const StartValues& starts, unit::Variables& unit) { apply_set(starts, starts.others(), unit); }

namespace {

template <class Wanted>
StartValues::Set chosen(const StartValues& starts, Wanted&& wanted) {
  const auto& all = starts.others();
  StartValues::Set some;
  for (std::size_t i = 0; i < all.variables.size(); ++i) {
    if (!wanted(all.variables[i])) continue;
    some.variables.push_back(all.variables[i]);
    some.values.push_back(all.values[i]);
  }
  return some;
}

// Numbers that differ by the precision of a float are equal: a unit may store or convert them.
template <class T>
bool is_kept(const T& given, const T& kept) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(given) || std::isnan(kept)) return std::isnan(given) && std::isnan(kept);
    return given == kept || std::abs(given - kept) <= T(1e-6) * std::max(std::abs(given), std::abs(kept));
  } else {
    return given == kept;
  }
}

std::string text_of(const Columns& columns, const describe::SignalSet::Place& place) {
  return with_type(place.type, [&]<class T>() {
    const auto first = columns.column<T>().begin() + place.first;
    return Value(std::vector<T>(first, first + place.count)).text();
  });
}

// FMI 2.0, 2.2.7; FMI 3.0, 2.4.7.5.
bool may_be_set_in_initialization(const describe::Variable& v) {
  return v.causality == describe::Causality::input || v.initial == describe::Initial::exact;
}

bool has_initialization_mode(const unit::Variables& unit) {
  const auto version = unit.description().version;
  return version == describe::FmiVersion::v2 || version == describe::FmiVersion::v3;
}

// Sets the start values that cannot be set in initialization mode.
void apply_early_only(const StartValues& starts, unit::Variables& unit) {
  const auto& d = unit.description();
  const auto set = chosen(starts, [&](describe::VariableId id) { return !may_be_set_in_initialization(d[id]); });
  try {
    apply_set(starts, set, unit);
  } catch (const Error& error) {
    if (error.fault() != Fault::run) throw;
    std::vector<std::string_view> names;
    for (const auto id : set.variables) names.push_back(d[id].name);
    throw error.with_text(fmt::format(
        "{}; unit '{}' refuses start values before initialization, and '{}' cannot be set later: leave out {}",
        error.what(), unit.name(), fmt::join(names, "', '"),
        names.size() == 1 ? "its start value" : "their start values"));
  }
}

}  // namespace

void set_early(const StartValues& starts, unit::Variables& unit, const std::function<void()>& set_inputs,
               std::vector<std::string>& warnings) {
  apply_structural(starts, unit);
  try {
    apply(starts, unit);
    set_inputs();
  } catch (const Error& error) {
    if (error.fault() != Fault::run || !has_initialization_mode(unit) || !unit.reset()) throw;
    warnings.push_back(
        fmt::format("{}; inputs and exact start values of unit '{}' are set in initialization mode instead",
                    error.what(), unit.name()));
    apply_structural(starts, unit);
    apply_early_only(starts, unit);
  }
}

void apply_again(const StartValues& starts, unit::Variables& unit) {
  const auto& d = unit.description();
  apply_set(starts, chosen(starts, [&](describe::VariableId id) { return may_be_set_in_initialization(d[id]); }), unit);
}

namespace {

// Returns false if the unit refused to tell its values.
bool check_given(const StartValues& starts, unit::Variables& unit, const IsDriven& is_driven,
                 std::vector<std::string>& warnings) {
  const auto& d = unit.description();
  const auto set = chosen(starts, [&](describe::VariableId id) {
    const auto causality = d[id].causality;
    return (causality == describe::Causality::input || causality == describe::Causality::parameter) && !is_driven(id);
  });
  if (set.empty()) return true;
  const auto signals = starts.signals(d, set.variables);
  Columns given = starts.columns(d, set, signals);
  Columns kept = signals.make_columns();
  if (!unit.try_get(signals, kept).empty()) return false;
  for (std::size_t i = 0; i < set.variables.size(); ++i) {
    const auto place = signals.place(i);
    const bool same = with_type(place.type, [&]<class T>() {
      const auto a = given.column<T>().begin() + place.first;
      return std::equal(a, a + place.count, kept.column<T>().begin() + place.first, is_kept<T>);
    });
    if (same) continue;
    warnings.push_back(
        fmt::format("unit '{}' has not taken the value {} of '{}' and keeps {}; the result is that of the value it "
                    "keeps: export the FMU so that this variable can be set",
                    unit.name(), text_of(given, place), d[set.variables[i]].name, text_of(kept, place)));
  }
  return true;
}

template <class T>
bool holds(const Columns& columns, const describe::SignalSet::Place& place, const Value& value) {
  return value.type() == place.type && std::equal(value.elements<T>().begin(), value.elements<T>().end(),
                                                  columns.column<T>().begin() + place.first, is_kept<T>);
}

// Numbers that the description declares and nothing changes: their variables have to hold them after initialization.
std::vector<describe::VariableId> declared_parameters(const StartValues& starts, const describe::Description& d,
                                                      const IsDriven& is_driven) {
  std::set<std::pair<Type, ValueReference>> given;  // aliases of a given variable hold its value
  for (const auto id : starts.others().variables) given.emplace(d[id].type, d[id].reference);
  std::vector<describe::VariableId> ids;
  for (std::size_t i = 0; i < d.variables.size(); ++i) {
    const auto& v = d.variables[i];
    const auto id = static_cast<describe::VariableId>(i);
    const bool is_number = v.type != Type::String && v.type != Type::Binary && v.type != Type::Clock && !v.is_array();
    if (v.causality == describe::Causality::parameter && v.initial == describe::Initial::exact && is_number &&
        v.start != describe::no_start && !given.contains({v.type, v.reference}) && !is_driven(id))
      ids.push_back(id);
  }
  return ids;
}

void check_declared(const StartValues& starts, unit::Variables& unit, const IsDriven& is_driven,
                    std::vector<std::string>& warnings) {
  const auto& d = unit.description();
  const auto ids = declared_parameters(starts, d, is_driven);
  if (ids.empty()) return;
  const auto signals = starts.signals(d, ids);
  Columns values = signals.make_columns();
  if (!unit.try_get(signals, values).empty()) return;
  std::size_t count = 0;
  std::string examples;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto place = signals.place(i);
    const auto& declared = d.starts[d[ids[i]].start];
    if (with_type(place.type, [&]<class T>() { return holds<T>(values, place, declared); })) continue;
    if (++count > 3) continue;
    examples += fmt::format("{}'{}' is {} (declared: {})", count > 1 ? ", " : "", d[ids[i]].name,
                            text_of(values, place), declared.text());
  }
  if (count == 0) return;
  warnings.push_back(fmt::format(
      "unit '{}': {} that nothing sets differ{} from the description: {}{}; the result is that of the values "
      "that the unit holds: set them if the declared ones are meant",
      unit.name(), count == 1 ? "1 parameter" : fmt::format("{} parameters", count), count == 1 ? "s" : "", examples,
      count > 3 ? ", …" : ""));
}

}  // namespace

void check_kept(const StartValues& starts, unit::Variables& unit, const IsDriven& is_driven,
                std::vector<std::string>& warnings) {
  if (check_given(starts, unit, is_driven, warnings)) check_declared(starts, unit, is_driven, warnings);
}

}  // namespace consort::engine
