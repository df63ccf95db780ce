#include <cmath>
#include <cstdint>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "draw/plot.hpp"
#include "draw/tests/sample.hpp"

namespace consort::draw {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

nlohmann::json data_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

// Numbers as the page decodes them: base64 of little-endian doubles.
std::vector<double> numbers(const nlohmann::json& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : text.get<std::string>()) {
    if (c == '=') break;
    group = group << 6U | static_cast<std::uint32_t>(digits.find(c));
    bits += 6;
    if (bits >= 8) bytes += static_cast<char>(group >> (bits -= 8) & 255U);
  }
  std::vector<double> all(bytes.size() / sizeof(double));
  std::memcpy(all.data(), bytes.data(), all.size() * sizeof(double));
  return all;
}

TEST(PlotHtml, EmbedsTheCurvesByPanel) {
  const auto data = data_of(plot_html(sample()));
  EXPECT_EQ(data.at("start"), 0);
  EXPECT_EQ(data.at("end"), 3);
  ASSERT_EQ(data.at("panels").size(), 3U);
  const auto& metres = data.at("panels").at(0);
  EXPECT_EQ(metres.at("unit"), "m");
  ASSERT_EQ(metres.at("curves").size(), 2U);
  EXPECT_THAT(numbers(metres.at("curves").at(0).at("y")), ElementsAre(0, 1, 4, 9));
  EXPECT_THAT(numbers(data.at("t")), ElementsAre(0, 1, 2, 3)) << "shared by all curves";
  EXPECT_FALSE(metres.at("curves").at(0).contains("t"));
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

TEST(PlotHtml, HasAllRowsExactlyUpToItsLimit) {
  const auto result = long_run(200'000);
  const auto page = plot_html(result);
  const auto data = data_of(page);
  const auto& curve = data.at("panels").at(0).at("curves").at(0);
  EXPECT_EQ(numbers(curve.at("y")), result.trajectories[0].numbers);
  EXPECT_EQ(numbers(data.at("t")).size(), 200'000U);
  EXPECT_THAT(page, Not(HasSubstr("more than a page holds")));
}

TEST(PlotHtml, SaysThatALargerRunIsThinnedAndKeepsItsExtremes) {
  auto result = long_run(1'200'000);
  auto& values = result.trajectories[0].numbers;
  values[777'777] = 123;
  values[777'778] = -321;
  const auto page = plot_html(result);
  EXPECT_THAT(page, HasSubstr("The 1200000 rows are more than a page holds (16 MiB)"));
  EXPECT_LT(page.size(), 24U << 20U);
  const auto curve = data_of(page).at("panels").at(0).at("curves").at(0);
  EXPECT_THAT(numbers(curve.at("y")), IsSupersetOf({123.0, -321.0}));
  EXPECT_EQ(numbers(curve.at("t")).size(), numbers(curve.at("y")).size());
}

TEST(PlotHtml, WritesGapsAndNoNumberThatJsonDoesNotKnow) {
  record::Result r;
  r.time = {1e9, 1e9 + 1, 1e9 + 2};
  r.trajectories.push_back(trajectory("x", "", {1, NAN, INFINITY}));
  r.trajectories.push_back(trajectory("y", "", {1, NAN, 2}));
  const auto data = data_of(plot_html(r));
  const auto& curves = data.at("panels").at(0).at("curves");
  EXPECT_THAT(numbers(curves.at(0).at("y")), ElementsAre(1));
  EXPECT_EQ(curves.at(1).at("starts"), nlohmann::json({0, 1}));
  EXPECT_THAT(numbers(curves.at(1).at("t")), ElementsAre(0, 2)) << "relative to the start";
}

TEST(PlotHtml, RefusesUnknownNames) {
  const std::vector<std::string> names{"xx"};
  EXPECT_THROW((void)plot_html(sample(), names), Error);
}

}  // namespace
}  // namespace consort::draw
