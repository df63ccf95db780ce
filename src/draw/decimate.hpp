// Reduces the points of a signal without changing the picture.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/time.hpp"

namespace consort::draw {

struct Point {
  Time t = 0;
  double y = 0;
  bool starts = false;  // not connected to the previous point
};

// Returns the finite points of a signal; infinite values and NaN are gaps. If there are more than 4 rows per column,
// each of `columns` equal time intervals keeps its first, lowest, highest and last point: no peak is lost, but gaps
// within an interval disappear. Times must not decrease.
[[nodiscard]] std::vector<Point> decimate(std::span<const Time> time, std::span<const double> values,
                                          std::size_t columns);

}  // namespace consort::draw
