#include "base/text.hpp"

#include <array>
#include <fstream>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.hpp"
#include "base/string_arena.hpp"
#include "base/tests/error_text.hpp"
#include "base/tests/places.hpp"

namespace consort {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Text, TrimsAsciiWhiteSpaceOnly) {
  EXPECT_EQ(trim(" \t\r\n\v\fa b \n"), "a b");
  EXPECT_EQ(trim(" \n "), "");
  EXPECT_EQ(trim("\xC2\xA0x"), "\xC2\xA0x");
}

TEST(Text, SplitsAtEverySeparatorAndKeepsEmptyParts) {
  EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
}

TEST(Text, SplitsAtRunsOfWhiteSpaceWithoutEmptyParts) {
  EXPECT_THAT(split_white("  a\t\n b  "), ElementsAre("a", "b"));
  EXPECT_THAT(split_white(" \n"), IsEmpty());
}

TEST(Text, ComparesIgnoringAsciiCase) {
  EXPECT_TRUE(iequals("StopTime", "sTOPtIME"));
  EXPECT_FALSE(iequals("StopTime", "StopTim"));
  EXPECT_FALSE(iequals("[", "{"));
}

TEST(Text, TellsUtf8FromOtherBytes) {
  EXPECT_TRUE(is_utf8("plain, \xC3\xA9, \xE2\x82\xAC, \xF0\x9F\x98\x80"));
  EXPECT_FALSE(is_utf8("\xE9t\xE9"));         // Latin-1
  EXPECT_FALSE(is_utf8("\xC0\xAF"));          // overlong
  EXPECT_FALSE(is_utf8("\xE0\x80\x80"));      // overlong
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));      // half of a surrogate pair
  EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80"));  // beyond U+10FFFF
  EXPECT_FALSE(is_utf8("\xE2\x82"));          // cut off
  EXPECT_FALSE(is_utf8("\x80"));
}

TEST(Text, QuotesOnOneLineAndCutsBetweenCharacters) {
  EXPECT_EQ(quote("a\nb\x01"), "'a?b?'");
  EXPECT_EQ(quote("caf\xC3\xA9"), "'caf\xC3\xA9'");
  EXPECT_EQ(quote("caf\xE9"), "'caf?'");
  EXPECT_EQ(quote("abcdef", 3), "'abc…'");
  EXPECT_EQ(quote("ab\xE2\x82\xAC", 4), "'ab…'");
}

TEST(Nearest, PrefersTheSmallestDistanceThenTheOrderOfTheCandidates) {
  constexpr std::array<std::string_view, 5> names = {"velocity", "height", "heigth", "h", "weight"};
  EXPECT_THAT(nearest("heihgt", names), ElementsAre("height", "heigth", "weight"));
  EXPECT_THAT(nearest("HEIGHT", names, 1), ElementsAre("height"));
}

TEST(Nearest, NamesNothingThatIsFarAway) {
  constexpr std::array<std::string_view, 3> names = {"velocity", "x", ""};
  EXPECT_THAT(nearest("temperature", names), IsEmpty());
  EXPECT_THAT(nearest("y", names), IsEmpty());
  EXPECT_THAT(nearest("", names), IsEmpty());
  EXPECT_THAT(nearest(std::string(100'000, 'v'), names), IsEmpty());
}

TEST(Suggestion, ReadsAsTheEndOfASentence) {
  constexpr std::array<std::string_view, 3> names = {"stop", "step", "stoop"};
  EXPECT_EQ(suggestion("stopp", std::span(names).first(1)), "; did you mean 'stop'?");
  EXPECT_EQ(suggestion("stap", std::span(names).first(2)), "; did you mean 'stop' or 'step'?");
  EXPECT_EQ(suggestion("stopx", names).substr(0, 17), "; did you mean 's");
  EXPECT_EQ(suggestion("jacobi", names), "");
  const std::string_view options[] = {"--stop-time", "--output-interval", "--output-file"};
  EXPECT_EQ(suggestion("--stop", options), "; did you mean '--stop-time'?");
  EXPECT_EQ(suggestion("--output", options), "; did you mean '--output-interval' or '--output-file'?");
  EXPECT_EQ(suggestion("--i", options), "");
}

TEST(ReadFile, ReturnsTheBytesAsTheyAre) {
  const std::string file = places::scratch() + "/text_test.bin";
  const std::string content("a\0b\r\n\xFF", 6);
  std::ofstream(file, std::ios::binary) << content;
  EXPECT_EQ(read_file(file), content);
  EXPECT_EQ(read_file(file, 6), content);
  EXPECT_THAT(error_text([&] { (void)read_file(file, 5); }), HasSubstr("larger than the 5 bytes"));
}

TEST(ReadFile, ReadsFilesThatDoNotKnowTheirSize) { EXPECT_THAT(read_file("/proc/self/status"), HasSubstr("Pid:")); }

TEST(ReadFile, StopsAtTheLimitOfAFileWithoutEnd) {
  EXPECT_THAT(error_text([] { (void)read_file("/dev/zero", 1'000'000); }), HasSubstr("/dev/zero"));
}

TEST(ReadFile, NamesWhatItCannotRead) {
  EXPECT_THAT(error_text([] { (void)read_file("/no/such/file"); }), HasSubstr("'/no/such/file': No such file"));
  EXPECT_THAT(error_text([] { (void)read_file(places::scratch()); }), HasSubstr("is a folder"));
}

TEST(DurationText, IsForPeople) {
  EXPECT_EQ(duration_text(0), "0 ms");
  EXPECT_EQ(duration_text(0.0123), "12.3 ms");
  EXPECT_EQ(duration_text(1.2), "1.2 s");
  EXPECT_EQ(duration_text(59.94), "59.9 s");
  EXPECT_EQ(duration_text(59.96), "1 min 0 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(3600 * 5 + 61), "5 h 1 min");
  EXPECT_EQ(duration_text(86400 * 2 + 3600), "2 d 1 h");
  EXPECT_EQ(duration_text(-2), "-2 s");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::infinity()), "an unknown time");
  EXPECT_EQ(duration_text(1e300), "1.16e+295 days");
}

TEST(LogLevel, HasNames) {
  EXPECT_EQ(name_of(LogLevel::debug), "debug");
  EXPECT_EQ(name_of(LogLevel::error), "error");
}

TEST(StringArena, KeepsTextInPlaceWhenItGrowsAndMoves) {
  StringArena arena;
  const std::string_view first = arena.store("first");
  const std::string_view large = arena.store(std::string(200'000, 'x'));
  for (int i = 0; i < 50'000; ++i) (void)arena.store("another one");
  const StringArena moved = std::move(arena);
  EXPECT_EQ(first, "first");
  EXPECT_EQ(large.size(), 200'000U);
  EXPECT_EQ(large.find_first_not_of('x'), std::string_view::npos);
}

}  // namespace
}  // namespace consort
