// Which signals are drawn, and in which panel. Internal to draw/.
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
  std::size_t colour = 0;  // counts through all panels
  // Values are drawn at scale * value + offset: lanes lie above each other.
  double scale = 1;
  double offset = 0;
  bool marks = false;  // points that are not connected
};

struct Panel {
  std::string unit;
  bool lanes = false;  // truth values
  std::vector<Curve> curves;
  bool logarithmic = false;  // values are logarithms (to 10) of what the axis says

  // Over all curves, as drawn; low > high when there is no finite value.
  [[nodiscard]] Axis value_axis(int most) const;
  // The unit, with the name before it where there is only one curve: "h [m]".
  [[nodiscard]] std::string title() const;
};

struct Panels {
  std::vector<Panel> panels;
  std::size_t left_out = 0;  // signals that were not chosen by name and are too many
  double start = 0;          // of the result
  double end = 0;
};

// As plot.hpp says.
[[nodiscard]] Panels choose(const record::Result& result, std::span<const std::string> names);

// Above each other, the first curve topmost.
void place_lanes(Panel& panel);

// What is drawn of a curve, thinned to so many columns.
[[nodiscard]] std::vector<Point> points_of(const record::Result& result, const Curve& curve, std::size_t columns);

}  // namespace consort::draw
