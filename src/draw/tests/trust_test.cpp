#include "draw/trust.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "draw/plot.hpp"
#include "sample.hpp"

namespace consort::draw {
namespace {

using ::testing::HasSubstr;

// Steps of 1 ms, 10 ms and 0.1 s; one step was rejected before the second one.
record::Result controlled() {
  record::Result r;
  r.time = {0, 0.001, 0.011, 0.111};
  r.trajectories.push_back(trajectory("trust.step", "s", {0, 0.001, 0.01, 0.1}, Type::Float64, true));
  r.trajectories.push_back(trajectory("trust.error", "", {0, 0.5, 0.9, 0.25}, Type::Float64, true));
  r.trajectories.push_back(trajectory("trust.rejected", "steps", {0, 0, 1, 1}, Type::Float64, true));
  r.trajectories.push_back(trajectory("trust.limits", "unit", {0, 2, 2, 1}, Type::Float64, true));
  r.facts.push_back({"units", "chassis\nwheel"});
  return r;
}

TEST(TrustPlot, DrawsWhereAStepBeginsHowLongItIs) {
  const auto plot = make_trust_plot(controlled());
  ASSERT_EQ(plot.panels.panels.size(), 3U);
  const auto& steps = plot.panels.panels[0];
  EXPECT_TRUE(steps.logarithmic);
  const auto& sizes = steps.curves[0].trajectory->numbers;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(sizes[i], static_cast<double>(i) - 3, 1e-12) << i;
  const auto& errors = plot.panels.panels[1].curves[0].trajectory->numbers;
  EXPECT_EQ(errors[1], 0.9);
}

TEST(TrustPlot, MarksRejectedStepsWhereTheyWereTried) {
  const auto plot = make_trust_plot(controlled());
  const auto& curve = plot.panels.panels[0].curves[1];
  EXPECT_TRUE(curve.marks);
  const auto& marks = curve.trajectory->numbers;
  EXPECT_TRUE(std::isnan(marks[0]));
  EXPECT_LT(marks[1], -3) << "below all steps";
  EXPECT_TRUE(std::isnan(marks[2]));
}

TEST(TrustPlot, HasALaneForEachUnitTheMostFrequentFirst) {
  const auto plot = make_trust_plot(controlled());
  const auto& lanes = plot.panels.panels[2];
  ASSERT_EQ(lanes.curves.size(), 2U);
  EXPECT_EQ(lanes.curves[0].trajectory->signal.name, "wheel limits the step");
  EXPECT_THAT(lanes.curves[0].trajectory->numbers, ::testing::ElementsAre(1, 1, 0, 0));
  EXPECT_EQ(lanes.curves[1].trajectory->signal.name, "chassis limits the step");
  EXPECT_THAT(lanes.curves[1].trajectory->numbers, ::testing::ElementsAre(0, 0, 1, 1));
}

TEST(TrustPlot, PutsUnitsThatLimitRarelyIntoOneLane) {
  auto r = controlled();
  r.facts.clear();  // like the result of a CSV file
  for (auto& t : r.trajectories) t.numbers.clear();
  r.time.clear();
  for (int i = 0; i < 100; ++i) {
    r.time.push_back(i);
    for (std::size_t k = 0; k < 3; ++k) r.trajectories[k].numbers.push_back(1);
    r.trajectories[3].numbers.push_back(i % 20 + 1);
  }
  const auto plot = make_trust_plot(r);
  ASSERT_EQ(plot.panels.panels[2].curves.size(), 8U);
  EXPECT_EQ(plot.panels.panels[2].curves[7].trajectory->signal.name, "one of 13 others limits it");
  EXPECT_THAT(plot.panels.panels[2].curves[0].trajectory->signal.name, HasSubstr("unit "));
  for (std::size_t row = 0; row < 100; ++row) {
    double limiting = 0;
    for (const auto& curve : plot.panels.panels[2].curves) limiting += curve.trajectory->numbers[row];
    EXPECT_EQ(limiting, 1);
  }
}

TEST(TrustPlot, IsAPictureAPageAndAText) {
  const auto result = controlled();
  const auto svg = plot_trust_svg(result, {"car"});
  EXPECT_THAT(svg, ::testing::AllOf(HasSubstr(">0.001<"), HasSubstr(">0.1<"), HasSubstr("wheel limits the step"),
                                    HasSubstr("h0\"/>")));  // the mark
  EXPECT_THAT(plot_trust_html(result, {"car"}), HasSubstr(R"("log":true)"));
  const auto text = plot_trust_terminal(result, {"car", 60, 20});
  EXPECT_THAT(text, ::testing::AllOf(HasSubstr("0.01 ┤"), HasSubstr("error [of the tolerance]"),
                                     HasSubstr("chassis limits the step")));
}

TEST(TrustPlot, SaysHowToRecordWhatIsMissing) {
  try {
    static_cast<void>(plot_trust_svg(sample()));
    FAIL() << "drew a result without step sizes";
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::input);
    EXPECT_THAT(e.what(), ::testing::AllOf(HasSubstr("--controller"), HasSubstr("trust.*")));
  }
}

}  // namespace
}  // namespace consort::draw
