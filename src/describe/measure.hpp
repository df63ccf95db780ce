// Units of measure: what one of them is in SI base units, and how a value is converted, offset included.
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
  std::optional<BaseUnit> base;  // unknown when the description does not say
  std::vector<DisplayUnit> display_units;
  std::uint32_t line = 0;
};

// How to turn a value in one unit into another: to = factor * from + offset.
struct Conversion {
  double factor = 1.0;
  double offset = 0.0;
  [[nodiscard]] double operator()(double v) const { return factor * v + offset; }
};

// None when the units measure different things, or one of them is not known in SI and the names differ. Relative
// quantities (temperature differences) convert without the offset.
[[nodiscard]] std::optional<Conversion> conversion(const Measure& from, const Measure& to, bool relative = false);

// "kg.m2/s3" style text of the exponents, "1" for none.
[[nodiscard]] const char* base_unit_name(std::size_t index);  // "kg", "m", …, "rad"

}  // namespace consort::describe
