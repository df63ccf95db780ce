#include "draw/decimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace consort::draw {

namespace {

// The rows kept of one interval.
struct Column {
  std::size_t number = 0;
  std::size_t first = 0, lowest = 0, highest = 0, last = 0;
  bool starts = false;
};

void append(std::vector<Point>& to, const Column& column, std::span<const Time> time, std::span<const double> values) {
  std::array<std::size_t, 4> rows{column.first, column.lowest, column.highest, column.last};
  std::sort(rows.begin(), rows.end());
  const auto end = std::unique(rows.begin(), rows.end());
  bool starts = column.starts;
  for (auto row = rows.begin(); row != end; ++row) {
    to.push_back({time[*row], values[*row], starts});
    starts = false;
  }
}

std::vector<Point> all_points(std::span<const Time> time, std::span<const double> values) {
  std::vector<Point> points;
  points.reserve(time.size());
  bool starts = true;
  for (std::size_t row = 0; row < time.size(); ++row) {
    if (std::isfinite(values[row])) points.push_back({time[row], values[row], starts});
    starts = !std::isfinite(values[row]);
  }
  return points;
}

}  // namespace

std::vector<Point> decimate(std::span<const Time> time, std::span<const double> values, std::size_t columns) {
  columns = std::max<std::size_t>(columns, 1);
  if (time.size() <= 4 * columns) return all_points(time, values);

  const double length = time.back() - time.front();
  const auto column_of = [&](Time t) {
    const double place = length > 0 ? (t - time.front()) / length * static_cast<double>(columns) : 0;
    return std::min(static_cast<std::size_t>(place), columns - 1);
  };
  std::vector<Point> points;
  points.reserve(4 * columns);
  Column column;
  bool open = false;
  bool gap = true;
  for (std::size_t row = 0; row < time.size(); ++row) {
    if (!std::isfinite(values[row])) {
      gap = true;
      continue;
    }
    const std::size_t number = column_of(time[row]);
    if (open && number == column.number) {
      if (values[row] < values[column.lowest]) column.lowest = row;
      if (values[row] > values[column.highest]) column.highest = row;
      column.last = row;
    } else {
      if (open) append(points, column, time, values);
      column = {number, row, row, row, row, gap};
      open = true;
    }
    gap = false;
  }
  if (open) append(points, column, time, values);
  return points;
}

}  // namespace consort::draw
