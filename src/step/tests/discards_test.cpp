// Steps that a unit discards in a system: all units repeat them if they can go back, else the unit does it alone.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "step/tests/coupled_system.hpp"

namespace consort::step::discards_test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using unit::Why;

constexpr Duration h = 0.1;

Why discard_long(const unit::StepRequest& r) { return r.h > 0.06 ? Why::discarded : Why::completed; }

// left and right drive each other, right drives watch. `rigid` cannot go back.
Model model(const std::string& rigid = {}) {
  Model m = two_masses();
  for (auto& unit : m.units) unit.system.can_roll_back = unit.name != rigid;
  return m;
}

graph::RunSettings settings(const std::string& stepper, const std::vector<std::string>& order = {}) {
  graph::RunSettings run;
  run.stepper = stepper;
  run.extrapolation = "0";
  run.control.controller = "fixed";
  run.order = order;
  return run;
}

// Records the sizes of the steps of a unit.
std::vector<Duration>& sizes_of(Coupled& s, const std::string& unit, std::vector<Duration>& sizes) {
  s.probe(unit).on_step = [&sizes](const unit::StepRequest& r) {
    sizes.push_back(r.h);
    return Why::completed;
  };
  return sizes;
}

// --- steppers

TEST(DiscardedSteps, EndTheStepIfTheCallerRepeatsIt) {
  Coupled s(model(), settings("gauss-seidel", {"left", "right", "watch"}), 1);
  s.probe("right").on_step = discard_long;
  s.probe("right").done = 0.02;
  Interval interval{0, h, h, true};
  interval.units_may_discard = true;
  const auto outcome = s.stepper->step(*s.fleet, s.state, interval);
  EXPECT_EQ(outcome.why, Why::discarded);
  EXPECT_EQ(outcome.reached, 0.02);
  EXPECT_EQ(s.state.t, 0);
  EXPECT_EQ(s.state.discarded_by, s.plan.require_unit("right"));
  EXPECT_EQ(s.state.discards, 0U) << "nobody has repeated it alone";
  EXPECT_EQ(s.probe("left").steps, 1U);
  EXPECT_EQ(s.probe("right").steps, 1U) << "no retry";
  EXPECT_EQ(s.probe("watch").steps, 0U) << "it would have stepped later";
}

TEST(DiscardedSteps, AreRepeatedAloneIfTheCallerDoesNotRepeatThem) {
  Coupled s(model(), settings("jacobi"), 1);
  s.probe("left").on_step = discard_long;
  EXPECT_TRUE(s.step(h).completed());
  EXPECT_EQ(s.state.discards, 1U);
  EXPECT_EQ(s.state.apart[s.plan.require_unit("left")].count, 1U);
  EXPECT_EQ(s.probe("left").steps, 3U);
  EXPECT_EQ(s.probe("right").steps, 1U);
}

TEST(DiscardedSteps, ReachAsFarAsAllUnitsDo) {
  for (const bool left_is_shorter : {true, false}) {
    Coupled s(model(), settings("jacobi"), 1);
    for (const char* const unit : {"left", "right"}) s.probe(unit).on_step = discard_long;
    s.probe("left").done = left_is_shorter ? 0.02 : 0.05;
    s.probe("right").done = left_is_shorter ? 0.05 : 0.02;
    Interval interval{0, h, h, true};
    interval.units_may_discard = true;
    EXPECT_EQ(s.stepper->step(*s.fleet, s.state, interval).reached, 0.02);
  }
}

TEST(DiscardedSteps, AreNotTheEndOfTheRunIfAnotherUnitRequestsIt) {
  for (const bool left_ends : {true, false}) {
    Coupled s(model(), settings("jacobi"), 1);
    s.probe(left_ends ? "right" : "left").on_step = discard_long;
    s.probe(left_ends ? "left" : "right").on_step = [](const auto&) { return Why::terminate; };
    Interval interval{0, h, h, true};
    interval.units_may_discard = true;
    EXPECT_EQ(s.stepper->step(*s.fleet, s.state, interval).why, Why::discarded) << left_ends;
  }
}

TEST(DiscardedSteps, AreLeftToTheCallerOnlyIfAllUnitsThatHaveSteppedGoBack) {
  const auto may = [](const Coupled& s) {
    std::string units;
    for (const auto& u : s.plan.units)
      if (s.stepper->may_discard(s.plan.require_unit(u.name))) units += u.name + " ";
    return units;
  };
  EXPECT_EQ(may(Coupled(model(), settings("jacobi"), 1)), "left right watch ");
  EXPECT_EQ(may(Coupled(model("watch"), settings("jacobi"), 1)), "");
  EXPECT_EQ(may(Coupled(model("watch"), settings("gauss-seidel", {"left", "right", "watch"}), 1)), "left right ");
  EXPECT_EQ(may(Coupled(model("watch"), settings("gauss-seidel", {"right", "watch", "left"}), 1)), "right ");
  EXPECT_EQ(may(Coupled(model("watch"), settings("iterated"), 1)), "left right ");
  EXPECT_EQ(may(Coupled(model(), settings("iterated"), 1)), "left right watch ");
}

// --- fixed steps

