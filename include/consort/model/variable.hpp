// The declaration of one variable of a model: `input<&Ball::force>("N", "force on the ball")`.
//
// Name and type are those of the member; the start value is the member's initial value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "consort/model/text.hpp"

namespace consort::model {

// The types of FMI 3.0, in the order used by the engine.
enum class Kind : std::uint8_t {
  float32,
  float64,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  boolean,
  string,
  binary,
  enumeration,
};
enum class Causality : std::uint8_t { parameter, calculated_parameter, input, output, local, structural_parameter };
enum class Variability : std::uint8_t { constant, fixed, tunable, discrete, continuous };
enum class Initial : std::uint8_t { exact, approx, calculated, none };

// Views of names with static lifetime.
struct Names {
  const std::string_view* first = nullptr;
  std::size_t count = 0;
  [[nodiscard]] constexpr const std::string_view* begin() const { return first; }
  [[nodiscard]] constexpr const std::string_view* end() const { return first + count; }
};

namespace detail {

template <class T>
struct MemberPointer;
template <class M, class T>
struct MemberPointer<T M::*> {
  using Model = M;
  using Type = T;
};
template <auto Member>
using ModelOf = typename MemberPointer<decltype(Member)>::Model;
template <auto Member>
using TypeOf = typename MemberPointer<decltype(Member)>::Type;

// The compiler's own spelling of the template argument ends with the member's name: "… Member = &Ball::force]".
template <auto Member>
constexpr auto member_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(text.find("Member = ") + 9);
  text = text.substr(0, text.find_first_of(";]"));
  return text.substr(text.rfind(':') + 1);
}
template <auto... Members>
[[gnu::visibility("hidden")]] inline constexpr std::array<std::string_view, sizeof...(Members)> member_names{
    member_name<Members>()...};

// The model is a separate template argument to keep models with the same name in several unnamed namespaces apart: GCC
// 12 does not see that a pointer to a member has internal linkage.
template <class Model, auto Member>
void* locate(void* model) {
  return &(static_cast<Model*>(model)->*Member);
}

template <class T>
struct Scalar {
  static constexpr bool known = false;
  static constexpr Kind kind = Kind::float64;
};
template <Kind K>
struct KnownScalar {
  static constexpr bool known = true;
  static constexpr Kind kind = K;
};
// clang-format off
template <> struct Scalar<float> : KnownScalar<Kind::float32> {};
template <> struct Scalar<double> : KnownScalar<Kind::float64> {};
template <> struct Scalar<std::int8_t> : KnownScalar<Kind::int8> {};
template <> struct Scalar<std::uint8_t> : KnownScalar<Kind::uint8> {};
template <> struct Scalar<std::int16_t> : KnownScalar<Kind::int16> {};
template <> struct Scalar<std::uint16_t> : KnownScalar<Kind::uint16> {};
template <> struct Scalar<std::int32_t> : KnownScalar<Kind::int32> {};
template <> struct Scalar<std::uint32_t> : KnownScalar<Kind::uint32> {};
template <> struct Scalar<std::int64_t> : KnownScalar<Kind::int64> {};
template <> struct Scalar<std::uint64_t> : KnownScalar<Kind::uint64> {};
template <> struct Scalar<bool> : KnownScalar<Kind::boolean> {};
template <std::size_t N> struct Scalar<Text<N>> : KnownScalar<Kind::string> {};
template <std::size_t N> struct Scalar<Bytes<N>> : KnownScalar<Kind::binary> {};
// clang-format on
template <class T>
requires std::is_enum_v<T>
struct Scalar<T> {
  static constexpr bool known = std::is_same_v<std::underlying_type_t<T>, std::int64_t>;
  static constexpr Kind kind = Kind::enumeration;
};

template <class T>
struct Shape {
  using Element = T;
  static constexpr std::uint32_t rank = 0, rows = 1, columns = 1;
};
template <class T, std::size_t N>
struct Shape<std::array<T, N>> {
  using Element = T;
  static constexpr std::uint32_t rank = 1, rows = N, columns = 1;
};
template <class T, std::size_t C, std::size_t R>
struct Shape<std::array<std::array<T, C>, R>> {
  using Element = T;
  static constexpr std::uint32_t rank = 2, rows = R, columns = C;
};

}  // namespace detail

