#include "report/growth_watch.hpp"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

namespace consort::report {
namespace {

std::optional<GrowthWatch::Growth> after(int steps, const std::function<double(int)>& value, double nominal = 1) {
  GrowthWatch watch;
  for (int n = 0; n < steps; ++n) {
    if (!watch.is_due()) continue;
    const double values[] = {1.0, value(n)};
    const double nominals[] = {1.0, nominal};
    watch.look(values, nominals);
  }
  return watch.growth();
}

TEST(GrowthWatch, SeesWhatExplodesInFewStepsAndInMany) {
  for (const int steps : {16, 100, 1000, 20'000}) {
    const double rate = 100.0 / steps;  // e¹⁰⁰ in total
    const auto found = after(steps, [&](int n) { return std::exp(rate * n) * std::cos(2.0 * n); });
    ASSERT_TRUE(found) << steps;
    EXPECT_EQ(found->signal, 1U);
  }
}

TEST(GrowthWatch, SeesGrowthBeyondAllNumbersButNotNumbersThatAreNone) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(after(200, [](int n) { return n < 150 ? std::pow(100, n) : nan; }));
  EXPECT_FALSE(after(200, [](int n) { return n < 20 ? 1.0 : nan; }));
}

// Zeros, then ones from a given step on.
bool at_rest(int steps, int until) {
  GrowthWatch watch;
  for (int n = 0; n < steps; ++n) {
    if (!watch.is_due()) continue;
    const double values[] = {n < until ? 0.0 : 1.0};
    const double nominals[] = {1.0};
    watch.look(values, nominals);
  }
  return watch.growth().has_value();
}

TEST(GrowthWatch, LeavesOrdinarySignalsAlone) {
  const auto nothing = [](const std::function<double(int)>& value) {
    for (const int steps : {3, 10, 100, 5000})
      if (after(steps, value)) return false;
    return true;
  };
  EXPECT_TRUE(nothing([](int) { return 1e30; }));
  EXPECT_FALSE(at_rest(100, 200)) << "nothing moves";
  EXPECT_FALSE(at_rest(100, 97)) << "a jump at the end of a rest";
  EXPECT_TRUE(nothing([](int n) { return 1.0 * n; }));                          // a ramp
  EXPECT_TRUE(nothing([](int n) { return std::pow(n, 3); }));                   // a fast one
  EXPECT_TRUE(nothing([](int n) { return 1e6 * std::sin(0.1 * n); }));          // a large oscillation
  EXPECT_TRUE(nothing([](int n) { return n < 50 ? 0 : 1e9; }));                 // a jump
  EXPECT_TRUE(nothing([](int n) { return std::exp(std::min(0.5 * n, 9.)); }));  // growth that ends
}

}  // namespace
}  // namespace consort::report
