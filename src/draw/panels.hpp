// Selects signals to draw and assigns them to panels. Internal to draw/.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "draw/axis.hpp"
#include "draw/decimate.hpp"
#include "record/result.hpp"

namespace consort::draw {

struct Curve {
  const record::Result::Trajectory* trajectory = nullptr;
  std::size_t colour = 0;  // index over all panels
  // Values are drawn at scale * value + offset, which stacks lanes.
  double scale = 1;
  double offset = 0;
  bool marks = false;  // draw unconnected points
};

struct Panel {
  std::string unit;
  bool lanes = false;  // Boolean signals, one lane each
  std::vector<Curve> curves;
  bool logarithmic = false;  // values are base-10 logarithms of the axis labels

  // Makes the axis for the drawn values of all curves; low > high if there is no finite value.
  [[nodiscard]] Axis value_axis(int most) const;
  // Returns the unit; for a single curve, with its name: "h [m]".
  [[nodiscard]] std::string title() const;
};

struct Panels {
  std::vector<Panel> panels;
  std::size_t left_out = 0;  // number of signals omitted because there are too many; only if no names are given
  double start = 0;          // start of the result
  double end = 0;
};

// Implements the rules of plot.hpp.
[[nodiscard]] Panels choose(const record::Result& result, std::span<const std::string> names);

// Stacks the curves, first curve on top.
void place_lanes(Panel& panel);

// Returns the points of a curve to draw, decimated to this number of columns.
[[nodiscard]] std::vector<Point> points_of(const record::Result& result, const Curve& curve, std::size_t columns);

}  // namespace consort::draw