// Made by input(), output(), state() and similar functions. The member functions that add properties may be chained.
struct Variable {
  std::string_view name;
  std::string_view member;
  std::string_view unit;
  std::string_view display_unit;
  std::string_view quantity;
  std::string_view description;
  Kind kind = Kind::float64;
  Causality causality = Causality::local;
  Variability variability = Variability::continuous;
  Initial initial = Initial::calculated;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  double nominal = 0;  // 0: not declared
  std::uint32_t rank = 0;
  std::uint32_t rows = 1;  // of the member; an upper bound if `sizes` is not empty
  std::uint32_t columns = 1;
  std::uint32_t element_size = 0;
  void* (*locate)(void* model) = nullptr;
  std::string_view rate_member;                 // of a state: the member that holds its derivative
  void* (*locate_rate)(void* model) = nullptr;  // of a state
  bool is_continuous_state = false;             // with GCC's sanitizers the pointer is not a constant expression
  bool is_indicator = false;
  bool is_rate = false;  // derivative of the preceding state; has its name and unit here
  Names sizes;           // members that hold the sizes of this array
  Names items;           // of an enumeration, for 1, 2, …
  Names dependencies;    // members from which an output or a state derivative is computed
  bool dependencies_declared = false;

  [[nodiscard]] constexpr bool is_state() const { return is_continuous_state; }
  [[nodiscard]] constexpr std::uint32_t capacity() const { return rows * columns; }

  constexpr Variable& named(std::string_view text) { return name = text, *this; }
  constexpr Variable& display(std::string_view text) { return display_unit = text, *this; }
  constexpr Variable& measuring(std::string_view text) { return quantity = text, *this; }
  constexpr Variable& at_least(double value) { return min = value, *this; }
  constexpr Variable& at_most(double value) { return max = value, *this; }
  constexpr Variable& between(double low, double high) { return at_least(low).at_most(high); }
  constexpr Variable& nominally(double value) { return nominal = value, *this; }
  constexpr Variable& constant() { return variability = Variability::constant, exact(); }
  constexpr Variable& fixed() { return variability = Variability::fixed, *this; }
  constexpr Variable& tunable() { return variability = Variability::tunable, *this; }
  // The variable changes only in event().
  constexpr Variable& discrete() { return variability = Variability::discrete, *this; }
  // The start value is the member's initial value, which the user may change. Otherwise it is computed.
  constexpr Variable& exact() { return initial = Initial::exact, *this; }
  // For a state: initialize() computes the start value.
  constexpr Variable& calculated() { return initial = Initial::calculated, *this; }
  // For a state: the state is also an output.
  constexpr Variable& output() { return causality = Causality::output, *this; }

  // The inputs and states from which an output or a state derivative is computed. Without this call it depends on all
  // of them.
  template <auto... Members>
  constexpr Variable& depends_on() {
    dependencies = {detail::member_names<Members...>.data(), sizeof...(Members)};
    return dependencies_declared = true, *this;
  }
  constexpr Variable& depends_on_nothing() { return dependencies_declared = true, *this; }

  // One or two structural parameters give the sizes of an array; the member has the largest size.
  template <auto... Members>
  constexpr Variable& sized_by() {
    static_assert(sizeof...(Members) >= 1 && sizeof...(Members) <= 2, "an array has one or two sizes");
    sizes = {detail::member_names<Members...>.data(), sizeof...(Members)};
    return rank = sizeof...(Members), *this;
  }

  // The names of an enumeration's values, which count from 1; `names` must have static lifetime.
  template <std::size_t N>
  constexpr Variable& named_values(const std::string_view (&names)[N]) {
    return items = Names{names, N}, *this;
  }
};

