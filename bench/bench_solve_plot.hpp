// Panels of curves over two logarithmic axes, as SVG.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace consort::bench {

struct Curve {
  std::string name{};
  std::vector<std::pair<double, double>> points{};
};

struct Panel {
  std::string title{};
  std::vector<Curve> curves{};
};

[[nodiscard]] std::string log_log_svg(const std::vector<Panel>& panels, const std::string& x, const std::string& y);

}  // namespace consort::bench
