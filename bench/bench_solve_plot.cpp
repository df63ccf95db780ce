#include "bench_solve_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/core.h>

namespace consort::bench {

namespace {

constexpr double width = 460;
constexpr double height = 340;
constexpr double left = 60;
constexpr double top = 30;
constexpr double bottom = 45;
constexpr double legend_line = 14;
constexpr std::array<std::string_view, 10> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                                   "#56b4e9", "#000000", "#7f3c8d", "#80ba5a", "#8c6d31"};

// The decades that contain all points.
struct Axis {
  int from = 0;
  int to = 1;
  [[nodiscard]] double part(double value) const { return (std::log10(value) - from) / (to - from); }
};

template <class Coordinate>
Axis decades(const Panel& panel, Coordinate&& coordinate) {
  double least = 1e300;
  double most = 1e-300;
  for (const auto& curve : panel.curves) {
    for (const auto& point : curve.points) {
      least = std::min(least, std::max(coordinate(point), 1e-16));
      most = std::max(most, coordinate(point));
    }
  }
  if (least > most) return {};
  Axis axis{static_cast<int>(std::floor(std::log10(least))), static_cast<int>(std::ceil(std::log10(most)))};
  if (axis.to <= axis.from) axis.to = axis.from + 1;
  return axis;
}

// Gives each name the same colour and dash in all panels.
class Styles {
 public:
  std::string of(const std::string& name) {
    auto at = std::find(names_.begin(), names_.end(), name);
    if (at == names_.end()) at = names_.insert(names_.end(), name);
    const auto index = static_cast<std::size_t>(at - names_.begin());
    constexpr std::array<std::string_view, 3> dashes{"none", "6 3", "2 2"};
    return fmt::format("stroke=\"{}\" stroke-dasharray=\"{}\"", colours[index % colours.size()],
                       dashes[index / colours.size() % dashes.size()]);
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

std::string axes(const Panel& panel, const Axis& x, const Axis& y, const std::string& x_name,
                 const std::string& y_name) {
  std::string svg = fmt::format("<text x=\"{}\" y=\"18\" font-weight=\"bold\">{}</text>\n", left, panel.title);
  const double right = width - 15;
  const double base = height - bottom;
  const auto line = [&](double x1, double y1, double x2, double y2) {
    svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n", x1, y1, x2,
                       y2);
  };
  for (int d = x.from; d <= x.to; ++d) {
    const double at = left + (right - left) * (d - x.from) / (x.to - x.from);
    line(at, top, at, base);
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">1e{}</text>\n", at, base + 14, d);
  }
  for (int d = y.from; d <= y.to; ++d) {
    const double at = base - (base - top) * (d - y.from) / (y.to - y.from);
    line(left, at, right, at);
    svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">1e{}</text>\n", left - 5, at + 4, d);
  }
  svg +=
      fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", (left + right) / 2, base + 32, x_name);
  svg += fmt::format("<text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     (top + base) / 2, y_name);
  return svg;
}

std::string curves(const Panel& panel, const Axis& x, const Axis& y, Styles& styles) {
  std::string svg;
  for (const auto& curve : panel.curves) {
    std::string points;
    for (const auto& [px, py] : curve.points) {
      points += fmt::format("{:.1f},{:.1f} ", left + (width - 15 - left) * x.part(std::max(px, 1e-16)),
                            height - bottom - (height - bottom - top) * y.part(py));
    }
    svg +=
        fmt::format("<polyline fill=\"none\" stroke-width=\"1.5\" {} points=\"{}\"/>\n", styles.of(curve.name), points);
  }
  return svg;
}

}  // namespace

std::string log_log_svg(const std::vector<Panel>& panels, const std::string& x_name, const std::string& y_name) {
  Styles styles;
  std::string body;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const auto& panel = panels[i];
    const auto x = decades(panel, [](const auto& point) { return point.first; });
    const auto y = decades(panel, [](const auto& point) { return point.second; });
    body += fmt::format("<g transform=\"translate({} {})\">\n", i % 2 == 0 ? 0 : width,
                        height * static_cast<double>(i / 2));
    body += axes(panel, x, y, x_name, y_name) + curves(panel, x, y, styles) + "</g>\n";
  }
  const double plots = height * static_cast<double>((panels.size() + 1) / 2);
  for (std::size_t i = 0; i < styles.names().size(); ++i) {
    const double at_x = left + (i % 3 == 0 ? 0 : i % 3 == 1 ? 290 : 580);
    const double at_y = plots + 15 + legend_line * static_cast<double>(i / 3);
    body += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke-width=\"2\" {}/>\n", at_x, at_y - 4,
                        at_x + 24, at_y - 4, styles.of(styles.names()[i]));
    body += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", at_x + 30, at_y, styles.names()[i]);
  }
  const double total = plots + 30 + legend_line * static_cast<double>((styles.names().size() + 2) / 3);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n{2}</svg>\n",
      2 * width, total, body);
}

}  // namespace consort::bench
