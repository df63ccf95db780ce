#include "graph/known_measures.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <numbers>
#include <vector>

#include "base/text.hpp"

namespace consort::graph {

namespace {

struct Known {
  std::string_view name;
  std::array<std::int8_t, 8> exponents;  // kg, m, s, A, K, mol, cd, rad
  double factor = 1;
  double offset = 0;
};

constexpr double pi = std::numbers::pi;

constexpr Known known[] = {
    {"1", {}},
    {"%", {}, 0.01},
    {"kg", {1}},
    {"g", {1}, 1e-3},
    {"t", {1}, 1e3},
    {"m", {0, 1}},
    {"mm", {0, 1}, 1e-3},
    {"cm", {0, 1}, 1e-2},
    {"km", {0, 1}, 1e3},
    {"m2", {0, 2}},
    {"cm2", {0, 2}, 1e-4},
    {"mm2", {0, 2}, 1e-6},
    {"m3", {0, 3}},
    {"l", {0, 3}, 1e-3},
    {"s", {0, 0, 1}},
    {"ms", {0, 0, 1}, 1e-3},
    {"us", {0, 0, 1}, 1e-6},
    {"min", {0, 0, 1}, 60},
    {"h", {0, 0, 1}, 3600},
    {"d", {0, 0, 1}, 86400},
    {"Hz", {0, 0, -1}},
    {"kHz", {0, 0, -1}, 1e3},
    {"m/s", {0, 1, -1}},
    {"km/h", {0, 1, -1}, 1 / 3.6},
    {"kn", {0, 1, -1}, 1852.0 / 3600},
    {"m/s2", {0, 1, -2}},
    {"rad", {0, 0, 0, 0, 0, 0, 0, 1}},
    {"deg", {0, 0, 0, 0, 0, 0, 0, 1}, pi / 180},
    {"rev", {0, 0, 0, 0, 0, 0, 0, 1}, 2 * pi},
    {"rad/s", {0, 0, -1, 0, 0, 0, 0, 1}},
    {"deg/s", {0, 0, -1, 0, 0, 0, 0, 1}, pi / 180},
    {"rpm", {0, 0, -1, 0, 0, 0, 0, 1}, pi / 30},
    {"N", {1, 1, -2}},
    {"kN", {1, 1, -2}, 1e3},
    {"MN", {1, 1, -2}, 1e6},
    {"N.m", {1, 2, -2}},
    {"kN.m", {1, 2, -2}, 1e3},
    {"N/m", {1, 0, -2}},
    {"kN/m", {1, 0, -2}, 1e3},
    {"N/mm", {1, 0, -2}, 1e3},
    {"N.s/m", {1, 0, -1}},
    {"Pa", {1, -1, -2}},
    {"kPa", {1, -1, -2}, 1e3},
    {"MPa", {1, -1, -2}, 1e6},
    {"mbar", {1, -1, -2}, 1e2},
    {"bar", {1, -1, -2}, 1e5},
    {"J", {1, 2, -2}},
    {"kJ", {1, 2, -2}, 1e3},
    {"MJ", {1, 2, -2}, 1e6},
    {"W.h", {1, 2, -2}, 3600},
    {"kW.h", {1, 2, -2}, 3.6e6},
    {"W", {1, 2, -3}},
    {"kW", {1, 2, -3}, 1e3},
    {"MW", {1, 2, -3}, 1e6},
    {"K", {0, 0, 0, 0, 1}},
    {"degC", {0, 0, 0, 0, 1}, 1, 273.15},
    {"°C", {0, 0, 0, 0, 1}, 1, 273.15},
    {"degF", {0, 0, 0, 0, 1}, 5.0 / 9, 273.15 - 32 * 5.0 / 9},
    {"A", {0, 0, 0, 1}},
    {"mA", {0, 0, 0, 1}, 1e-3},
    {"V", {1, 2, -3, -1}},
    {"mV", {1, 2, -3, -1}, 1e-3},
    {"kV", {1, 2, -3, -1}, 1e3},
    {"Ohm", {1, 2, -3, -2}},
    {"F", {-1, -2, 4, 2}},
    {"uF", {-1, -2, 4, 2}, 1e-6},
    {"H", {1, 2, -2, -2}},
    {"mH", {1, 2, -2, -2}, 1e-3},
    {"kg/s", {1, 0, -1}},
    {"kg/h", {1, 0, -1}, 1.0 / 3600},
    {"m3/s", {0, 3, -1}},
    {"l/min", {0, 3, -1}, 1e-3 / 60},
    {"kg/m3", {1, -3}},
    {"kg.m2", {1, 2}},
    {"L", {0, 3}, 1e-3},
    {"S", {-1, -2, 3, 2}},
    {"T", {1, 0, -2, -1}},
    {"Wb", {1, 2, -2, -1}},
    {"mol", {0, 0, 0, 0, 0, 1}},
    {"cd", {0, 0, 0, 0, 0, 0, 1}},
    {"Nm", {1, 2, -2}},
    {"Wh", {1, 2, -2}, 3600},
    {"VA", {1, 2, -3}},
};

// The units that SI prefixes are put in front of.
constexpr std::string_view prefixed[] = {"g", "m", "s",   "A", "K", "mol", "cd", "rad", "Hz", "N", "Pa", "bar", "J",
                                         "W", "V", "Ohm", "F", "H", "S",   "T",  "Wb",  "l",  "L", "Nm", "Wh",  "VA"};
constexpr std::pair<std::string_view, double> prefixes[] = {
    {"f", 1e-15}, {"p", 1e-12}, {"n", 1e-9}, {"u", 1e-6}, {"\u00B5", 1e-6}, {"\u03BC", 1e-6}, {"m", 1e-3},
    {"c", 1e-2},  {"d", 1e-1},  {"h", 1e2},  {"k", 1e3},  {"M", 1e6},       {"G", 1e9},       {"T", 1e12}};

std::optional<describe::BaseUnit> listed(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(known), std::end(known), [&](const Known& k) { return k.name == name; });
  if (found == std::end(known)) return std::nullopt;
  return describe::BaseUnit{found->exponents, found->factor, found->offset};
}

std::optional<describe::BaseUnit> single(std::string_view name) {
  if (auto whole = listed(name)) return whole;
  for (const auto& [prefix, factor] : prefixes) {
    const auto rest = name.substr(std::min(prefix.size(), name.size()));
    if (!name.starts_with(prefix) || std::find(std::begin(prefixed), std::end(prefixed), rest) == std::end(prefixed))
      continue;
    auto unit = listed(rest);
    unit->factor *= factor;
    return unit;
  }
  return std::nullopt;
}

// Products of units: "N.m", "W/(m2.K)", "1/s". Operators of the same rank apply from the left.
class Product {
 public:
  explicit Product(std::string_view text) : rest_(text) {}

