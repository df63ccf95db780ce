// The types of FMI 3.0, used for all values; the types of FMI 1.0 and 2.0 are mapped to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace consort {

using ValueReference = std::uint32_t;

enum class Type : std::uint8_t {
  Float32,
  Float64,
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Boolean,
  String,
  Binary,
  Enumeration,
  Clock,
};
inline constexpr std::size_t type_count = 15;
// The index of Float64 in lists by type.
inline constexpr auto float64 = static_cast<std::size_t>(Type::Float64);

// A bool that std::vector stores contiguously; same size and representation as C's bool.
struct Bool {
  bool value = false;
  constexpr Bool() = default;
  constexpr Bool(bool b) : value(b) {}               // NOLINT(google-explicit-constructor): it *is* a bool
  constexpr operator bool() const { return value; }  // NOLINT(google-explicit-constructor)
};
static_assert(sizeof(Bool) == sizeof(bool));

// One activation of a clock. A separate type, so that clocks and Booleans never share a column.
struct Tick : Bool {
  using Bool::Bool;
};

// The integer of an enumeration. A separate type, so that every Type has its own element type.
struct EnumValue {
  std::int64_t value = 0;
  constexpr EnumValue() = default;
  constexpr EnumValue(std::int64_t v) : value(v) {}          // NOLINT(google-explicit-constructor)
  constexpr operator std::int64_t() const { return value; }  // NOLINT(google-explicit-constructor)
};
static_assert(sizeof(EnumValue) == sizeof(std::int64_t));

using Binary = std::vector<std::uint8_t>;

// The C++ type that holds one element of each Type, in the order of the enumeration.
using ElementTypes = std::tuple<float, double, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                std::uint32_t, std::int64_t, std::uint64_t, Bool, std::string, Binary, EnumValue, Tick>;
static_assert(std::tuple_size_v<ElementTypes> == type_count);

template <Type K>
using Element = std::tuple_element_t<static_cast<std::size_t>(K), ElementTypes>;

// The Type of an element type: type_of<double> == Type::Float64.
template <class T, std::size_t I = 0>
constexpr Type find_type() {
  if constexpr (std::is_same_v<T, std::tuple_element_t<I, ElementTypes>>) {
    return static_cast<Type>(I);
  } else {
    return find_type<T, I + 1>();
  }
}
template <class T>
inline constexpr Type type_of = find_type<T>();

[[nodiscard]] std::string_view name_of(Type type);  // "Float64"

[[nodiscard]] constexpr bool is_float(Type t) { return t == Type::Float64 || t == Type::Float32; }
[[nodiscard]] constexpr bool is_integer(Type t) { return t >= Type::Int8 && t <= Type::UInt64; }
// Numbers, Booleans, enumerations and clocks: types whose values can be written as one number.
[[nodiscard]] constexpr bool is_scalar_like(Type t) { return t != Type::String && t != Type::Binary; }

// Calls `f.template operator()<T>()` with the element type of `type`:
// `with_type(v.type, [&]<class T>() { to.column<T>()[j] = from.column<T>()[i]; });`
template <class F>
decltype(auto) with_type(Type type, F&& f) {
  switch (type) {
    case Type::Float32: return f.template operator()<float>();
    case Type::Float64: return f.template operator()<double>();
    case Type::Int8: return f.template operator()<std::int8_t>();
    case Type::UInt8: return f.template operator()<std::uint8_t>();
    case Type::Int16: return f.template operator()<std::int16_t>();
    case Type::UInt16: return f.template operator()<std::uint16_t>();
    case Type::Int32: return f.template operator()<std::int32_t>();
    case Type::UInt32: return f.template operator()<std::uint32_t>();
    case Type::Int64: return f.template operator()<std::int64_t>();
    case Type::UInt64: return f.template operator()<std::uint64_t>();
    case Type::Boolean: return f.template operator()<Bool>();
    case Type::String: return f.template operator()<std::string>();
    case Type::Binary: return f.template operator()<Binary>();
    case Type::Enumeration: return f.template operator()<EnumValue>();
    case Type::Clock: break;
  }
  return f.template operator()<Tick>();
}

// Calls `f.template operator()<T>()` for every element type, in the order of the enumeration.
template <class F>
void for_each_type(F&& f) {
  for (std::size_t i = 0; i < type_count; ++i) with_type(static_cast<Type>(i), f);
}

// One contiguous column per type. All signals use this layout: one FMI call, one gather and one dataset per type.
class Columns {
 public:
  template <class T>
  [[nodiscard]] std::vector<T>& column() {
    return std::get<std::vector<T>>(columns_);
  }
  template <class T>
  [[nodiscard]] const std::vector<T>& column() const {
    return std::get<std::vector<T>>(columns_);
  }

  [[nodiscard]] std::size_t size(Type type) const;
  void clear();

 private:
  template <class... T>
  static std::tuple<std::vector<T>...> columns_of(std::tuple<T...>*);
  decltype(columns_of(static_cast<ElementTypes*>(nullptr))) columns_;
};

// A value of any type, scalar (one element) or array (row-major elements). For start values and for input and output of
// the program, never for the step loop.
class Value {
 public:
  Value() : elements_(std::vector<double>{}) {}
  template <class T>
  requires(!std::is_same_v<T, Value>) explicit Value(std::vector<T> elements) : elements_(std::move(elements)) {}
  template <class T>
  static Value scalar(T element) {
    return Value(std::vector<T>{std::move(element)});
  }

  [[nodiscard]] Type type() const { return static_cast<Type>(elements_.index()); }
  [[nodiscard]] std::size_t size() const;
  template <class T>
  [[nodiscard]] const std::vector<T>& elements() const {
    return std::get<std::vector<T>>(elements_);
  }
  template <class T>
  [[nodiscard]] std::vector<T>& elements() {
    return std::get<std::vector<T>>(elements_);
  }

  // Reads `text` as a value of `type`. White space separates several elements (strings: the whole text is one element;
  // binary: hexadecimal digits). Throws Error (input) that quotes the text. `count` 0: any number of elements.
  static Value parse(Type type, std::string_view text, std::size_t count = 0);
  // The text that parse() reads; numbers in the shortest form that reads back exactly.
  [[nodiscard]] std::string text() const;

  friend bool operator==(const Value&, const Value&);

 private:
  template <class... T>
  static std::variant<std::vector<T>...> variant_of(std::tuple<T...>*);
  decltype(variant_of(static_cast<ElementTypes*>(nullptr))) elements_;
};

// Reads one element of type T; throws Error (input). Numbers: only surrounding white space is allowed. Boolean: true,
// false, 1, 0. Floats: also INF, -INF, NaN (XML spelling) in any case; values beyond the range of the type become
// infinity or zero.
template <class T>
[[nodiscard]] T parse_element(std::string_view text);
// Appends the text of one element; numbers in the shortest form that reads back exactly.
template <class T>
void append_element(std::string& to, const T& element);

}  // namespace consort
