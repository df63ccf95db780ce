#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "draw/braille.hpp"
#include "draw/plot.hpp"
#include "draw/tests/sample.hpp"
#include "draw/text.hpp"

namespace consort::draw {
namespace {

using testing::HasSubstr;
using testing::Not;
using Names = std::vector<std::string>;

TEST(Braille, SetsTheDotsOfUnicodePatterns) {
  Braille dots(2, 1);
  dots.dot(0, 0, 0);
  dots.dot(1, 3, 0);
  EXPECT_EQ(dots.text(0, false), "⢁");
  dots.line(0, 0, 3, 3, 0);
  EXPECT_EQ(dots.text(0, false), "⢑⢄");
  dots.dot(-1, 0, 0);
  dots.dot(4, 0, 0);
  dots.dot(0, 4, 0);
  EXPECT_EQ(dots.text(0, false), "⢑⢄") << "dots outside are left out";
}

TEST(Braille, ColoursARowAndSwitchesBack) {
  Braille dots(3, 1);
  dots.dot(0, 0, 0);
  dots.dot(4, 0, 1);
  EXPECT_EQ(dots.text(0, true), ansi_colour(0) + "⠁ " + ansi_colour(1) + "⠁" + ansi_reset);
}

TEST(PlotTerminal, DrawsARampFromCornerToCorner) {
  record::Result r;
  r.time = {0, 10};
  r.trajectories.push_back(trajectory("ramp", "m", {0, 10}));
  const std::string text = plot_terminal(r, {}, {.title = "A ramp", .width = 40, .height = 14});
  const auto lines = split(text, '\n');
  ASSERT_EQ(lines.size(), 15U) << text;  // the last line is empty: every line ends with a newline
  EXPECT_THAT(std::string(lines[0]), HasSubstr("A ramp"));
  EXPECT_THAT(std::string(lines[1]), HasSubstr("ramp [m]"));
  // In the top row of dots, the curve is at the right; in the bottom row, at the left.
  EXPECT_GT(columns_of(lines[2]), 35U) << text;
  EXPECT_LT(columns_of(lines[10]), 12U) << text;
  EXPECT_THAT(text, HasSubstr("Time [s]"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(PlotTerminal, NeverExceedsTheWidth) {
  record::Result r = sample();
  r.trajectories[0].signal.name = std::string(300, 'n');
  r.trajectories[1].signal.unit = std::string(300, 'u');
  r.trajectories[2].signal.name = "有効電力\x1b[31m";
  for (const int width : {30, 47, 80, 200}) {
    const std::string text = plot_terminal(r, {}, {.title = std::string(500, 't'), .width = width, .height = 30});
    for (const auto line : split(text, '\n')) EXPECT_LE(columns_of(line), static_cast<std::size_t>(width)) << line;
    EXPECT_THAT(text, Not(HasSubstr("\x1b"))) << "escape sequences in names do not reach the terminal";
  }
}

TEST(PlotTerminal, UsesTheHeightUnlessPanelsNeedMore) {
  const auto lines = [](int height) {
    return count(plot_terminal(sample(), Names{"x", "v"}, {.width = 60, .height = height}), "\n");
  };
  EXPECT_EQ(lines(31), 31U);
  EXPECT_EQ(lines(30), 29U) << "two panels of equal height";
  EXPECT_EQ(lines(1), 2 * 5 + 3U);
}

TEST(PlotTerminal, ColoursWhenAsked) {
  EXPECT_THAT(plot_terminal(sample(), {}, {.colour = true}), HasSubstr("\x1b[38;5;"));
}

TEST(PlotTerminal, SurvivesStrangeData) {
  record::Result r;
  r.time = {5};
  r.trajectories.push_back(trajectory("x", "", {NAN}));
  EXPECT_THAT(plot_terminal(r), HasSubstr("x"));
  r.trajectories[0].numbers = {1e308};
  EXPECT_THAT(plot_terminal(r), HasSubstr("x"));
  r.time = {0, 1, 2};
  r.trajectories[0].numbers = {-1.7e308, 1.7e308, INFINITY};
  EXPECT_THAT(plot_terminal(r), HasSubstr("x"));
  EXPECT_THAT(plot_terminal(long_run(100'000)), HasSubstr("noise"));
}

TEST(PlotTerminal, RefusesUnknownNamesAndTerminalsThatAreTooNarrow) {
  EXPECT_THROW((void)plot_terminal(sample(), Names{"xx"}), Error);
  EXPECT_THROW((void)plot_terminal(sample(), {}, {.width = 5}), Error);
}

TEST(Text, IsMadePrintable) {
  EXPECT_EQ(printable("a\tb\x7f"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  EXPECT_EQ(printable("grün"), "grün");
  EXPECT_EQ(printable("\xC0\x80 \xED\xA0\x80 \xF5"),
            "\xEF\xBF\xBD\xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD \xEF\xBF\xBD");
  EXPECT_EQ(printable("\xE2\x80\xAEtxt"), "\xEF\xBF\xBDtxt") << "no turning around of the direction of writing";
}

TEST(Text, IsShortenedInTheMiddle) {
  EXPECT_EQ(shorten("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(shorten("abcdefgh", 5), "ab…gh");
  EXPECT_EQ(shorten("abcdefgh", 1), "…");
  EXPECT_EQ(shorten("abcdefgh", 0), "");
  EXPECT_LE(columns_of(shorten("有効電力有効電力", 7)), 7U);
}

}  // namespace
}  // namespace consort::draw
