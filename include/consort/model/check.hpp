// Mistakes in a declaration, found when the model is compiled and reported in terms of the declaration.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "consort/model/declaration.hpp"
#include "consort/model/functions.hpp"
#include "consort/model/units.hpp"

namespace consort::model::detail {

enum class Mistake : std::uint8_t {
  none,
  declared_twice,
  name_is_not_usable,
  unit_is_not_known,
  unit_of_something_without_one,
  display_unit_measures_something_else,
  derivative_without_a_state,
  parameter_varies,
  range_is_empty,
  depends_on_something_else,
  sized_by_something_else,
  size_is_missing,
  values_are_not_named,
};

struct Finding {
  Mistake mistake = Mistake::none;
  std::string_view variable;
};

constexpr bool has_unit(const Variable& v) { return v.kind == Kind::float64 || v.kind == Kind::float32; }

constexpr Mistake mistake_of(const Variable& v) {
  if (v.name.empty()) return Mistake::name_is_not_usable;
  for (const char c : v.name) {
    if (static_cast<unsigned char>(c) < ' ') return Mistake::name_is_not_usable;
  }
  if (!has_unit(v) && !(v.unit.empty() && v.display_unit.empty())) return Mistake::unit_of_something_without_one;
  const Unit unit = parse_unit(v.unit);
  if (!unit.known) return Mistake::unit_is_not_known;
  if (!v.display_unit.empty()) {
    const Unit display = parse_unit(v.display_unit);
    if (!display.known) return Mistake::unit_is_not_known;
    if (!display.measures_the_same_as(unit)) return Mistake::display_unit_measures_something_else;
  }
  const bool is_parameter = v.causality == Causality::parameter || v.causality == Causality::calculated_parameter ||
                            v.causality == Causality::structural_parameter;
  const bool may_vary = v.variability == Variability::discrete || v.variability == Variability::continuous;
  if (is_parameter && may_vary) return Mistake::parameter_varies;
  if (v.variability == Variability::continuous && !has_unit(v)) return Mistake::parameter_varies;
  if (v.min > v.max) return Mistake::range_is_empty;
  if (v.kind == Kind::enumeration && v.items.count == 0) return Mistake::values_are_not_named;
  return Mistake::none;
}

// True if a variable has this member and `fits` returns true for it.
template <std::size_t N, class Fits>
constexpr bool has_member(const std::array<Variable, N>& all, std::string_view member, Fits fits) {
  for (const Variable& v : all) {
    if (v.member == member && fits(v)) return true;
  }
  return false;
}

template <std::size_t N>
constexpr Mistake mistake_in_references(const std::array<Variable, N>& all, const Variable& v) {
  const auto is_known = [](const Variable& other) { return other.causality == Causality::input || other.is_state(); };
  for (const std::string_view name : v.dependencies) {
    if (!has_member(all, name, is_known)) return Mistake::depends_on_something_else;
  }
  const auto is_size = [](const Variable& other) { return other.causality == Causality::structural_parameter; };
  for (const std::string_view name : v.sizes) {
    if (!has_member(all, name, is_size)) return Mistake::sized_by_something_else;
  }
  if (v.sizes.count > 0 && v.capacity() < 2) return Mistake::size_is_missing;
  if (v.name.substr(0, 4) == "der(" && !v.is_rate) return Mistake::derivative_without_a_state;
  return Mistake::none;
}

// Takes the expanded list, in which a derivative has the name of its state but is a separate variable.
template <std::size_t N>
constexpr Finding first_mistake(const std::array<Variable, N>& all) {
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool same_name = all[i].name == all[j].name && all[i].is_rate == all[j].is_rate;
      if (same_name || all[i].member == all[j].member) return {Mistake::declared_twice, all[i].member};
    }
    if (const Mistake mistake = mistake_of(all[i]); mistake != Mistake::none) return {mistake, all[i].name};
    if (const Mistake mistake = mistake_in_references(all, all[i]); mistake != Mistake::none) {
      return {mistake, all[i].name};
    }
  }
  return {};
}

