#include "graph/known_measures.hpp"

#include <string>

#include <gtest/gtest.h>

namespace consort::graph::known_measures_test {
namespace {

struct Case {
  const char* name;
  double factor;
  std::array<std::int8_t, 8> exponents;  // kg, m, s, A, K, mol, cd, rad
};

TEST(KnownMeasures, HavePrefixesPowersAndProducts) {
  const Case cases[] = {{"kN", 1e3, {1, 1, -2}},     {"mOhm", 1e-3, {1, 2, -3, -2}},
                        {"m/s2", 1, {0, 1, -2}},     {"m/s^2", 1, {0, 1, -2}},
                        {"m.s-2", 1, {0, 1, -2}},    {"1/min", 1.0 / 60, {0, 0, -1}},
                        {"kN.s/m", 1e3, {1, 0, -1}}, {"W/(m2.K)", 1, {1, 0, -3, 0, -1}},
                        {"N/mm2", 1e6, {1, -1, -2}}, {"km/h", 1e3 / 3600, {0, 1, -1}}};
  for (const auto& c : cases) {
    const auto unit = known_measure(c.name);
    ASSERT_TRUE(unit) << c.name;
    EXPECT_NEAR(unit->factor, c.factor, 1e-15 * c.factor) << c.name;  // one rounding
    EXPECT_EQ(unit->exponents, c.exponents) << c.name;
  }
}

// A number that is not understood would change a value silently.
TEST(KnownMeasures, HoldNoNumbersBesideExponents) {
  for (const char* const name :
       {"m/1000", "10.m", "100/s", "kg/1000", "2.m", "m^", "m^/s", "m/", "/m", "m//s", "(m", "m)", "m2/m-2147483648",
        "m99999999999", "m-10", "", "(((((((((((m)))))))))))", "furlong"})
    EXPECT_FALSE(known_measure(name)) << name;
}

TEST(KnownMeasures, AreSplitFromTheirNumbers) {
  const auto split = split_measure("1.5ms");
  ASSERT_TRUE(split);
  EXPECT_EQ(split->first, "1.5");
  EXPECT_EQ(split->second, "ms");
  for (const char* const text : {"1/min", "3", "3 m", "inf", "nano", "m", "", "1e3", "3-4"})
    EXPECT_FALSE(split_measure(text)) << text;
}

}  // namespace
}  // namespace consort::graph::known_measures_test
