#include "graph/known_measures.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numbers>

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
};

}  // namespace

std::optional<describe::BaseUnit> known_measure(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(known), std::end(known), [&](const Known& k) { return k.name == name; });
  if (found == std::end(known)) return std::nullopt;
  return describe::BaseUnit{found->exponents, found->factor, found->offset};
}

}  // namespace consort::graph
