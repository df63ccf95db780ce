#include "describe/measure.hpp"

#include <gtest/gtest.h>

namespace consort::describe {
namespace {

Measure measure(std::string_view name, std::array<std::int8_t, 8> exponents, double factor = 1, double offset = 0) {
  return {name, BaseUnit{exponents, factor, offset}, {}, 0};
}

const std::array<std::int8_t, 8> temperature{0, 0, 0, 0, 1};
const std::array<std::int8_t, 8> pressure{1, -1, -2};
const std::array<std::int8_t, 8> rate{0, 0, -1};
const std::array<std::int8_t, 8> angular{0, 0, -1, 0, 0, 0, 0, 1};

TEST(Conversion, AppliesTheOffsetOfTemperatures) {
  const auto c = conversion(measure("degC", temperature, 1, 273.15), measure("K", temperature));
  ASSERT_TRUE(c);
  EXPECT_DOUBLE_EQ((*c)(20), 293.15);
  const auto back = conversion(measure("K", temperature), measure("degC", temperature, 1, 273.15));
  ASSERT_TRUE(back);
  EXPECT_DOUBLE_EQ((*back)(293.15), 20);
}

TEST(Conversion, GoesBetweenTwoUnitsThatBothHaveFactorAndOffset) {
  // 68 °F are 20 °C; ten significant digits, because the factor 5/9 is not exact.
  const auto c = conversion(measure("degF", temperature, 5.0 / 9.0, 273.15 - 32 * 5.0 / 9.0),
                            measure("degC", temperature, 1, 273.15));
  ASSERT_TRUE(c);
  EXPECT_NEAR((*c)(68), 20, 1e-10);
  EXPECT_NEAR((*c)(-40), -40, 1e-10);
}

TEST(Conversion, LeavesTheOffsetOutOfDifferences) {
  const auto c = conversion(measure("degC", temperature, 1, 273.15), measure("K", temperature), true);
  ASSERT_TRUE(c);
  EXPECT_EQ((*c)(20), 20);
}

TEST(Conversion, AppliesFactors) {
  const auto c = conversion(measure("bar", pressure, 1e5), measure("Pa", pressure));
  ASSERT_TRUE(c);
  EXPECT_DOUBLE_EQ((*c)(1.5), 1.5e5);
  const auto back = conversion(measure("Pa", pressure), measure("bar", pressure, 1e5));
  ASSERT_TRUE(back);
  EXPECT_DOUBLE_EQ((*back)(1.5e5), 1.5);
}

TEST(Conversion, RefusesWhatMeasuresSomethingElse) {
  EXPECT_FALSE(conversion(measure("K", temperature), measure("Pa", pressure)));
  // Equal names do not suffice if the definitions differ.
  EXPECT_FALSE(conversion(measure("x", temperature), measure("x", pressure)));
  // Radian is a separate dimension in FMI: 1/s is not an angular velocity.
  EXPECT_FALSE(conversion(measure("Hz", rate), measure("rad/s", angular)));
}

TEST(Conversion, TakesUnknownUnitsForEqualOnlyByName) {
  const Measure unknown{"widgets", std::nullopt, {}, 0};
  const auto same = conversion(unknown, unknown);
  ASSERT_TRUE(same);
  EXPECT_EQ((*same)(3), 3);
  EXPECT_FALSE(conversion(unknown, {"gadgets", std::nullopt, {}, 0}));
  EXPECT_FALSE(conversion(unknown, measure("K", temperature)));
  EXPECT_TRUE(conversion({"K", std::nullopt, {}, 0}, measure("K", temperature)));
}

TEST(DisplayUnit, ConvertsBothWays) {
  const DisplayUnit celsius{"degC", 1, -273.15, false};
  EXPECT_DOUBLE_EQ(celsius.from_unit(293.15), 20);
  EXPECT_DOUBLE_EQ(celsius.to_unit(20), 293.15);
  // 1/s displayed as a period.
  const DisplayUnit period{"min", 1.0 / 60, 0, true};
  EXPECT_DOUBLE_EQ(period.from_unit(0.5), 1.0 / 30);
  EXPECT_DOUBLE_EQ(period.to_unit(period.from_unit(0.5)), 0.5);
}

TEST(BaseUnit, IsNamedAsInTheXml) {
  EXPECT_STREQ(base_unit_name(0), "kg");
  EXPECT_STREQ(base_unit_name(7), "rad");
  EXPECT_THROW((void)base_unit_name(8), std::out_of_range);
}

}  // namespace
}  // namespace consort::describe
