#include "couple/error_estimate.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/tests/plant.hpp"

namespace consort::couple::error_estimate_test {
namespace {

using ::testing::ElementsAre;

// One or two rounding errors of numbers of size 1.
constexpr double rounding = 1e-14;

Columns columns(std::vector<double> values) {
  Columns result;
  result.column<double>() = std::move(values);
  return result;
}

EstimatedOutput output(std::uint32_t element, double nominal = 1, bool feed_through = false) {
  EstimatedOutput o;
  o.element = element;
  o.name = "unit.y" + std::to_string(element);
  o.nominal = nominal;
  o.feed_through = feed_through;
  return o;
}

constexpr ErrorEstimate::Weights weights{.relative = 0.1, .absolute = 0.02};

// Elements 2 and 0 of three.
ErrorEstimate two_outputs(ErrorEstimate::Weights with = weights) { return {{output(2), output(0, 5)}, with}; }

TEST(ErrorEstimate, DividesTheDifferenceByTheRatioLessOne) {
  auto e = two_outputs();
  e.keep_coarse(columns({4, 99, 1}));
  static_cast<void>(e.compare(columns({4.6, -99, 1.2}), {.states = 3, .outputs = 100}));
  EXPECT_NEAR(e.estimates()[0], 0.2 / 2, rounding);
  EXPECT_NEAR(e.estimates()[1], 0.6 / 2, rounding);
}

TEST(ErrorEstimate, IsTheRootMeanSquareOfErrorsByWhatIsAllowed) {
  auto e = two_outputs();
  e.keep_coarse(columns({4, 0, 1}));
  const double norm = e.compare(columns({5, 0, 1.8}), {.states = 2});
  // Allowed: 0.02 + 0.1 · 1.8 = 0.2 and 0.02 · 5 + 0.1 · 5 = 0.6; errors 0.8 and 1.
  EXPECT_NEAR(e.allowed(0), 0.2, rounding);
  EXPECT_NEAR(e.allowed(1), 0.6, rounding);
  EXPECT_NEAR(norm, std::sqrt((4.0 * 4 + 25.0 / 9) / 2), rounding);
  EXPECT_EQ(e.worst(), 0U);
  EXPECT_NEAR(e.largest(), 4, rounding);
}

TEST(ErrorEstimate, IsTheRootOfTheMeanWhereThatIsAskedFor) {
  auto with = weights;
  with.norm = graph::StepControl::Norm::root_mean;
  auto e = two_outputs(with);
  e.keep_coarse(columns({4, 0, 1}));
  EXPECT_NEAR(e.compare(columns({5, 0, 1.8}), {.states = 2}), std::sqrt((4.0 + 5.0 / 3) / 2), rounding);
}

TEST(ErrorEstimate, AllowsAStepItsShareOfTheToleranceOnly) {
  auto e = two_outputs();
  e.keep_coarse(columns({4, 0, 1}));
  const double whole = e.compare(columns({5, 0, 1.8}), {.states = 2});
  EXPECT_NEAR(e.compare(columns({5, 0, 1.8}), {.states = 2}, 0.25), 4 * whole, 1e-13);  // rounding at size 10
  EXPECT_NEAR(e.allowed(0), 0.05, rounding);
}

TEST(ErrorEstimate, GivesOutputsWithFeedThroughTheirOwnRatioAndTheWholeTolerance) {
  ErrorEstimate e({output(0), output(1, 1, true)}, weights);
  EXPECT_TRUE(e.has_feed_through());
  EXPECT_FALSE(two_outputs().has_feed_through());
  e.keep_coarse(columns({0, 0}));
  const double norm = e.compare(columns({1.8, 1.8}), {.states = 4, .outputs = 7}, 0.5);
  EXPECT_NEAR(e.estimates()[0], 0.6, rounding);
  EXPECT_NEAR(e.estimates()[1], 0.3, rounding);
  EXPECT_NEAR(e.allowed(0), 0.1, rounding);
  EXPECT_NEAR(e.allowed(1), 0.2, rounding);
  EXPECT_NEAR(norm, std::sqrt((36 + 2.25) / 2), rounding);
}

TEST(ErrorEstimate, TakesCorrectedDifferencesAsTheyAre) {
  auto e = two_outputs();
  e.keep_coarse(columns({4, 0, 1}));
  std::vector<double> seen;
  const auto correct = [&](std::vector<double>& differences) {
    seen = differences;
    differences = {0.2, -1.2};
    return true;
  };
  const double norm = e.compare(columns({5, 0, 1.8}), {.states = 100}, 1, correct);
  EXPECT_NEAR(seen.at(0), 0.8, rounding);
  EXPECT_NEAR(seen.at(1), 1, rounding);
  EXPECT_THAT(e.estimates(), ElementsAre(0.2, -1.2));
  EXPECT_NEAR(norm, std::sqrt((1.0 + 4.0) / 2), rounding);
  EXPECT_EQ(e.worst(), 1U);
}

TEST(ErrorEstimate, FallsBackToTheRatioWhereACorrectionCannotTell) {
  auto e = two_outputs();
  e.keep_coarse(columns({4, 0, 1}));
  const double expected = e.compare(columns({5, 0, 1.8}), {.states = 3});
  const double norm = e.compare(columns({5, 0, 1.8}), {.states = 3}, 1, [](std::vector<double>& differences) {
    differences.assign(2, 77.0);
    return false;
  });
  EXPECT_EQ(norm, expected);
  EXPECT_NEAR(e.estimates()[0], 0.4, rounding);
}

TEST(ErrorEstimate, BlamesTheFirstOutputThatIsNotANumber) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  ErrorEstimate e({output(0), output(1), output(2), output(3)}, weights);
  e.keep_coarse(columns({1, 1, 1, 1}));
  EXPECT_TRUE(std::isnan(e.compare(columns({5, nan, nan, 1e9}), {.states = 2})));
  EXPECT_EQ(e.worst(), 1U);
  EXPECT_TRUE(std::isnan(e.largest()));
}

TEST(ErrorEstimate, IsNothingWhereNothingIsLookedAt) {
  ErrorEstimate e({}, weights);
  e.keep_coarse(columns({}));
  EXPECT_EQ(e.compare(columns({}), {.states = 2}), 0);
}

TEST(ErrorEstimate, CountsWhatWasAcceptedBySignal) {
  ErrorEstimate e({output(0), output(1, 1, true)}, weights);
  ControlState control;
  control.signals.resize(2);
  const auto accept = [&](double first, double second) {
    e.keep_coarse(columns({0, 0}));
    static_cast<void>(e.compare(columns({first, second}), {.states = 2, .outputs = 2}));
    e.count(control);
  };
  accept(3, 0.5);
  EXPECT_EQ(control.worst, 0U);
  accept(-4, 8);
  const auto& s = control.signals[0];
  EXPECT_EQ(s.estimate, -4);
  EXPECT_EQ(s.largest, 4);
  EXPECT_EQ(s.accumulated, 7);
  EXPECT_EQ(s.squares, 25);
  EXPECT_EQ(s.low, -4);
  EXPECT_EQ(s.high, 3);
  EXPECT_EQ(control.signals[1].accumulated, 8) << "errors of outputs that depend directly on inputs do not add up";
  EXPECT_EQ(control.worst, 1U);
}

// --- choice of outputs -----------------------------------------------------------------------------------------------

// a drives b; b drives no unit; c is not connected.
struct Chain : ::testing::Test {
  Chain() {
    auto& a = shelf.add("a.fmu");
    a.output("y").output("unused");
    auto& b = shelf.add("b.fmu");
    b.input("u").output("z").depends_on({"u"}).output("n", Type::Int32).output("w").depends_on({}).sized({2});
    b.last().nominal = -4;
    shelf.add("c.fmu").output("y");
    for (const char* const name : {"a", "b", "c"}) system.add(name, std::string(name) + ".fmu");
    system.connect("a.y", "b.u");
    plan = shelf.compile(system);
  }
  graph::Shelf shelf;
  graph::System system;
  graph::Plan plan;
};

TEST_F(Chain, LooksAtWhatDrivesAUnitAndAtTheEnd) {
  std::vector<std::string> names;
  for (const auto& o : estimated_outputs(plan, {false, false, false})) names.push_back(o.name);
  EXPECT_THAT(names, ElementsAre("a.y", "b.z", "b.w[1]", "b.w[2]"));
}

TEST(EstimatedOutputs, DoNotDependOnDeclaredVariability) {
  graph::Shelf shelf;
  shelf.add("a.fmu").output("y").last().variability = describe::Variability::discrete;
  shelf.add("b.fmu").input("u").output("z").last().variability = describe::Variability::discrete;
  graph::System system;
  system.add("a", "a.fmu");
  system.add("b", "b.fmu");
  system.connect("a.y", "b.u");
  const auto outputs = estimated_outputs(shelf.compile(system), {false, false});
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_EQ(outputs[0].name, "a.y");
  EXPECT_EQ(outputs[1].name, "b.z");
  EXPECT_TRUE(outputs[1].may_jump);
}

TEST(EstimatedOutputs, IncludeWhatATableOrTheUnitItselfDrives) {
  graph::Shelf shelf;
  shelf.add("mass.fmu").input("force").output("x");
  shelf.add("loop.fmu").input("u").output("y");
  graph::System system;
  system.add("mass", "mass.fmu");
  system.add("loop", "loop.fmu");
  system.connect("wanted", "mass.force");
  system.connect("loop.y", "loop.u");
  const auto outputs = estimated_outputs(shelf.compile(system), {false, false});
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_EQ(outputs[0].name, "mass.x");
  EXPECT_EQ(outputs[1].name, "loop.y");
}

TEST_F(Chain, KnowsPlaceUnitAndSizeOfAnOutput) {
  const auto outputs = estimated_outputs(plan, {false, false, false});
  ASSERT_EQ(outputs.size(), 4U);
  EXPECT_EQ(outputs[0].element, graph::place_of(plan, "a.y", false).element);
  EXPECT_EQ(outputs[0].unit, plan.require_unit("a"));
  EXPECT_EQ(outputs[0].nominal, 1);
  EXPECT_EQ(outputs[3].element, graph::place_of(plan, "b.w", false, 1).element);
  EXPECT_EQ(outputs[3].unit, plan.require_unit("b"));
  EXPECT_EQ(outputs[3].nominal, 4);
}

TEST_F(Chain, HasFeedThroughWhereTheUnitIsLate) {
  const auto direct = [&](bool late) {
    std::vector<bool> result;
    for (const auto& o : estimated_outputs(plan, {late, late, late})) result.push_back(o.feed_through);
    return result;
  };
  EXPECT_THAT(direct(true), ElementsAre(false, true, false, false));
  EXPECT_THAT(direct(false), ElementsAre(false, false, false, false));
}

}  // namespace
}  // namespace consort::couple::error_estimate_test
