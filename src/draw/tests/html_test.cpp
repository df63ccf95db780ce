#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "draw/plot.hpp"
#include "draw/tests/sample.hpp"

namespace consort::draw {
namespace {

using testing::HasSubstr;
using testing::Not;

nlohmann::json data_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(PlotHtml, EmbedsTheCurvesByPanel) {
  const auto data = data_of(plot_html(sample()));
  EXPECT_EQ(data.at("start"), 0);
  EXPECT_EQ(data.at("end"), 3);
  ASSERT_EQ(data.at("panels").size(), 3U);
  const auto& metres = data.at("panels").at(0);
  EXPECT_EQ(metres.at("unit"), "m");
  ASSERT_EQ(metres.at("curves").size(), 2U);
  EXPECT_EQ(metres.at("curves").at(0).at("y"), nlohmann::json({0, 1, 4, 9}));
  EXPECT_EQ(metres.at("curves").at(1).at("name"), "y");
  const auto& lanes = data.at("panels").at(2);
  EXPECT_TRUE(lanes.at("lanes").get<bool>());
  EXPECT_TRUE(lanes.at("curves").at(0).at("steps").get<bool>());
}

TEST(PlotHtml, NeedsNothingFromOutside) {
  std::string page = plot_html(sample(), {}, {.title = "Plain"});
  // The only URL in the page is an XML namespace, from which nothing is loaded.
  const std::string vocabulary = "http://www.w3.org/2000/svg";
  for (std::size_t at = page.find(vocabulary); at != std::string::npos; at = page.find(vocabulary))
    page.erase(at, vocabulary.size());
  for (const char* outside : {"http:", "https:", "src=\"", "href", "@import", "url("})
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(PlotHtml, KeepsHostileNamesAsText) {
  record::Result r = sample();
  const std::string name = "</script><script>alert('1')</script>&amp;\"\\\n<!--";
  r.trajectories[0].signal.name = name;
  r.trajectories[1].signal.description = "</SCRIPT >\xff\xfe";
  r.trajectories[1].signal.unit = "<img onerror=x>";
  const std::string page = plot_html(r, {}, {.title = "</title><script>alert(2)</script>"});
  EXPECT_EQ(count(page, "<script"), 2U) << "the data and the viewer, nothing else";
  EXPECT_EQ(count(page, "</script>"), 2U);
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("<!--")));
  EXPECT_EQ(data_of(page).at("panels").at(0).at("curves").at(0).at("name"),
            "</script><script>alert('1')</script>&amp;\"\\\xEF\xBF\xBD<!--");
}

TEST(PlotHtml, ThinsLongRuns) {
  const auto data = data_of(plot_html(long_run(200'000)));
  const std::size_t points = data.at("panels").at(0).at("curves").at(0).at("y").size();
  EXPECT_LE(points, 20'000U);
  EXPECT_GT(points, 10'000U);
}

TEST(PlotHtml, WritesGapsAndNoNumberThatJsonDoesNotKnow) {
  record::Result r;
  r.time = {1e9, 1e9 + 1, 1e9 + 2};
  r.trajectories.push_back(trajectory("x", "", {1, NAN, INFINITY}));
  r.trajectories.push_back(trajectory("y", "", {1, NAN, 2}));
  const auto data = data_of(plot_html(r));
  const auto& curves = data.at("panels").at(0).at("curves");
  EXPECT_EQ(curves.at(0).at("y"), nlohmann::json({1}));
  EXPECT_EQ(curves.at(1).at("starts"), nlohmann::json({0, 1}));
  EXPECT_EQ(curves.at(1).at("t"), nlohmann::json({0, 2})) << "relative to the start";
}

TEST(PlotHtml, RefusesUnknownNames) {
  const std::vector<std::string> names{"xx"};
  EXPECT_THROW((void)plot_html(sample(), names), Error);
}

}  // namespace
}  // namespace consort::draw
