#include "draw/panels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace consort::draw {

namespace {

using Trajectory = record::Result::Trajectory;
constexpr std::size_t most_without_names = 24;  // more curves are not readable

bool is_truth(Type type) { return type == Type::Boolean || type == Type::Clock; }

std::vector<const Trajectory*> chosen(const record::Result& result, std::span<const std::string> names) {
  std::vector<const Trajectory*> signals;
  for (const std::string& name : names) {
    const Trajectory& t = result[name];
    require(!t.is_text(), "the signal '{}' is a {} and cannot be drawn; choose numeric signals", name,
            name_of(t.signal.type));
    if (std::find(signals.begin(), signals.end(), &t) == signals.end()) signals.push_back(&t);
  }
  if (!names.empty()) return signals;
  for (const Trajectory& t : result.trajectories) {
    if (!t.is_text()) signals.push_back(&t);
  }
  require(!signals.empty(), "the result has no numeric signals; there is nothing to draw");
  return signals;
}

Panel& panel_for(std::vector<Panel>& panels, const Trajectory& t) {
  const bool lanes = is_truth(t.signal.type);
  for (Panel& panel : panels) {
    if (panel.lanes == lanes && (lanes || panel.unit == t.signal.unit)) return panel;
  }
  return panels.emplace_back(Panel{lanes ? "" : t.signal.unit, lanes, {}});
}

}  // namespace

void place_lanes(Panel& panel) {
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    panel.curves[i].scale = 0.6;
    panel.curves[i].offset = static_cast<double>(panel.curves.size() - 1 - i) + 0.2;
  }
}

std::vector<Point> points_of(const record::Result& result, const Curve& curve, std::size_t columns) {
  auto points = decimate(result.time, curve.trajectory->numbers, columns);
  if (curve.marks)
    for (Point& point : points) point.starts = true;
  return points;
}

Panels choose(const record::Result& result, std::span<const std::string> names) {
  require(result.rows() > 0, "the result has no rows; there is nothing to draw");
  std::vector<const Trajectory*> signals = chosen(result, names);
  Panels all;
  if (names.empty() && signals.size() > most_without_names) {
    all.left_out = signals.size() - most_without_names;
    signals.resize(most_without_names);
  }
  std::size_t colour = 0;
  for (const Trajectory* t : signals) panel_for(all.panels, *t).curves.push_back({t, 0, 1, 0});
  for (Panel& panel : all.panels) {
    for (Curve& curve : panel.curves) curve.colour = colour++;
    if (panel.lanes) place_lanes(panel);
  }
  all.start = result.time.front();
  all.end = result.time.back();
  return all;
}

Axis Panel::value_axis(int most) const {
  if (lanes) {
    Axis axis{0, static_cast<double>(curves.size()), {}, 0};
    for (auto curve = curves.rbegin(); curve != curves.rend(); ++curve) {
      axis.ticks.push_back({curve->offset, "0"});
      axis.ticks.push_back({curve->offset + curve->scale, "1"});
    }
    return axis;
  }
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Curve& curve : curves) {
    for (const double value : curve.trajectory->numbers) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  return logarithmic ? make_logarithmic_axis(low, high, most, 0.06) : make_axis(low, high, most, 0.06);
}

std::string Panel::title() const {
  std::string in = unit.empty() ? "" : "[" + unit + "]";
  if (lanes || curves.size() != 1) return in;
  return curves.front().trajectory->signal.name + (in.empty() ? "" : " " + in);
}

}  // namespace consort::draw
