#include "couple/approximation.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "couple/tests/powers.hpp"

namespace consort::couple {
namespace {

// In the order of the communication point: `end` first if it is known, then every point once per datum.
std::vector<Time> data_of(const Approximation& row, std::span<const Time> points, const Time* end, std::size_t most) {
  std::vector<Time> data;
  if (end != nullptr) data.push_back(*end);
  for (const Time t : points)
    for (int d = 0; d < row.each() && data.size() < most; ++d) data.push_back(t);
  return data;
}

// Checks every polynomial that the approximation reproduces, in all derivatives at `at`.
void expect_exact(const Approximation& row, const std::vector<Time>& data, Time at) {
  Weights w{};
  row.weights(data, at, w);
  const int n = static_cast<int>(data.size());
  for (int degree = 0; degree < n; ++degree) {
    for (int m = 0; m < n; ++m) {
      double sum = 0;
      double size = 1;  // rounding grows with the weights
      int order = 0;
      for (std::size_t k = 0; k < data.size(); ++k) {
        order = k > 0 && data[k] == data[k - 1] ? order + 1 : 0;
        const double term = w[static_cast<std::size_t>(m)][k] * derivative(data[k], degree, order);
        sum += term;
        size += std::abs(term);
      }
      EXPECT_NEAR(sum, derivative(at, degree, m), 1e-10 * size) << row.name << ' ' << degree << ' ' << m;
    }
  }
}

// Steps of any ratio up to 4, with the whole past or a part of it, extrapolated and interpolated.
TEST(Approximations, AreExactForPolynomialsOfTheirOrder) {
  std::minstd_rand random(7);
  std::uniform_real_distribution<double> step(0.25, 1);
  for (const auto& row : approximations()) {
    ASSERT_LE(row.order(), fleet::highest_order);
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<Time> points{0.5};
      for (int i = 1; i < row.points; ++i) points.push_back(points.back() - step(random));
      const Time end = points.front() + step(random);
      for (std::size_t known = 1; known <= points.size(); ++known) {
        const auto past = std::span<const Time>(points).first(known);
        const auto all = static_cast<std::size_t>(row.order()) + 1;
        expect_exact(row, data_of(row, past, nullptr, all), points.front());
        expect_exact(row, data_of(row, past, nullptr, all), end);
        expect_exact(row, data_of(row, past, &end, all), points.front());
      }
    }
  }
}

TEST(Approximations, ThroughValuesAndSlopesAreTheKnownOnes) {
  // P 2.2.2 at equal steps: u(1) = 5 u0 - 4 u1 + 4 u0' + 2 u1' ends below the true t^4 by Π (1 + node) = 4.
  const std::vector<Time> data{0, 0, -1, -1};
  Weights w{};
  find_approximation("hermite-2").weights(data, 1, w);
  EXPECT_THAT(std::vector<double>(w[0].begin(), w[0].begin() + 4), ::testing::ElementsAre(-4, 4, 5, 2));
}

// The error of an input is that of the monomial whose degree is one too high; the error of states is its integral over
// the step. Computed from weights, and compared with error_ratio() of the nodes.
TEST(Approximations, HaveErrorRatiosThatTheirWeightsShow) {
  std::minstd_rand random(11);
  std::uniform_real_distribution<double> step(0.25, 1);
  for (const auto& row : approximations()) {
    const int n = row.order();
    const double h = 0.5;
    std::vector<Time> points{0};
    for (int i = 1; i < row.points; ++i) points.push_back(points.back() - step(random));
    // The integral of the error from `from` to `to`.
    const auto integral = [&](std::vector<Time> data, Time from, Time to) {
      Weights w{};
      row.weights(data, from, w);
      double sum = (power(to, n + 2) - power(from, n + 2)) / (n + 2);
      double term = to - from;
      for (int m = 0; m <= n; ++m) {
        double value = 0;
        int order = 0;
        for (std::size_t k = 0; k < data.size(); ++k) {
          order = k > 0 && data[k] == data[k - 1] ? order + 1 : 0;
          value += w[static_cast<std::size_t>(m)][k] * derivative(data[k], n + 1, order);
        }
        sum -= value * term;
        term *= (to - from) / (m + 2);
      }
      return sum;
    };
    const auto all = static_cast<std::size_t>(n) + 1;
    std::vector<Time> later = points;
    later.insert(later.begin(), h);
    const double coarse = integral(data_of(row, points, nullptr, all), 0, 2 * h);
    const double fine =
        integral(data_of(row, points, nullptr, all), 0, h) + integral(data_of(row, later, nullptr, all), h, 2 * h);
    Nodes nodes;
    for (const Time t : points) nodes.add(-t / h, row.each());
    const auto second = nodes_of_second_half(nodes, n, row.each());
    EXPECT_NEAR(row.error_ratio(nodes, nodes, second).states, coarse / fine, 1e-9 * coarse / fine) << row.name;

    const Time middle = h;
    const Time end = 2 * h;
    const double whole = integral(data_of(row, points, &end, all), 0, end);
    const double halves =
        integral(data_of(row, points, &middle, all), 0, middle) + integral(data_of(row, later, &end, all), middle, end);
    if (n > 0) {
      EXPECT_NEAR(interpolated_error_ratio(nodes, nodes, n, row.each()).states, whole / halves, 1e-9 * whole / halves)
          << row.name;
    }
  }
}

TEST(Approximations, AreFoundByNameAndByOrder) {
  EXPECT_EQ(find_approximation("poly-3").order(), 2);
  EXPECT_EQ(find_approximation("2").name, "poly-3");
  EXPECT_EQ(find_approximation("0").points, 1);
  EXPECT_EQ(find_approximation("hermite-2").order(), 3);
  EXPECT_EQ(find_approximation("hermite-2").derivatives, 1);
  for (const char* const name : {"6", "poly-0", "poly-7", "hermite-4", "", "line"})
    EXPECT_THROW(static_cast<void>(find_approximation(name)), Error);
}

}  // namespace
}  // namespace consort::couple
