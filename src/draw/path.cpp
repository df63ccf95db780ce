#include "draw/path.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

#include <fmt/format.h>

namespace consort::draw {

namespace {

// Rounds to hundredths of a pixel.
double rounded(double v) {
  v = std::round(v * 100) / 100;
  return v == 0 ? 0 : v;
}

void append(std::string& path, const char* command, double v) {
  fmt::format_to(std::back_inserter(path), "{}{}", command, rounded(v));
}

// The slopes of lines from a fixed point that pass all later points within the tolerance.
struct Cone {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

}  // namespace

std::vector<Dot> straighten(const std::vector<Dot>& line, double tolerance) {
  if (line.size() < 3) return line;
  std::vector<Dot> kept{line.front()};
  Cone cone;
  for (std::size_t i = 1; i + 1 < line.size(); ++i) {
    const Dot& from = kept.back();
    const double dx = line[i].x - from.x;
    bool needed = dx <= 0 || line[i + 1].x <= line[i].x;
    if (!needed) {
      cone.low = std::max(cone.low, (line[i].y - tolerance - from.y) / dx);
      cone.high = std::min(cone.high, (line[i].y + tolerance - from.y) / dx);
      const double slope = (line[i + 1].y - from.y) / (line[i + 1].x - from.x);
      needed = slope < cone.low || slope > cone.high;
    }
    if (needed) {
      kept.push_back(line[i]);
      cone = {};
    }
  }
  kept.push_back(line.back());
  return kept;
}

void append_line(std::string& path, const std::vector<Dot>& line) {
  const char* command = "M";
  for (const Dot& dot : line) {
    append(path, command, dot.x);
    append(path, " ", dot.y);
    command = "L";
  }
}

void append_steps(std::string& path, const std::vector<Dot>& line) {
  append(path, "M", line.front().x);
  append(path, " ", line.front().y);
  double y = rounded(line.front().y);
  for (std::size_t i = 1; i < line.size(); ++i) {
    const bool changes = rounded(line[i].y) != y;
    if (changes || i + 1 == line.size()) append(path, "H", line[i].x);
    if (!changes) continue;
    append(path, "V", line[i].y);
    y = rounded(line[i].y);
  }
}

}  // namespace consort::draw
