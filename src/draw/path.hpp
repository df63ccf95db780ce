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

// Leaves out the points that lie less than `tolerance` above or below the line that is drawn without them. x must not
// decrease; first and last point, and the ends of vertical lines, stay.
[[nodiscard]] std::vector<Dot> straighten(const std::vector<Dot>& line, double tolerance);

// Appends a line through the points; in steps: first to the side, then up or down.
void append_line(std::string& path, const std::vector<Dot>& line);
void append_steps(std::string& path, const std::vector<Dot>& line);

}  // namespace consort::draw
