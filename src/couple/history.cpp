#include "couple/history.hpp"

#include <algorithm>

namespace consort::couple {

// Fornberg's recursion for the weights of finite differences on arbitrary points.
Weights derivative_weights(std::span<const Time> points, Time at) {
  CONSORT_ASSERT(!points.empty() && points.size() <= most_points);
  const auto n = points.size();
  Weights w{};
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
  return w;
}

History::History(std::size_t width) : width_(width), values_(width * slots) {}

void History::push(Time t, std::span<const double> values) {
  CONSORT_ASSERT(values.size() == width_);
  if (count_ == 0 || times_[slot(0)] != t) {
    newest_ = newest_ + 1 == slots ? 0 : newest_ + 1;
    ++pushed_;
    count_ = std::min(count_ + 1, most_points);
  }
  times_[slot(0)] = t;
  std::copy(values.begin(), values.end(), values_.begin() + static_cast<std::ptrdiff_t>(slot(0) * width_));
}

}  // namespace consort::couple
