// Fewer points for the same picture.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/time.hpp"

namespace consort::draw {

struct Point {
  Time t = 0;
  double y = 0;
  bool starts = false;  // not connected to the point before
};

// The finite points of a signal; infinite values and NaN are gaps. With more than 4 rows per column, each of `columns`
// equal intervals of time keeps its first, lowest, highest and last point, so that no peak is lost, and gaps within one
// interval vanish. Times must not decrease.
[[nodiscard]] std::vector<Point> decimate(std::span<const Time> time, std::span<const double> values,
                                          std::size_t columns);

}  // namespace consort::draw
