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

// Computes divided differences, in which a derivative replaces the difference of a point with itself; then turns
// Newton's form into Taylor's form around `at`.
void hermite_weights(std::span<const Time> points, Time at, Weights& w) {
  CONSORT_ASSERT(!points.empty() && points.size() <= most_points);
  const auto n = points.size();
  std::array<std::size_t, most_points> first{};  // index of the first occurrence of a point
  for (std::size_t i = 1; i < n; ++i) first[i] = points[i] == points[i - 1] ? first[i - 1] : i;
  for (std::size_t k = 0; k < n; ++k) {
    std::array<double, most_points> newton{};
    for (std::size_t i = 0; i < n; ++i) newton[i] = first[i] == k ? 1 : 0;
    double factorial = 1;
    for (std::size_t j = 1; j < n; ++j) {
      factorial *= static_cast<double>(j);
      for (std::size_t i = n - 1; i >= j; --i) {
        newton[i] = first[i] == first[i - j] ? (first[i] + j == k ? 1 / factorial : 0)
                                             : (newton[i] - newton[i - 1]) / (points[i] - points[i - j]);
      }
    }
    std::array<double, most_points> taylor{};
    for (std::size_t j = n; j-- > 0;) {
      for (std::size_t m = n - 1; m > 0; --m) taylor[m] = taylor[m - 1] + (at - points[j]) * taylor[m];
      taylor[0] = newton[j] + (at - points[j]) * taylor[0];
    }
    factorial = 1;
    for (std::size_t m = 0; m < n; ++m) {
      if (m > 0) factorial *= static_cast<double>(m);
      w[m][k] = factorial * taylor[m];
    }
  }
}

History::History(Memory& memory, const std::string& name, std::size_t width, int derivatives)
    : width_(width),
      each_(static_cast<std::size_t>(derivatives) + 1),
      ends_(memory.back.reserve<Ends>(name)),
      times_(memory.stays.reserve<Time>(name + " times", places)),
      values_(memory.stays.reserve<double>(name + " values", width_ * each_ * places)) {}

void History::push(Memory& memory, Time t, std::span<const double> values, std::span<const double> derivatives) const {
  CONSORT_ASSERT(values.size() == width_ && derivatives.size() == (each_ - 1) * width_);
  const auto point = new_point(memory, t);
  std::copy(derivatives.begin(), derivatives.end(), std::copy(values.begin(), values.end(), point.begin()));
}

void History::push(Memory& memory, const History& other, int back) const {
  CONSORT_ASSERT(other.width_ == width_ && other.each_ == each_);
  const auto point = new_point(memory, other.time(memory, back));
  std::copy_n(other.values(memory, back).begin(), point.size(), point.begin());
}

std::span<double> History::new_point(Memory& memory, Time t) const {
  auto& e = memory.back.at(ends_);
  if (e.count == 0 || memory.stays[times_][place(memory, 0)] != t) {
    e.newest = e.newest + 1 == places ? 0 : e.newest + 1;
    ++e.pushed;
    e.count = std::min(e.count + 1, most_points);
  }
  const std::size_t at = place(memory, 0);
  memory.stays[times_][at] = t;
  return memory.stays[values_].subspan(at * each_ * width_, each_ * width_);
}

void History::take_up(Memory& memory, const Ends& before) const {
  auto& e = memory.back.at(ends_);
  CONSORT_ASSERT(e.pushed - before.pushed <= most_undone);
  e.count = std::min(before.count + static_cast<int>(e.pushed - before.pushed), most_points);
}

}  // namespace consort::couple
