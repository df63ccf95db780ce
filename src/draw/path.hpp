// Curves as SVG path data. Internal to draw/.
#pragma once

#include <string>
#include <vector>

namespace consort::draw {

// In pixels.
struct Dot {
  double x = 0;
  double y = 0;
};

// Removes points whose vertical distance from the line without them is less than `tolerance`. x must not decrease.
// Keeps the first and the last point and the ends of vertical lines.
[[nodiscard]] std::vector<Dot> straighten(const std::vector<Dot>& line, double tolerance);

// Appends a line through the points; append_steps() moves horizontally first, then vertically.
void append_line(std::string& path, const std::vector<Dot>& line);
void append_steps(std::string& path, const std::vector<Dot>& line);

}  // namespace consort::draw