TEST(FixedSteps, AreRepeatedByAllUnitsFromTheSecondDiscardOn) {
  for (const char* const stepper : {"jacobi", "gauss-seidel", "iterated"}) {
    Coupled s(model(), settings(stepper), 1, Grid(0, 10, h));
    s.probe("left").on_step = discard_long;
    ASSERT_TRUE(s.advance(10).completed());
    const auto alone = s.state.discards;
    ASSERT_GT(alone, 0U) << stepper;
    for (int i = 2; i < 5; ++i) {
      ASSERT_TRUE(s.advance(10).completed());
      EXPECT_NEAR(s.state.t, h * i, 1e-12);
      EXPECT_NEAR(s.probe("watch").last.h, h / 2, 1e-12) << "as long as those of the others";
    }
    EXPECT_EQ(s.state.discards, alone) << "no unit was left behind with " << stepper;
  }
}

// The same as steps of half the size that are not discarded.
TEST(FixedSteps, ThatAreRepeatedLeaveNothingOfTheirTrials) {
  for (const char* const stepper : {"jacobi", "gauss-seidel"}) {
    Coupled s(model(), settings(stepper), 1, Grid(0, 10, h));
    Coupled reference(model(), settings(stepper), 1, Grid(0, 10, h));
    for (auto* const run : {&s, &reference}) {
      run->probe("left").on_step = discard_long;
      ASSERT_TRUE(run->advance(10).completed());
    }
    ASSERT_TRUE(s.advance(10).completed());
    const Duration half = (s.state.t - reference.state.t) / 2;
    for (int i = 0; i < 2; ++i) reference.step(half, true);
    for (std::size_t i = 0; i < s.outputs().size(); ++i)
      EXPECT_THAT(s.outputs()[i], DoubleNear(reference.outputs()[i], 1e-14)) << stepper << ", output " << i;
  }
}

TEST(FixedSteps, FirstTryThePartThatTheUnitReports) {
  Coupled s(model(), settings("jacobi"), 1, Grid(0, 10, h));
  s.probe("left").on_step = discard_long;
  s.advance(10);
  s.probe("left").done = 0.04;
  std::vector<Duration> sizes;
  sizes_of(s, "right", sizes);
  s.advance(10);
  EXPECT_THAT(sizes, ElementsAre(h, DoubleNear(0.04, 1e-12), DoubleNear(0.04, 1e-12), DoubleNear(0.02, 1e-12)));
}

TEST(FixedSteps, AreRepeatedAloneIfNoShorterStepOfAllUnitsHelps) {
  Coupled s(model(), settings("jacobi"), 1, Grid(0, 10, h));
  int left = 12;
  s.probe("left").on_step = discard_long;
  s.advance(10);
  s.probe("left").on_step = [&](const auto&) { return left-- > 0 ? Why::discarded : Why::completed; };
  const auto alone = s.state.discards;
  ASSERT_TRUE(s.advance(10).completed());
  EXPECT_EQ(s.state.discards, alone + 1);
  EXPECT_NEAR(s.state.t, 0.2, 1e-12);
}

TEST(FixedSteps, SaveNothingBeforeTheFirstDiscard) {
  Coupled s(model(), settings("jacobi"), 1, Grid(0, 10, h));
  for (int i = 0; i < 5; ++i) s.advance(10);
  for (const auto& u : s.plan.units) EXPECT_EQ(s.probe(u.name).saves, 0U) << u.name;
}

TEST(FixedSteps, SaveNothingForAUnitThatWouldRepeatAnyStepAlone) {
  struct Case {
    const char *stepper, *rigid, *discards;
    std::vector<std::string> order;
  };
  for (const auto& c :
       {Case{"jacobi", "watch", "left", {}}, Case{"gauss-seidel", "watch", "watch", {"left", "right", "watch"}},
        Case{"gauss-seidel", "watch", "left", {"watch", "left", "right"}}, Case{"iterated", "watch", "watch", {}}}) {
    Coupled s(model(c.rigid), settings(c.stepper, c.order), 1, Grid(0, 10, h));
    s.probe(c.discards).on_step = discard_long;
    const auto saves = [&] {
      const bool iterates = !s.stepper->iterated().empty();  // saves by itself, once per step
      return s.probe("right").saves - (iterates ? s.state.steps : 0);
    };
    for (std::uint64_t i = 1; i <= 5; ++i) {
      ASSERT_TRUE(s.advance(10).completed());
      EXPECT_EQ(s.state.discards, i) << c.stepper;
    }
    EXPECT_EQ(saves(), 0U) << c.stepper << ", discarded by " << c.discards;
  }
}

TEST(FixedSteps, SaveOnlyUnitsThatStepBeforeOneThatCannotGoBack) {
  Coupled s(model("watch"), settings("gauss-seidel", {"right", "watch", "left"}), 1, Grid(0, 10, h));
  s.probe("right").on_step = discard_long;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(s.advance(10).completed());
  EXPECT_EQ(s.state.discards, 1U);
  EXPECT_GT(s.probe("right").saves, 0U);
  EXPECT_EQ(s.probe("left").saves, 0U);
}

}  // namespace
}  // namespace consort::step::discards_test
