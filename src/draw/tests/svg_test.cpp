#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pugixml.hpp>

#include "base/error.hpp"
#include "draw/plot.hpp"
#include "draw/tests/sample.hpp"

namespace consort::draw {
namespace {

using testing::HasSubstr;
using testing::Not;
using Names = std::vector<std::string>;

pugi::xml_document parsed(const std::string& svg) {
  pugi::xml_document document;
  const auto outcome = document.load_string(svg.c_str());
  EXPECT_TRUE(outcome) << outcome.description();
  EXPECT_EQ(std::string(document.document_element().name()), "svg");
  return document;
}

void expect_refused(const record::Result& result, const Names& names, const std::string& part) {
  try {
    (void)plot_svg(result, names);
    FAIL() << "drawn";
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::input);
    EXPECT_THAT(e.what(), HasSubstr(part));
  }
}

TEST(PlotSvg, DrawsAllNumbersInOnePanelPerUnit) {
  const std::string svg = plot_svg(sample(), {}, {.title = "All"});
  parsed(svg);
  EXPECT_THAT(svg, HasSubstr(">[m]<")) << "two curves share metres";
  EXPECT_THAT(svg, HasSubstr(">v [m/s]<")) << "a single curve is named by its axis";
  EXPECT_THAT(svg, HasSubstr(">Time [s]<"));
  EXPECT_THAT(svg, HasSubstr(">All</text>"));
  for (const char* name : {"x", "v", "y", "on"})
    EXPECT_THAT(svg, HasSubstr("<title>" + std::string(name) + "</title>"));
  EXPECT_THAT(svg, Not(HasSubstr("label")));
}

TEST(PlotSvg, DrawsOnlyWhatIsNamedAndOnce) {
  const std::string svg = plot_svg(sample(), Names{"v", "v"});
  EXPECT_EQ(count(svg, "<title>v</title>"), 1U);
  EXPECT_THAT(svg, Not(HasSubstr("<title>x</title>")));
}

TEST(PlotSvg, DrawsDiscreteSignalsAsStepsAndOthersAsLines) {
  record::Result r;
  r.time = {0, 1, 2};
  r.trajectories.push_back(trajectory("steps", "", {0, 3, 1}, Type::Int32, true));
  const std::string steps = plot_svg(r);
  r.trajectories[0].signal.discrete = false;
  const std::string lines = plot_svg(r);
  const auto curve = [](const std::string& svg) {
    const std::size_t at = svg.find(" d=\"", svg.find("stroke-width=\"1.7\""));
    return svg.substr(at + 4, svg.find('"', at + 4) - at - 4);
  };
  EXPECT_THAT(curve(steps), HasSubstr("V"));
  EXPECT_THAT(curve(steps), Not(HasSubstr("L")));
  EXPECT_THAT(curve(lines), HasSubstr("L"));
  EXPECT_THAT(curve(lines), Not(HasSubstr("V")));
}

TEST(PlotSvg, LeavesGapsAndDotsWhereValuesStandAlone) {
  record::Result r;
  r.time = {0, 1, 2, 3, 4, 5};
  r.trajectories.push_back(trajectory("x", "", {1, 2, NAN, 4, INFINITY, 3}));
  const std::string svg = plot_svg(r);
  parsed(svg);
  EXPECT_EQ(count(svg, "h0"), 2U);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(PlotSvg, DrawsOneRowConstantsAndNothingButGaps) {
  record::Result r;
  r.time = {2};
  r.trajectories.push_back(trajectory("x", "", {5}));
  EXPECT_EQ(count(plot_svg(r), "h0"), 1U);
  r.time = {0, 1};
  r.trajectories[0].numbers = {5, 5};
  parsed(plot_svg(r));
  r.trajectories[0].numbers = {NAN, NAN};
  const std::string svg = plot_svg(r);
  parsed(svg);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(PlotSvg, MakesASmallFileOfALongRun) {
  const std::string svg = plot_svg(long_run(100'000));
  EXPECT_LT(svg.size(), 100'000U);
  EXPECT_GT(svg.size(), 5'000U) << "noise cannot be a line";
}

TEST(PlotSvg, SaysWhenItIsThinned) {
  EXPECT_THAT(plot_svg(long_run(3600)), Not(HasSubstr("<desc>")));
  EXPECT_THAT(plot_svg(long_run(3601)), HasSubstr("<desc>3601 rows are drawn as the first, lowest, highest and last"));
}

TEST(PlotSvg, EscapesHostileNames) {
  record::Result r = sample();
  r.trajectories[0].signal.name = "</title><script>alert(\"1\")</script>&'\x01\xff";
  r.trajectories[0].signal.unit = "<b>&\"";
  const std::string svg = plot_svg(r, {}, {.title = "a < b & \"c\" \x02"});
  parsed(svg);
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
}

TEST(PlotSvg, FitsLongNamesAndNarrowPictures) {
  record::Result r = sample();
  r.trajectories[0].signal.name = std::string(5000, 'n');
  r.trajectories[1].signal.unit = std::string(5000, 'u');
  const std::string svg = plot_svg(r, {}, {.width = 320, .panel_height = 80});
  parsed(svg);
  EXPECT_THAT(svg, HasSubstr("…"));
  EXPECT_THROW((void)plot_svg(r, {}, {.width = 100}), Error);
}

TEST(PlotSvg, SaysHowManySignalsItLeavesOut) {
  record::Result r;
  r.time = {0, 1};
  for (int i = 0; i < 100; ++i) r.trajectories.push_back(trajectory("s" + std::to_string(i), "", {0, 1.0 * i}));
  EXPECT_THAT(plot_svg(r), HasSubstr("76 further signals"));
  Names all;
  for (const auto& t : r.trajectories) all.push_back(t.signal.name);
  EXPECT_EQ(count(plot_svg(r, all), "<title>s"), 100U) << "all signals selected by name are drawn";
}

TEST(PlotSvg, RefusesWhatCannotBeDrawn) {
  expect_refused(sample(), {"xx"}, "'x'");
  expect_refused(sample(), {"label"}, "String");
  expect_refused(record::Result{}, {}, "no rows");
  record::Result texts;
  texts.time = {0};
  texts.trajectories.push_back({{"s", Type::String, "", "", true}, {}, {"a"}});
  expect_refused(texts, {}, "nothing to draw");
}

}  // namespace
}  // namespace consort::draw
