#include "step/step_size.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace consort::step {
namespace {

TEST(StepSize, FollowsTheOrderOfTheMethod) {
  const StepSizeRules rules;
  // An error of 2^-p of the tolerance allows twice the step, times the safety factor.
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

// --- attempts

// Whatever the rounding of the remaining distance.
TEST(Attempt, LandsOnTheLimit) {
  StepSizeRules rules;
  rules.maximum = 1000;
  int rounded = 0;
  for (int i = 0; i < 200; ++i) {
    const Time t = 0.1 * i, limit = 0.7 * i + 0.013;
    couple::ControlState control;
    control.next = 1000;
    const Attempt attempt = next_attempt(rules, control, t, limit);
    EXPECT_EQ(attempt.end, limit);
    EXPECT_TRUE(attempt.cut);
    rounded += t + (limit - t) != limit ? 1 : 0;
  }
  EXPECT_GT(rounded, 0) << "this test needs times whose difference is not exact";
}

TEST(Attempt, BeginsWithTheInitialStepAndStaysWithinTheLimits) {
  StepSizeRules rules;
  rules.initial = 0.25;
  rules.minimum = 0.125;
  rules.maximum = 0.5;
  couple::ControlState control;
  EXPECT_EQ(next_attempt(rules, control, 0, 100).step, 0.25);
  control.next = 0.001;
  EXPECT_EQ(next_attempt(rules, control, 0, 100).step, 0.125);
  EXPECT_FALSE(next_attempt(rules, control, 0, 100).at_maximum);
  control.next = 2;
  const Attempt attempt = next_attempt(rules, control, 1, 100);
  EXPECT_EQ(attempt.step, 0.5);
  EXPECT_EQ(attempt.end, 1.5);
  EXPECT_TRUE(attempt.at_maximum);
  EXPECT_FALSE(attempt.cut);
  EXPECT_FALSE(next_attempt(rules, control, 1, 1.3).at_maximum) << "the limit decided";
}

TEST(Attempt, IsCountedByWhatDecidedOnIt) {
  couple::ControlState control;
  count_accepted(control, {.wanted = 1, .step = 1, .end = 3}, 2, 0.5);
  EXPECT_EQ(control.taken, 1);
  EXPECT_EQ(control.error, 0.5);
  EXPECT_TRUE(control.error_decided);
  count_accepted(control, {.wanted = 1, .step = 0.5, .end = 3.5, .cut = true}, 3, 4);
  EXPECT_FALSE(control.error_decided);
  count_accepted(control, {.wanted = 1, .step = 1, .end = 4.5, .at_maximum = true}, 3.5, 2);
  EXPECT_FALSE(control.error_decided);
  EXPECT_EQ(control.accepted, 3U);
  EXPECT_EQ(control.cut, 1U);
  EXPECT_EQ(control.at_maximum, 1U);
  EXPECT_EQ(control.exceeded, 2U);
  EXPECT_EQ(control.largest_error, 4);
}

TEST(StepSize, IsAtMostAHundredCommunicationStepsUnlessAMaximumIsSet) {
  const auto maximum = [](const graph::StepControl& c, Time stop) {
    return step_size_rules(c, Grid(0, stop, 1e-3)).maximum;
  };
  EXPECT_DOUBLE_EQ(maximum({}, 1000), 0.1);
  EXPECT_DOUBLE_EQ(maximum({}, 0.05), 0.05) << "the run is shorter";
  graph::StepControl c;
  c.initial = 2;
  EXPECT_DOUBLE_EQ(maximum(c, 1000), 2) << "the first step is longer";
  c.maximum = 5;
  EXPECT_DOUBLE_EQ(maximum(c, 1000), 5);
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
