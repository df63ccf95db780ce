// The range, ticks and labels of an axis.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace consort::draw {

struct Axis {
  double low = 0;
  double high = 1;
  struct Tick {
    double value = 0;
    std::string label;  // in units of 10^exponent
  };
  std::vector<Tick> ticks;  // ascending, all within [low, high]
  int exponent = 0;         // a multiple of 3; 0: labels without a power of ten

  // Position of `value` from 0 (low) to 1 (high); values outside are clamped.
  [[nodiscard]] double fraction(double value) const { return (std::clamp(value, low, high) - low) / (high - low); }
  // Returns "×10³"; empty for exponent 0.
  [[nodiscard]] std::string factor() const;
};

// Returns "Time [s]", or with a prefix if the ticks have another power of ten: "Time [ms]".
[[nodiscard]] std::string time_title(const Axis& time);

// Makes an axis from low to high with about `most` ticks, but at least two, at multiples of 1, 2 or 5 times a power of
// ten. Equal limits are widened; limits that are not finite are replaced. `margin` is added at both ends as a fraction
// of the length.
[[nodiscard]] Axis make_axis(double low, double high, int most, double margin = 0);

// The same for values that are base-10 logarithms: ticks at powers of ten, or also at 2 and 5 times these, labelled
// with the original values.
[[nodiscard]] Axis make_logarithmic_axis(double low, double high, int most, double margin = 0);

}  // namespace consort::draw
