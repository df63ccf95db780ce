#include "couple/history.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace consort::couple {

namespace {

double power(double t, int n) {
  double p = 1;
  for (int i = 0; i < n; ++i) p *= t;
  return p;
}

// The m-th derivative of t^n.
double derivative(double t, int n, int m) {
  double factor = 1;
  for (int i = 0; i < m; ++i) factor *= n - i;
  return m > n ? 0.0 : factor * power(t, n - m);
}

TEST(DerivativeWeights, AreExactForPolynomialsThroughThePointsHoweverTheseLie) {
  const std::vector<std::vector<double>> all{{2}, {2, 1.9}, {2, 1.9, 1.2}, {2, 1.9, 1.2, 1.1}, {2.5, 2, 1.7, 0.3}};
  for (const auto& points : all) {
    const auto w = derivative_weights(points, 2.0);
    const int n = static_cast<int>(points.size());
    for (int degree = 0; degree < n; ++degree) {
      for (int m = 0; m < n; ++m) {
        double sum = 0;
        for (std::size_t k = 0; k < points.size(); ++k)
          sum += w[static_cast<std::size_t>(m)][k] * power(points[k], degree);
        // Rounding grows with the weights, which are of the order of 1/distance^m.
        EXPECT_NEAR(sum, derivative(2.0, degree, m), 1e-9) << degree << " " << m << " " << n;
      }
    }
  }
}

TEST(DerivativeWeights, OfEqualStepsAreTheKnownOnes) {
  const std::vector<double> points{0, -1, -2};
  const auto w = derivative_weights(points, 0.0);
  EXPECT_DOUBLE_EQ(w[1][0], 1.5);
  EXPECT_DOUBLE_EQ(w[1][1], -2);
  EXPECT_DOUBLE_EQ(w[1][2], 0.5);
  EXPECT_DOUBLE_EQ(w[2][0], 1);
  EXPECT_DOUBLE_EQ(w[2][1], -2);
  EXPECT_DOUBLE_EQ(w[2][2], 1);
}

// Whatever a step that is taken back did, the past is what it was; also when all points are in use.
TEST(History, GoesBackToAMarkAsIfNothingHadBeen) {
  for (int before = 0; before <= 9; ++before) {
    History h(2);
    for (int i = 0; i < before; ++i) h.push(i, std::array{1.0 * i, -1.0 * i});
    const auto mark = h.mark();
    for (int trial = 0; trial < 3; ++trial) {
      h.push(before, std::array{100.0, 0.0});
      h.push(before + 0.5 / (trial + 1), std::array{200.0, 0.0});
      if (trial == 1) h.drop();
      h.go_back(mark);
      ASSERT_EQ(h.points(), std::min(before, most_points));
      for (int back = 0; back < h.points(); ++back) {
        EXPECT_EQ(h.time(back), before - 1 - back);
        EXPECT_EQ(h.values(back)[1], -1.0 * (before - 1 - back));
      }
    }
    h.push(before, std::array{7.0, 8.0});
    EXPECT_EQ(h.values(0)[1], 8.0);
    EXPECT_EQ(h.points(), std::min(before + 1, most_points));
    if (before > 0) {
      EXPECT_EQ(h.time(1), before - 1);
    }
  }
}

TEST(History, KeepsTheLastPointsNewestFirst) {
  History h(1);
  for (int i = 0; i < 6; ++i) h.push(i, std::vector<double>{10.0 * i});
  EXPECT_EQ(h.points(), most_points);
  for (int back = 0; back < most_points; ++back) {
    EXPECT_EQ(h.time(back), 5 - back);
    EXPECT_EQ(h.values(back)[0], 10.0 * (5 - back));
  }
}

TEST(History, TakesAnotherValueAtTheSameTimeInsteadOfTheFirst) {
  History h(1);
  h.push(1, std::vector<double>{1});
  h.push(2, std::vector<double>{2});
  h.push(2, std::vector<double>{3});
  EXPECT_EQ(h.points(), 2);
  EXPECT_EQ(h.values(0)[0], 3);
  EXPECT_EQ(h.values(1)[0], 1);
}

TEST(History, IsCopiedWithAllItHolds) {
  History h(2);
  h.push(1, std::vector<double>{1, 2});
  History copy = h;
  h.push(2, std::vector<double>{3, 4});
  EXPECT_EQ(copy.points(), 1);
  EXPECT_EQ(copy.values(0)[1], 2);
  h.drop();
  EXPECT_EQ(h.points(), 0);
}

}  // namespace

}  // namespace consort::couple
