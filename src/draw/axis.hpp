// Where an axis has its ticks and what they are called.
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
  int exponent = 0;         // a multiple of 3; 0 where numbers need none

  // Of the way from low to high; what lies outside is at its ends.
  [[nodiscard]] double fraction(double value) const { return (std::clamp(value, low, high) - low) / (high - low); }
  // "×10³", empty for the exponent 0.
  [[nodiscard]] std::string factor() const;
};

// "Time [s]", with a prefix where the ticks are in other powers of ten: "Time [ms]".
[[nodiscard]] std::string time_title(const Axis& time);

// An axis from low to high with about `most` ticks, and at least two, at multiples of 1, 2 or 5 times a power of ten.
// Equal (or no finite) limits are widened; `margin` is added at both ends as a fraction of the length.
[[nodiscard]] Axis make_axis(double low, double high, int most, double margin = 0);

// The same for values that are logarithms to 10: ticks at powers of ten, or 2 and 5 times these, labelled with what the
// logarithms are of.
[[nodiscard]] Axis make_logarithmic_axis(double low, double high, int most, double margin = 0);

}  // namespace consort::draw
