#include "couple/error_ratio.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace consort::couple {
namespace {

Nodes nodes(std::initializer_list<double> values) {
  Nodes n;
  for (const double v : values) n.add(v);
  return n;
}

TEST(ErrorRatio, OfSharedEqualStepsIsThatOfTheTable) {
  // c_mod of E eq. 26, computed independently: 2, 14/5, 32/9, 1076/251.
  const std::array expected{2.0, 14.0 / 5, 32.0 / 9, 1076.0 / 251};
  for (int k = 0; k <= 3; ++k) {
    const auto ratio = equal_steps_ratio(k, true);
    EXPECT_NEAR(ratio.states, expected[static_cast<std::size_t>(k)], 1e-12) << k;
    EXPECT_NEAR(ratio.outputs, k + 2, 1e-12) << k;
  }
}

TEST(ErrorRatio, OfACoarsePastIsAPowerOfTwo) {
  const std::array<double, 4> past{0, 1, 2, 3};
  for (int k = 0; k <= 3; ++k) {
    Nodes coarse;
    Nodes first;
    for (int i = 0; i <= k; ++i) {
      first.add(past[static_cast<std::size_t>(i)]);
      coarse.add(2 * past[static_cast<std::size_t>(i)]);
    }
    const auto ratio = error_ratio(coarse, first, nodes_of_second_half(first, k));
    EXPECT_NEAR(ratio.states, std::exp2(k + 1), 1e-12) << k;
    EXPECT_NEAR(ratio.outputs, std::exp2(k + 1), 1e-12) << k;
    EXPECT_EQ(ratio.order, k);
  }
}

// Ratios of polynomials of the same degree, with two data per point: 2^2K with a coarse past.
TEST(ErrorRatio, OfValuesAndSlopesCountsEveryPointTwice) {
  for (int points = 1; points <= 3; ++points) {
    const int order = 2 * points - 1;
    Nodes coarse;
    Nodes first;
    for (int i = 0; i < points; ++i) {
      first.add(i, 2);
      coarse.add(2 * i, 2);
    }
    const auto ratio = error_ratio(coarse, first, nodes_of_second_half(first, order, 2));
    EXPECT_NEAR(ratio.states, std::exp2(order + 1), 1e-9) << points;
    EXPECT_EQ(ratio.order, order);
  }
  // ∫₀² s² ds / (∫₀¹ s² ds + ∫₁² (s−1)² ds)
  EXPECT_NEAR(equal_steps_ratio(1, true, 2).states, (8.0 / 3) / (2.0 / 3), 1e-12);
}

TEST(ErrorRatio, OfInterpolatedInputsIsThatOfTheIntegrals) {
  // Equal steps with a coarse past: a power of two, as for extrapolated ones.
  for (int k = 0; k <= 3; ++k) {
    Nodes coarse;
    Nodes first;
    for (int i = 0; i <= k; ++i) {
      first.add(i);
      coarse.add(2 * i);
    }
    EXPECT_NEAR(interpolated_error_ratio(coarse, first, k).states, std::exp2(k + 1), 1e-12) << k;
  }
  // Parabolas after a step three times as long: ∫₀² (s−2) s (s+3) ds = −16/3, ∫₀¹ (s−1) s (s+3) ds = −7/12,
  // ∫₁² (s−2)(s−1) s ds = −1/4.
  EXPECT_NEAR(interpolated_error_ratio(nodes({0, 3}), nodes({0, 3}), 2).states, (16.0 / 3) / (7.0 / 12 + 1.0 / 4),
              1e-12);
  // Without a past the polynomials are lines from the beginning to the end, for any order.
  const auto alone = interpolated_error_ratio(nodes({0}), nodes({0}), 3);
  EXPECT_EQ(alone.order, 1);
}

TEST(ErrorRatio, OfUnequalStepsIsThatOfTheIntegrals) {
  // Linear, with the last point 3 H before: ∫₀² s(s+3) ds = 26/3; ∫₀¹ s(s+3) ds + ∫₁² (s−1)s ds = 11/6 + 5/6.
  const auto first = nodes({0, 3});
  const auto ratio = error_ratio(first, first, nodes_of_second_half(first, 1));
  EXPECT_NEAR(ratio.states, (26.0 / 3) / (16.0 / 6), 1e-12);
  EXPECT_NEAR(ratio.outputs, 5, 1e-12);
}

TEST(ErrorRatio, WithoutAPastIsThatOfTheFirstHalf) {
  // Held in the first half, linear in the second, whose error is of a higher order: ∫₀² s ds / ∫₀¹ s ds.
  const auto first = nodes({0});
  const auto ratio = error_ratio(first, first, nodes_of_second_half(first, 1));
  EXPECT_EQ(ratio.order, 0);
  EXPECT_NEAR(ratio.states, 4, 1e-12);
}

TEST(ErrorRatio, OfALowerCoarseOrderIsThatOfEqualSteps) {
  const auto ratio = error_ratio(nodes({0, 2}), nodes({0, 1, 2}), nodes({-1, 0, 1}));
  EXPECT_EQ(ratio.order, 1);
  EXPECT_EQ(ratio.states, 4);
}

TEST(Nodes, ComeFromWhatTheHistoryHolds) {
  Memory memory;
  const History history(memory, "past", 1);
  const double value = 0;
  for (const double t : {0.0, 0.1, 0.3}) history.push(memory, t, std::span(&value, 1));
  const auto n = nodes_before(history, memory, 0.4, 0.1, 2);
  ASSERT_EQ(n.order(), 2);
  EXPECT_NEAR(n.values()[0], 0, 0);
  EXPECT_NEAR(n.values()[1], 1, 1e-12);
  EXPECT_NEAR(n.values()[2], 3, 1e-12);
  // A point at t, from a step that was tried before, is not counted twice.
  EXPECT_EQ(nodes_before(history, memory, 0.3, 0.1, 3).order(), 2);
}

}  // namespace
}  // namespace consort::couple
