// Units of measure: their definition in SI base units, and the conversion of values with factor and offset.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace consort::describe {

using MeasureId = std::uint32_t;  // index into Description::units
inline constexpr MeasureId no_measure = std::numeric_limits<MeasureId>::max();
using DisplayUnitId = std::uint16_t;  // index into Measure::display_units
inline constexpr DisplayUnitId no_display_unit = std::numeric_limits<DisplayUnitId>::max();

// value in SI = factor * value + offset, with the exponents of kg, m, s, A, K, mol, cd, rad.
struct BaseUnit {
  std::array<std::int8_t, 8> exponents{};
  double factor = 1.0;
  double offset = 0.0;
};

// value in the display unit = factor * value in the unit + offset (inverse: factor / value).
struct DisplayUnit {
  std::string_view name;
  double factor = 1.0;
  double offset = 0.0;
  bool inverse = false;

  [[nodiscard]] double from_unit(double v) const { return inverse ? factor / v : factor * v + offset; }
  [[nodiscard]] double to_unit(double v) const { return inverse ? factor / v : (v - offset) / factor; }
};

struct Measure {
  std::string_view name;
  std::optional<BaseUnit> base;  // nullopt: not given in the description
  std::vector<DisplayUnit> display_units;
  std::uint32_t line = 0;
};

// A conversion between units: to = factor * from + offset.
struct Conversion {
  double factor = 1.0;
  double offset = 0.0;
  [[nodiscard]] double operator()(double v) const { return factor * v + offset; }
};

// nullopt if the units measure different quantities, or if the names differ and one unit has no SI definition. Relative
// quantities (temperature differences) are converted without the offset.
[[nodiscard]] std::optional<Conversion> conversion(const Measure& from, const Measure& to, bool relative = false);

[[nodiscard]] const char* base_unit_name(std::size_t index);  // "kg", "m", …, "rad"

}  // namespace consort::describe
