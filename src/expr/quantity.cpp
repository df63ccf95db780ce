#include "expr/quantity.hpp"

#include <cmath>

#include <fmt/core.h>

namespace consort::expr {

using Is = Quantity::Is;

namespace {

bool equal(const Exponents& a, const Exponents& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::abs(a[i] - b[i]) > 1e-9) return false;
  return true;
}

// The scale of a ratio of equal quantities is gone.
Quantity normalised(Quantity q) {
  for (auto& e : q.exponents)
    if (std::abs(e - std::round(e)) < 1e-9) e = std::round(e) + 0.0;
  if (q.is_pure()) q.scaled = false;
  return q;
}

}  // namespace

Quantity quantity_of(const describe::BaseUnit& unit) {
  Quantity q;
  q.is = Is::known;
  for (std::size_t i = 0; i < q.exponents.size(); ++i) q.exponents[i] = unit.exponents[i];
  q.scaled = unit.factor != 1 || unit.offset != 0;
  q.shifted = unit.offset != 0;
  return q;
}

Joined join(const Quantity& a, const Quantity& b, Joining how) {
  if (!a.has_unit() && !b.has_unit()) return {{.is = a.is == b.is ? a.is : Is::bare}};
  if (!a.has_unit() || !b.has_unit()) {
    const Quantity& with = a.has_unit() ? a : b;
    const Quantity& without = a.has_unit() ? b : a;
    const bool ambiguous = without.is == Is::zero ? with.shifted : with.scaled;
    return {with, ambiguous ? Misfit::no_unit : Misfit::none};
  }
  Joined joined{a};
  Quantity& q = joined.quantity;
  if (a.is == Is::known && b.is == Is::known && !equal(a.exponents, b.exponents)) joined.misfit = Misfit::clash;
  if (a.is == Is::loose) q.exponents = b.exponents;
  q.is = a.is == Is::known || b.is == Is::known ? Is::known : Is::loose;
  q.scaled = a.scaled || b.scaled;
  q.shifted = a.shifted || b.shifted;
  if (how == Joining::difference && b.shifted) q.shifted = false;
  if (how == Joining::sum && a.shifted && b.shifted && joined.misfit == Misfit::none) joined.misfit = Misfit::two_zeros;
  return joined;
}

Quantity product(const Quantity& a, const Quantity& b, int exponent_of_b) {
  Quantity q;
  for (std::size_t i = 0; i < q.exponents.size(); ++i) q.exponents[i] = a.exponents[i] + exponent_of_b * b.exponents[i];
  q.scaled = a.scaled || b.scaled;
  const bool all_known = a.is == Is::known && b.is == Is::known;
  q.is = all_known ? Is::known : Is::loose;
  if (!a.has_unit() && !b.has_unit()) q.is = Is::bare;
  q = normalised(q);
  // A pure number times a number without a unit is a number without a unit.
  const bool a_number = !a.has_unit() && b.is == Is::known && b.is_pure();
  const bool b_number = !b.has_unit() && a.is == Is::known && a.is_pure();
  if (a_number || b_number) q.is = Is::bare;
  return q;
}

Quantity power(const Quantity& base, double exponent) {
  if (!base.has_unit()) return {};
  Quantity q = base;
  for (auto& e : q.exponents) e *= exponent;
  q.shifted = false;
  return normalised(q);
}

std::string unit_text(const Exponents& exponents) {
  static constexpr std::array order{0, 1, 4, 3, 5, 6, 2};  // kg.m.K.A.mol.cd.s
  std::string above;
  std::string below;
  int factors_below = 0;
  for (const int i : order) {
    const double e = exponents[static_cast<std::size_t>(i)];
    if (e == 0) continue;
    std::string& side = e > 0 ? above : below;
    if (!side.empty()) side += '.';
    side += describe::base_unit_name(static_cast<std::size_t>(i));
    if (std::abs(e) != 1) side += fmt::format("{}{:g}", e == std::round(e) ? "" : "^", std::abs(e));
    if (e < 0) ++factors_below;
  }
  if (below.empty()) return above.empty() ? "1" : above;
  if (factors_below > 1) below = "(" + below + ")";
  return (above.empty() ? "1" : above) + "/" + below;
}

}  // namespace consort::expr
