#include "step/step_size.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace consort::step {
namespace {

TEST(StepSize, FollowsTheOrderOfTheMethod) {
  const StepSizeRules rules;
  // An error of 2^-p of the tolerance allows twice the step, less the safety factor.
  for (int p = 1; p <= 5; ++p) EXPECT_NEAR(step_factor(rules, std::exp2(-p), 0, p), 0.9 * 2, 1e-12);
}

TEST(StepSize, ChangesWithinItsLimits) {
  const StepSizeRules rules;
  EXPECT_EQ(step_factor(rules, 0, 0, 2), 5);
  EXPECT_EQ(step_factor(rules, 1e30, 0, 2), 0.2);
  EXPECT_EQ(step_factor(rules, std::nan(""), 0, 2), 0.2);
}

TEST(StepSize, WithPiGrowsLessAfterErrorsThatRise) {
  StepSizeRules rules;
  rules.pi = true;
  EXPECT_LT(step_factor(rules, 0.5, 0.1, 2), step_factor(rules, 0.5, 0.5, 2));
  EXPECT_LT(step_factor(rules, 0.5, 0.5, 2), step_factor(rules, 0.5, 0.9, 2));
}

TEST(StepSize, NeverLeavesASmallRest) {
  EXPECT_EQ(fit_step(1, 0.9), 0.9);
  EXPECT_EQ(fit_step(1, 1.0005), 1.0005);
  EXPECT_EQ(fit_step(1, 1.04), 0.52);
  EXPECT_EQ(fit_step(1, 1.5), 1);
  EXPECT_EQ(fit_step(1, 2.5), 1);
}

TEST(StepSize, RefusesWhatMakesNoSense) {
  graph::StepControl c;
  c.tolerance = 0;
  EXPECT_THROW(static_cast<void>(tolerances(c, 1e-4)), Error);
  c.tolerance = 1e-4;
  c.absolute = -1e-4;
  EXPECT_THROW(static_cast<void>(tolerances(c, 1e-4)), Error);
  c = {};
  c.minimum = 2;
  c.maximum = 1;
  EXPECT_THROW(static_cast<void>(step_size_rules(c, Grid(0, 1, 1e-3))), Error);
  c = {};
  c.grow = 1;
  EXPECT_THROW(static_cast<void>(step_size_rules(c, Grid(0, 1, 1e-3))), Error);
  c = {};
  c.safety = 0;
  EXPECT_THROW(static_cast<void>(step_size_rules(c, Grid(0, 1, 1e-3))), Error);
  EXPECT_NO_THROW(static_cast<void>(step_size_rules({}, Grid(0, 1, 1e-3))));
}

}  // namespace
}  // namespace consort::step
