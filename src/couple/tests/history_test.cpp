#include "couple/history.hpp"

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

TEST(History, TakesThePointsOfAnother) {
  History a(2);
  for (const double t : {0.0, 0.1, 0.3}) a.push(t, std::array{t, -t});
  History b(2);
  b.push(7, std::array{7.0, 8.0});
  b.take(a);
  ASSERT_EQ(b.points(), 3);
  EXPECT_EQ(b.time(0), 0.3);
  EXPECT_EQ(b.values(2)[1], 0.0);
  EXPECT_EQ(b.values(0)[1], -0.3);
  // And goes on as the other one does.
  for (auto* const h : {&a, &b}) h->push(0.4, std::array{1.0, 2.0});
  for (int k = 0; k < 4; ++k) EXPECT_EQ(a.values(k)[0], b.values(k)[0]) << k;
  a.drop();
  b.take(a);
  EXPECT_EQ(b.points(), 0);
  b.push(1, std::array{3.0, 4.0});
  EXPECT_EQ(b.values(0)[0], 3.0);
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
