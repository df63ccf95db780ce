#include "couple/history.hpp"

#include <algorithm>

namespace consort::couple {

// Fornberg's recursion for the weights of finite differences on arbitrary points.
void derivative_weights(std::span<const Time> points, Time at, Weights& w) {
  CONSORT_ASSERT(!points.empty() && points.size() <= most_points);
  const auto n = points.size();
  for (std::size_t m = 0; m < n; ++m) std::fill_n(w[m].begin(), n, 0.0);
  w[0][0] = 1;
  double c1 = 1;
  double c4 = points[0] - at;
  for (std::size_t i = 1; i < n; ++i) {
    double c2 = 1;
    const double c5 = c4;
    c4 = points[i] - at;
    for (std::size_t j = 0; j < i; ++j) {
      const double c3 = points[i] - points[j];
      c2 *= c3;
      if (j == i - 1) {
        for (std::size_t k = i; k > 0; --k)
          w[k][i] = c1 * (static_cast<double>(k) * w[k - 1][i - 1] - c5 * w[k][i - 1]) / c2;
        w[0][i] = -c1 * c5 * w[0][i - 1] / c2;
      }
      for (std::size_t k = i; k > 0; --k) w[k][j] = (c4 * w[k][j] - static_cast<double>(k) * w[k - 1][j]) / c3;
      w[0][j] = c4 * w[0][j] / c3;
    }
    c1 = c2;
  }
}

Weights derivative_weights(std::span<const Time> points, Time at) {
  Weights w{};
  derivative_weights(points, at, w);
  return w;
}

History::History(Memory& memory, const std::string& name, std::size_t width)
    : width_(width),
      ends_(memory.back.reserve<Ends>(name)),
      times_(memory.stays.reserve<Time>(name + " times", places)),
      values_(memory.stays.reserve<double>(name + " values", width * places)) {}

void History::push(Memory& memory, Time t, std::span<const double> values) const {
  CONSORT_ASSERT(values.size() == width_);
  auto& e = memory.back.at(ends_);
  if (e.count == 0 || memory.stays[times_][place(memory, 0)] != t) {
    e.newest = e.newest + 1 == places ? 0 : e.newest + 1;
    ++e.pushed;
    e.count = std::min(e.count + 1, most_points);
  }
  const std::size_t at = place(memory, 0);
  memory.stays[times_][at] = t;
  std::copy(values.begin(), values.end(), memory.stays[values_].begin() + static_cast<std::ptrdiff_t>(at * width_));
}

void History::take_up(Memory& memory, const Ends& before) const {
  auto& e = memory.back.at(ends_);
  CONSORT_ASSERT(e.pushed - before.pushed <= most_undone);
  e.count = std::min(before.count + static_cast<int>(e.pushed - before.pushed), most_points);
}

}  // namespace consort::couple