  std::optional<describe::BaseUnit> operator()() {
    auto unit = product(0);
    return rest_.empty() ? unit : std::nullopt;
  }

 private:
  static constexpr int most_levels = 8;

  bool take(std::string_view sign) {
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }

  std::optional<describe::BaseUnit> product(int level) {
    auto unit = power(level);
    while (unit) {
      const bool divides = take("/");
      if (!divides && !take(".") && !take("*") && !take("\u00B7")) break;
      const auto next = power(level);
      if (!next || !multiply(*unit, *next, divides ? -1 : 1)) return std::nullopt;
    }
    return unit;
  }

  std::optional<describe::BaseUnit> power(int level) {
    std::optional<describe::BaseUnit> base;
    if (take("(")) {
      if (level == most_levels) return std::nullopt;
      base = product(level + 1);
      if (!take(")")) return std::nullopt;
    } else {
      if (take("1")) return describe::BaseUnit{};  // "1/s"; other numbers are not units
      auto name = rest_.substr(0, rest_.find_first_of("./*^()-0123456789"));
      if (const auto dot = name.find("\u00B7"); dot != std::string_view::npos) name = name.substr(0, dot);
      rest_.remove_prefix(name.size());
      base = single(name);
    }
    const bool needs_exponent = take("^");
    int exponent = 1;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), exponent);
    if (error == std::errc()) rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (!base || exponent < -9 || exponent > 9 || (needs_exponent && error != std::errc())) return std::nullopt;
    describe::BaseUnit one;
    if (!multiply(one, *base, exponent)) return std::nullopt;
    return one;
  }

  // In a product, a temperature is a difference: its offset does not count.
  static bool multiply(describe::BaseUnit& unit, const describe::BaseUnit& by, int exponent) {
    for (std::size_t i = 0; i < unit.exponents.size(); ++i) {
      const int sum = unit.exponents[i] + exponent * by.exponents[i];
      if (std::abs(sum) > 127) return false;
      unit.exponents[i] = static_cast<std::int8_t>(sum);
    }
    unit.factor *= std::pow(by.factor, exponent);
    return true;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<describe::BaseUnit> known_measure(std::string_view name) {
  if (auto whole = single(name)) return whole;
  return Product(name)();
}

std::string nearest_measure(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& k : known) names.push_back(k.name);
  return suggestion(name, names);
}

std::optional<std::pair<std::string_view, std::string_view>> split_measure(std::string_view text) {
  text = trim(text);
  const auto number = text.starts_with('+') ? text.substr(1) : text;
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  const auto unit = number.substr(static_cast<std::size_t>(end - number.data()));
  const bool digits = !number.empty() && number.find_first_of("0123456789") < 3;  // not "inf", not "nano"
  // "1/min" is a unit of measure, not a number with one.
  if (error != std::errc() || !digits || unit.empty() || unit.find_first_of(" \t.,;:+-*/") < 1) return std::nullopt;
  return std::pair{text.substr(0, text.size() - unit.size()), unit};
}

}  // namespace consort::graph
