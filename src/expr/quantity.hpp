// What is known about the unit of measure of a sub-expression, and the rules by which operators combine it. Values are
// in SI units; numbers without a unit stay as they are.
//
// A number without a unit takes part in a sum or a comparison as a number in SI units; that is refused beside a
// quantity whose own unit is not the SI unit, because the number could be meant in that one (x < 50 if x is in mm). As
// a factor it may carry any unit: 2e5 * x^3 is loose, and loose quantities fit everything.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "describe/measure.hpp"

namespace consort::expr {

// Of kg, m, s, A, K, mol, cd; rad counts as 1. Roots make fractions.
using Exponents = std::array<double, 7>;

struct Quantity {
  enum class Is : std::uint8_t {
    zero,   // the literal 0
    bare,   // no unit takes part
    loose,  // `exponents` if all numbers without a unit that take part are pure numbers
    known,
  };
  Is is = Is::bare;
  Exponents exponents{};
  bool scaled = false;   // an operand's own unit is not the SI unit …
  bool shifted = false;  // … and has another zero (degC)

  [[nodiscard]] bool has_unit() const { return is == Is::known || is == Is::loose; }
  [[nodiscard]] bool is_pure() const { return exponents == Exponents{}; }
};

[[nodiscard]] Quantity quantity_of(const describe::BaseUnit& unit);

enum class Misfit : std::uint8_t {
  none,
  clash,      // both are known and differ
  no_unit,    // a number without a unit beside a quantity whose unit is not the SI unit
  two_zeros,  // 20 degC + 5 degC
};
struct Joined {
  Quantity quantity{};
  Misfit misfit = Misfit::none;
};
// For a + b, a - b, a < b, min(a, b) and branches of if().
enum class Joining : std::uint8_t { sum, difference, same };
[[nodiscard]] Joined join(const Quantity& a, const Quantity& b, Joining how);

[[nodiscard]] Quantity product(const Quantity& a, const Quantity& b, int exponent_of_b);
[[nodiscard]] Quantity power(const Quantity& base, double exponent);

[[nodiscard]] std::string unit_text(const Exponents& exponents);  // "kg.m/s2", "1"

}  // namespace consort::expr