// The name of the variable is passed as template arguments because the compiler's message shows only those.
template <Mistake M, class Model, char... Variable>
struct TheVariable {
  static_assert(M != Mistake::declared_twice, "a variable is declared twice in describe(); remove one of the two");
  static_assert(M != Mistake::name_is_not_usable, "a variable has a name that is empty or has control characters");
  static_assert(M != Mistake::unit_is_not_known,
                "a variable has a unit that Consort does not know; consort/model/units.hpp lists the known units; "
                "write units as in \"kg.m/s2\"");
  static_assert(M != Mistake::unit_of_something_without_one,
                "only double and float variables have units; give the variable a description alone");
  static_assert(M != Mistake::display_unit_measures_something_else,
                "the display unit and the unit of a variable measure different quantities");
  static_assert(M != Mistake::derivative_without_a_state,
                "a variable is named \"der(...)\" but is not the derivative of a state; declare both with state<&M::x, "
                "&M::der_x>(...), which makes that name");
  static_assert(M != Mistake::parameter_varies,
                "only double and float variables are continuous, and parameters are constant, fixed or tunable");
  static_assert(M != Mistake::range_is_empty, "a variable has a minimum that is above its maximum");
  static_assert(M != Mistake::depends_on_something_else,
                "depends_on<...>() names a member that is not declared as an input or a state");
  static_assert(M != Mistake::sized_by_something_else,
                "sized_by<...>() names a member that is not declared with structural_parameter<...>(...)");
  static_assert(M != Mistake::size_is_missing, "sized_by<...>() is for arrays: make the member a std::array");
  static_assert(M != Mistake::values_are_not_named,
                "an enumeration needs the names of its values: .named_values(names), counted from 1");
  static constexpr bool is_fine = true;
};

template <class Model, std::size_t... I>
constexpr bool report(std::index_sequence<I...>) {
  constexpr Finding finding = first_mistake(variables_of<Model>);
  return TheVariable<finding.mistake, Model, finding.variable[I]...>::is_fine;
}

template <class M>
constexpr bool has_any(bool (*is)(const Variable&)) {
  for (const Variable& v : variables_of<M>) {
    if (is(v)) return true;
  }
  return false;
}

template <class M>
inline constexpr bool has_states = has_any<M>([](const Variable& v) { return v.is_state(); });
template <class M>
inline constexpr bool has_event_indicators = has_any<M>([](const Variable& v) { return v.is_indicator; });
template <class M>
inline constexpr bool has_computed_outputs = has_any<M>([](const Variable& v) {
  return v.causality == Causality::output && !v.is_state() && v.variability == Variability::continuous;
});

// An instantiation of this template runs all checks.
template <class M>
struct Checked {
  static_assert(std::is_trivially_copyable_v<M> && std::is_standard_layout_v<M>,
                "a model is a plain struct, so that its state is saved by copying it: no pointers to own memory, no "
                "std::string or std::vector (use consort::model::Text and std::array), no private members, no bases");
  static_assert(std::is_default_constructible_v<M>, "a model is made without arguments; its members have start values");
  static_assert(report<M>(std::make_index_sequence<first_mistake(variables_of<M>).variable.size()>{}));
  static_assert(has_states<M> || !has_derivatives<M>,
                "the model computes derivatives, but declares no state: add state<&M::x, &M::der_x>(...)");
  static_assert(!has_states<M> || has_derivatives<M>,
                "the model declares states, but has no function void derivatives(double t)");
  static_assert(!has_event_indicators<M> || has_indicators<M>,
                "the model declares event indicators, but has no function void indicators(double t)");
  static_assert(!has_event_indicators<M> || has_event<M>,
                "the model declares event indicators, but has no function void event(consort::model::Event& e)");
  static_assert(has_event_indicators<M> || !has_indicators<M>,
                "the model computes event indicators, but declares none: add indicator<&M::z>(...)");
  static_assert(!has_computed_outputs<M> || has_outputs<M>,
                "the model declares continuous outputs, but has no function void outputs(double t)");
  static_assert(names_event<M> == has_event<M>, "event is written void event(consort::model::Event& e)");
  static_assert(names_derivatives<M> == has_derivatives<M> && names_outputs<M> == has_outputs<M> &&
                    names_indicators<M> == has_indicators<M> && names_completed<M> == has_completed<M> &&
                    names_initialize<M> == has_initialize<M> && names_instantiate<M> == has_instantiate<M>,
                "the functions of a model take nothing, the time (double t) or a const consort::model::Context&");
  static constexpr bool is_fine = true;
};

}  // namespace consort::model::detail
