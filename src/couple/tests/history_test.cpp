#include "couple/history.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "couple/tests/powers.hpp"

namespace consort::couple {

namespace {

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
        // Rounding errors grow with the weights, which are of the order of 1/distance^m.
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

// A run's memory that contains only a history.
struct Remembered {
  explicit Remembered(std::size_t width) : history(memory, "past", width) {}
  void push(Time t, std::span<const double> values) { history.push(memory, t, values); }
  [[nodiscard]] int points() const { return history.points(memory); }
  [[nodiscard]] Time time(int back) const { return history.time(memory, back); }
  [[nodiscard]] std::span<const double> values(int back) const { return history.values(memory, back); }
  void drop() { history.drop(memory); }

  Memory memory;
  History history;
};

// A rejected step leaves the past unchanged, although no value is copied; also when all places of the ring are in use.
TEST(History, GoesBackWithTheArenaAsIfNothingHadBeen) {
  for (int before = 0; before <= 9; ++before) {
    Remembered h(2);
    for (int i = 0; i < before; ++i) h.push(i, std::array{1.0 * i, -1.0 * i});
    Arena saved;
    saved.copy_from(h.memory.back);
    for (int trial = 0; trial < 3; ++trial) {
      h.push(before, std::array{100.0, 0.0});
      h.push(before + 0.5 / (trial + 1), std::array{200.0, 0.0});
      if (trial == 1) h.drop();
      h.memory.back.copy_from(saved);
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

TEST(History, KeepsDerivativesBesideValues) {
  Memory memory;
  const History history(memory, "past", 2, 1);
  const History other(memory, "other", 2, 1);
  for (int i = 0; i <= most_points + 1; ++i)
    history.push(memory, i, std::array{1.0 * i, 2.0 * i}, std::array{10.0 * i, 20.0 * i});
  EXPECT_EQ(history.each(), 2);
  for (int back = 0; back < most_points; ++back) {
    const double i = most_points + 1 - back;
    EXPECT_EQ(history.values(memory, back)[1], 2 * i);
    EXPECT_EQ(history.data(memory, back, 1)[0], 10 * i);
    EXPECT_EQ(history.data(memory, back, 1)[1], 20 * i);
  }
  other.push(memory, history, 1);
  EXPECT_EQ(other.points(memory), 1);
  EXPECT_EQ(other.time(memory, 0), most_points);
  EXPECT_EQ(other.values(memory, 0)[0], most_points);
  EXPECT_EQ(other.data(memory, 0, 1)[1], 20 * most_points);
}

TEST(History, KeepsTheLastPointsNewestFirst) {
  Remembered h(1);
  constexpr int last = most_points + 1;
  for (int i = 0; i <= last; ++i) h.push(i, std::vector<double>{10.0 * i});
  EXPECT_EQ(h.points(), most_points);
  for (int back = 0; back < most_points; ++back) {
    EXPECT_EQ(h.time(back), last - back);
    EXPECT_EQ(h.values(back)[0], 10.0 * (last - back));
  }
}

TEST(History, TakesAnotherValueAtTheSameTimeInsteadOfTheFirst) {
  Remembered h(1);
  h.push(1, std::vector<double>{1});
  h.push(2, std::vector<double>{2});
  h.push(2, std::vector<double>{3});
  EXPECT_EQ(h.points(), 2);
  EXPECT_EQ(h.values(0)[0], 3);
  EXPECT_EQ(h.values(1)[0], 1);
}

TEST(History, TakesUpAPastThatWasDropped) {
  Remembered h(1);
  for (int i = 0; i < 3; ++i) h.push(i, std::vector<double>{1.0 * i});
  const auto before = h.history.ends(h.memory);
  h.push(3, std::vector<double>{3});
  h.drop();
  EXPECT_EQ(h.points(), 0);
  h.history.take_up(h.memory, before);
  EXPECT_EQ(h.points(), 4);
  EXPECT_EQ(h.values(0)[0], 3);
}

}  // namespace

}  // namespace consort::couple
