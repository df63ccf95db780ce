#include "draw/axis.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace consort::draw {
namespace {

using testing::ElementsAre;

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> all;
  for (const Axis::Tick& tick : axis.ticks) all.push_back(tick.label);
  return all;
}

TEST(Axis, PutsTicksAtRoundNumbers) {
  EXPECT_THAT(labels(make_axis(0, 10, 5)), ElementsAre("0", "2", "4", "6", "8", "10"));
  EXPECT_THAT(labels(make_axis(-1, 1, 4)), ElementsAre("−1.0", "−0.5", "0.0", "0.5", "1.0"));
  EXPECT_THAT(labels(make_axis(0, 0.3, 3)), ElementsAre("0.0", "0.1", "0.2", "0.3"));
}

TEST(Axis, NamesLargeAndSmallNumbersWithAFactor) {
  const Axis pressure = make_axis(99'000, 103'000, 4);
  EXPECT_EQ(pressure.factor(), "×10³");
  EXPECT_THAT(labels(pressure), ElementsAre("99", "100", "101", "102", "103"));
  EXPECT_EQ(make_axis(0, 2e-6, 4).factor(), "×10⁻⁶");
  EXPECT_EQ(make_axis(0, 4e12, 4).factor(), "×10¹²");
  EXPECT_EQ(make_axis(0, 10, 4).factor(), "");
}

TEST(Axis, CallsTimeByItsUsualUnits) {
  EXPECT_EQ(time_title(make_axis(0, 10, 5)), "Time [s]");
  EXPECT_EQ(time_title(make_axis(0, 5e-3, 5)), "Time [ms]");
  EXPECT_EQ(time_title(make_axis(0, 5e-5, 5)), "Time [µs]");
  EXPECT_EQ(time_title(make_axis(0, 5e7, 5)), "Time [×10⁶ s]");
}

TEST(Axis, GivesConstantsRoom) {
  for (const double value : {0.0, 5.0, -3e-7, 1e300, 1.7e308, -1.7e308, 5e-324}) {
    const Axis axis = make_axis(value, value, 5);
    EXPECT_LT(axis.low, axis.high) << value;
    EXPECT_TRUE(std::isfinite(axis.high - axis.low)) << value;
  }
  const Axis rounding = make_axis(0.3, 0.1 + 0.2, 5);
  EXPECT_GT(rounding.high - rounding.low, 0.01) << "rounding is not worth a look";
}

TEST(Axis, SurvivesLimitsThatAreNone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const double huge = std::numeric_limits<double>::max();
  for (const Axis& axis : {make_axis(nan, nan, 5), make_axis(inf, -inf, 5), make_axis(-inf, inf, 5),
                           make_axis(-huge, huge, 5), make_axis(-huge, huge, 5, 0.06)}) {
    EXPECT_TRUE(std::isfinite(axis.high - axis.low));
    EXPECT_LT(axis.low, axis.high);
    EXPECT_LT(axis.ticks.size(), 20U);
  }
}

TEST(Axis, KeepsItsPromisesForAnyLimits) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-30, 30);
  for (int run = 0; run < 20'000; ++run) {
    const double a = mantissa(random) * std::pow(10, exponent(random));
    const double b =
        run % 3 == 0 ? a * (1 + 1e-6 * mantissa(random)) : mantissa(random) * std::pow(10, exponent(random));
    const Axis axis = make_axis(std::min(a, b), std::max(a, b), 2 + run % 9, 0.05);
    ASSERT_GE(axis.ticks.size(), 2U) << a << " " << b;
    ASSERT_LE(axis.ticks.size(), 14U) << a << " " << b;
    std::set<std::string> different;
    for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
      ASSERT_GE(axis.ticks[i].value, axis.low);
      ASSERT_LE(axis.ticks[i].value, axis.high);
      ASSERT_TRUE(different.insert(axis.ticks[i].label).second) << a << " " << b << " " << axis.ticks[i].label;
    }
  }
}

TEST(LogarithmicAxis, HasPowersOfTen) {
  const Axis axis = make_logarithmic_axis(-6, -1, 6);
  ASSERT_GE(axis.ticks.size(), 2U);
  for (const auto& tick : axis.ticks) EXPECT_EQ(tick.value, std::round(tick.value)) << tick.label;
  EXPECT_EQ(axis.ticks.front().label, "1e-06");
  EXPECT_EQ(axis.ticks.back().label, "0.1");
}

TEST(LogarithmicAxis, ShowsAScaleWhereValuesHardlyChange) {
  for (const double value : {-3.0, 0.15, 2.6, 300.0}) {
    const Axis axis = make_logarithmic_axis(value, value, 5, 0.06);
    EXPECT_GE(axis.ticks.size(), 2U) << value;
    EXPECT_LE(axis.low, value);
    EXPECT_GE(axis.high, value);
  }
}

}  // namespace
}  // namespace consort::draw
