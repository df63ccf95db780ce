#include "base/time.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/diagnostic.hpp"
#include "base/tests/error_text.hpp"

namespace consort {
namespace {

using testing::HasSubstr;

TEST(Grid, CountsStepsInsteadOfAddingThemUp) {
  const Grid grid(0, 1, 0.1);
  ASSERT_EQ(grid.intervals(), 10U);
  EXPECT_TRUE(grid.even());
  EXPECT_EQ(grid.point(3), 3 * 0.1);
  EXPECT_EQ(grid.point(10), 1.0);
  EXPECT_EQ(grid.point(11), 1.0);
}

TEST(Grid, ShortensTheLastIntervalWhenTheStepDoesNotDivideTheRun) {
  const Grid grid(0, 1, 0.3);
  EXPECT_EQ(grid.intervals(), 4U);
  EXPECT_FALSE(grid.even());
  EXPECT_EQ(grid.point(4), 1.0);
}

TEST(Grid, HasNoIntervalWhenNothingIsToBeRun) { EXPECT_EQ(Grid(2, 2, 0.1).intervals(), 0U); }

TEST(Grid, TakesOneIntervalForAStepLongerThanTheRun) {
  EXPECT_EQ(Grid(0, 1, 5).intervals(), 1U);
  EXPECT_EQ(Grid(0, 1, 1e9).intervals(), 1U);
  EXPECT_FALSE(Grid(0, 1, 1e9).even());
}

TEST(Grid, RefusesWhatCannotBeStepped) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THAT(error_text([] { (void)Grid(0, 1, 0); }), HasSubstr("step size"));
  EXPECT_THAT(error_text([] { (void)Grid(0, 1, -0.1); }), HasSubstr("step size"));
  EXPECT_THAT(error_text([&] { (void)Grid(0, 1, nan); }), HasSubstr("step size"));
  EXPECT_THAT(error_text([&] { (void)Grid(0, inf, 1); }), HasSubstr("finite"));
  EXPECT_THAT(error_text([] { (void)Grid(1, 0, 1); }), HasSubstr("before the start time"));
  EXPECT_THAT(error_text([] { (void)Grid(0, 1e10, 1e-10); }), HasSubstr("1e15"));
}

TEST(Instant, OrdersByTimeThenByEventIteration) {
  EXPECT_LT((Instant{1, 5}), (Instant{2, 0}));
  EXPECT_LT((Instant{1, 0}), (Instant{1, 1}));
}

TEST(Diagnostics, ShowsFileThenLineThenTheMostSevereFirst) {
  Diagnostics all;
  all.add({Severity::note, "b.xml", 1, "", "third"});
  all.add({Severity::warning, "a.xml", 7, "rule", "second"});
  all.add({Severity::error, "a.xml", 7, "", "first"});
  all.sort();
  EXPECT_EQ(all.all()[0].text(), "a.xml:7: error: first");
  EXPECT_EQ(all.all()[1].text(), "a.xml:7: warning: second [rule]");
  EXPECT_EQ(all.all()[2].message, "third");
  EXPECT_EQ(all.count(Severity::warning), 1U);
}

TEST(Error, KnowsTheExitStatusOfTheCommandLine) {
  EXPECT_EQ(input_error("bad {}", 1).exit_status(), 2);
  EXPECT_EQ(run_error("failed").exit_status(), 1);
  EXPECT_THAT(error_text([] { require(false, "got {}", 3); }), HasSubstr("got 3"));
  EXPECT_NO_THROW(require(true, "got {}", 3));
}

TEST(ErrorDeathTest, AssertionsNameTheirExpression) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(CONSORT_ASSERT(1 + 1 == 3), "internal error: '1 \\+ 1 == 3' does not hold at .*please report");
}

}  // namespace
}  // namespace consort