namespace detail {

template <auto Member>
constexpr Variable declare_member(Causality causality, std::string_view unit, std::string_view description) {
  using Of = Shape<TypeOf<Member>>;
  static_assert(Scalar<typename Of::Element>::known,
                "a variable is a double, float, bool, an integer of <cstdint>, an enum with std::int64_t beneath, "
                "consort::model::Text or Bytes, or a std::array of these (of one or two dimensions)");
  Variable v;
  v.name = v.member = member_name<Member>();
  v.unit = unit;
  v.description = description;
  v.kind = Scalar<typename Of::Element>::kind;
  v.causality = causality;
  v.variability = v.kind == Kind::float64 || v.kind == Kind::float32 ? Variability::continuous : Variability::discrete;
  v.rank = Of::rank;
  v.rows = Of::rows;
  v.columns = Of::columns;
  v.element_size = sizeof(typename Of::Element);
  v.locate = locate<ModelOf<Member>, Member>;
  return v;
}

template <auto Member>
constexpr Variable declare_parameter(Causality causality, std::string_view unit, std::string_view description) {
  Variable v = declare_member<Member>(causality, unit, description);
  v.variability = Variability::fixed;
  v.initial = causality == Causality::calculated_parameter ? Initial::calculated : Initial::exact;
  return v;
}

template <auto Member>
constexpr Variable declare_input(std::string_view unit, std::string_view description) {
  Variable v = declare_member<Member>(Causality::input, unit, description);
  v.initial = Initial::none;
  return v;
}

template <auto Member, auto Rate>
constexpr Variable declare_state(std::string_view unit, std::string_view description) {
  static_assert(std::is_same_v<typename Shape<TypeOf<Member>>::Element, double>,
                "a state is a double or a std::array of double");
  static_assert(std::is_same_v<TypeOf<Member>, TypeOf<Rate>>,
                "the member that holds the derivative of a state has the same type as the state");
  Variable v = declare_member<Member>(Causality::local, unit, description);
  v.initial = Initial::exact;
  v.rate_member = member_name<Rate>();
  v.is_continuous_state = true;
  v.locate_rate = locate<ModelOf<Rate>, Rate>;
  return v;
}

}  // namespace detail

// Each function takes unit and description, or only the description.

template <auto Member>
constexpr Variable parameter(std::string_view unit, std::string_view description) {
  return detail::declare_parameter<Member>(Causality::parameter, unit, description);
}
template <auto Member>
constexpr Variable parameter(std::string_view description) {
  return parameter<Member>({}, description);
}

// Computed from other parameters in initialize().
template <auto Member>
constexpr Variable calculated_parameter(std::string_view unit, std::string_view description) {
  return detail::declare_parameter<Member>(Causality::calculated_parameter, unit, description);
}
template <auto Member>
constexpr Variable calculated_parameter(std::string_view description) {
  return calculated_parameter<Member>({}, description);
}

// A std::uint64_t that gives the size of arrays (FMI 3.0; in earlier versions the array keeps its first size).
template <auto Member>
constexpr Variable structural_parameter(std::string_view description) {
  static_assert(std::is_same_v<detail::TypeOf<Member>, std::uint64_t>, "a structural parameter is a std::uint64_t");
  return detail::declare_parameter<Member>(Causality::structural_parameter, {}, description);
}

template <auto Member>
constexpr Variable input(std::string_view unit, std::string_view description) {
  return detail::declare_input<Member>(unit, description);
}
template <auto Member>
constexpr Variable input(std::string_view description) {
  return input<Member>({}, description);
}

// Computed in outputs(), or in event() if it is discrete().
template <auto Member>
constexpr Variable output(std::string_view unit, std::string_view description) {
  return detail::declare_member<Member>(Causality::output, unit, description);
}
template <auto Member>
constexpr Variable output(std::string_view description) {
  return output<Member>({}, description);
}

// Visible to the user, but not for connections.
template <auto Member>
constexpr Variable local(std::string_view unit, std::string_view description) {
  return detail::declare_member<Member>(Causality::local, unit, description);
}
template <auto Member>
constexpr Variable local(std::string_view description) {
  return local<Member>({}, description);
}

// A continuous state and the member in which derivatives() stores its derivative.
template <auto Member, auto Rate>
constexpr Variable state(std::string_view unit, std::string_view description) {
  return detail::declare_state<Member, Rate>(unit, description);
}
template <auto Member, auto Rate>
constexpr Variable state(std::string_view description) {
  return state<Member, Rate>({}, description);
}

// Computed in indicators(). A sign change triggers event().
template <auto Member>
constexpr Variable indicator(std::string_view unit, std::string_view description) {
  static_assert(std::is_same_v<detail::TypeOf<Member>, double>, "an event indicator is a double");
  Variable v = detail::declare_member<Member>(Causality::local, unit, description);
  v.is_indicator = true;
  return v;
}
template <auto Member>
constexpr Variable indicator(std::string_view description) {
  return indicator<Member>({}, description);
}

}  // namespace consort::model
