// Units of measure that a model may use, parsed at compile time.
//
// A unit is written as products and quotients of the names below with whole exponents: "m", "m/s2", "N.m/rad",
// "W/(m2.K)", "1/s".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace consort::model {

// value in SI = factor * value + offset, with the exponents of kg, m, s, A, K, mol, cd, rad.
struct Unit {
  std::int8_t exponents[8] = {};
  double factor = 1;
  double offset = 0;
  bool known = true;

  [[nodiscard]] constexpr bool measures_the_same_as(const Unit& other) const {
    for (std::size_t i = 0; i < 8; ++i) {
      if (exponents[i] != other.exponents[i]) return false;
    }
    return true;
  }
};

namespace detail {

struct NamedUnit {
  std::string_view name;
  Unit unit;
};

inline constexpr double pi = 3.14159265358979323846;

//                                             kg  m  s  A  K mol cd rad
inline constexpr NamedUnit named_units[] = {
    {"1", {{0, 0, 0, 0, 0, 0, 0, 0}}},
    {"kg", {{1, 0, 0, 0, 0, 0, 0, 0}}},
    {"m", {{0, 1, 0, 0, 0, 0, 0, 0}}},
    {"s", {{0, 0, 1, 0, 0, 0, 0, 0}}},
    {"A", {{0, 0, 0, 1, 0, 0, 0, 0}}},
    {"K", {{0, 0, 0, 0, 1, 0, 0, 0}}},
    {"mol", {{0, 0, 0, 0, 0, 1, 0, 0}}},
    {"cd", {{0, 0, 0, 0, 0, 0, 1, 0}}},
    {"rad", {{0, 0, 0, 0, 0, 0, 0, 1}}},
    {"N", {{1, 1, -2, 0, 0, 0, 0, 0}}},
    {"Pa", {{1, -1, -2, 0, 0, 0, 0, 0}}},
    {"J", {{1, 2, -2, 0, 0, 0, 0, 0}}},
    {"W", {{1, 2, -3, 0, 0, 0, 0, 0}}},
    {"Hz", {{0, 0, -1, 0, 0, 0, 0, 0}}},
    {"C", {{0, 0, 1, 1, 0, 0, 0, 0}}},
    {"V", {{1, 2, -3, -1, 0, 0, 0, 0}}},
    {"Ohm", {{1, 2, -3, -2, 0, 0, 0, 0}}},
    {"F", {{-1, -2, 4, 2, 0, 0, 0, 0}}},
    {"H", {{1, 2, -2, -2, 0, 0, 0, 0}}},
    {"T", {{1, 0, -2, -1, 0, 0, 0, 0}}},
    {"g", {{1, 0, 0, 0, 0, 0, 0, 0}, 1e-3}},
    {"t", {{1, 0, 0, 0, 0, 0, 0, 0}, 1e3}},
    {"mm", {{0, 1, 0, 0, 0, 0, 0, 0}, 1e-3}},
    {"cm", {{0, 1, 0, 0, 0, 0, 0, 0}, 1e-2}},
    {"km", {{0, 1, 0, 0, 0, 0, 0, 0}, 1e3}},
    {"L", {{0, 3, 0, 0, 0, 0, 0, 0}, 1e-3}},
    {"ms", {{0, 0, 1, 0, 0, 0, 0, 0}, 1e-3}},
    {"min", {{0, 0, 1, 0, 0, 0, 0, 0}, 60}},
    {"h", {{0, 0, 1, 0, 0, 0, 0, 0}, 3600}},
    {"d", {{0, 0, 1, 0, 0, 0, 0, 0}, 86400}},
    {"a", {{0, 0, 1, 0, 0, 0, 0, 0}, 31557600}},
    {"kN", {{1, 1, -2, 0, 0, 0, 0, 0}, 1e3}},
    {"kPa", {{1, -1, -2, 0, 0, 0, 0, 0}, 1e3}},
    {"MPa", {{1, -1, -2, 0, 0, 0, 0, 0}, 1e6}},
    {"bar", {{1, -1, -2, 0, 0, 0, 0, 0}, 1e5}},
    {"kJ", {{1, 2, -2, 0, 0, 0, 0, 0}, 1e3}},
    {"kW", {{1, 2, -3, 0, 0, 0, 0, 0}, 1e3}},
    {"mV", {{1, 2, -3, -1, 0, 0, 0, 0}, 1e-3}},
    {"mA", {{0, 0, 0, 1, 0, 0, 0, 0}, 1e-3}},
    {"deg", {{0, 0, 0, 0, 0, 0, 0, 1}, pi / 180}},
    {"rev", {{0, 0, 0, 0, 0, 0, 0, 1}, 2 * pi}},
    {"rpm", {{0, 0, -1, 0, 0, 0, 0, 1}, pi / 30}},
    {"degC", {{0, 0, 0, 0, 1, 0, 0, 0}, 1, 273.15}},
    {"%", {{0, 0, 0, 0, 0, 0, 0, 0}, 1e-2}},
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Removes one unit and its exponent from the front of `text` and multiplies `into` by the unit to that power.
constexpr bool take_factor(std::string_view& text, int sign, Unit& into, bool alone) {
  std::size_t length = 0;
  if (!text.empty() && text[0] == '1' && (text.size() == 1 || !is_digit(text[1]))) {
    length = 1;
  } else {
    while (length < text.size() && text[length] != '.' && text[length] != '/' && text[length] != '(' &&
           text[length] != ')' && text[length] != '-' && !is_digit(text[length])) {
      ++length;
    }
  }
  const std::string_view name = text.substr(0, length);
  text.remove_prefix(length);
  bool negative = false;
  if (!text.empty() && text[0] == '-') {
    negative = true;
    text.remove_prefix(1);
    if (text.empty() || !is_digit(text[0])) return false;
  }
  int power = 1;
  if (!text.empty() && is_digit(text[0])) {
    power = text[0] - '0';
    text.remove_prefix(1);
  }
  for (const NamedUnit& candidate : named_units) {
    if (candidate.name != name) continue;
    const int exponent = negative ? -sign * power : sign * power;
    for (std::size_t i = 0; i < 8; ++i) {
      into.exponents[i] = static_cast<std::int8_t>(into.exponents[i] + exponent * candidate.unit.exponents[i]);
    }
    for (int i = 0; i < power; ++i) {
      into.factor = exponent < 0 ? into.factor / candidate.unit.factor : into.factor * candidate.unit.factor;
    }
    // An offset applies only to a unit that stands alone: 20 degC is 293.15 K, but 20 W/degC is 20 W/K.
    if (alone && text.empty() && exponent == 1) into.offset = candidate.unit.offset;
    return true;
  }
  return false;
}

}  // namespace detail

// `known` is false when the text is not a unit; the empty text is the dimensionless unit.
constexpr Unit parse_unit(std::string_view text) {
  Unit unit;
  if (text.empty()) return unit;
  int sign = 1;
  bool open = false;
  bool first = true;
  while (true) {
    if (!detail::take_factor(text, sign, unit, first)) return {.known = false};
    first = false;
    if (open && !text.empty() && text[0] == ')') {
      text.remove_prefix(1);
      if (!text.empty()) return {.known = false};
      return unit;
    }
    if (text.empty()) break;
    if (text[0] == '/') {
      if (sign < 0) return {.known = false};  // "a/b/c" is ambiguous
      sign = -1;
      text.remove_prefix(1);
      if (!text.empty() && text[0] == '(') {
        open = true;
        text.remove_prefix(1);
      }
    } else if (text[0] == '.') {
      if (sign < 0 && !open) return {.known = false};  // "a/b.c" as well
      text.remove_prefix(1);
    } else {
      return {.known = false};
    }
  }
  if (open) return {.known = false};
  return unit;
}

}  // namespace consort::model
