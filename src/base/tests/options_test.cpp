#include "base/options.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/error_text.hpp"
#include "base/tests/places.hpp"

namespace consort {
namespace {

using testing::HasSubstr;

TEST(Options, ReadsTheFilesOfTheCrossCheck) {
  const Options options =
      parse_options("StartTime,0.0\r\nStopTime, 10 \r\n\r\nStepSize,1e-2\r\nSolverType,FixedStep\r\n", "a.opt");
  EXPECT_EQ(options.number("StopTime"), 10.0);
  EXPECT_EQ(options.number("StepSize"), 0.01);
  EXPECT_EQ(options.text("SolverType"), "FixedStep");
  EXPECT_EQ(options.number("RelTol"), std::nullopt);
}

TEST(Options, ReadsEqualSignsCommentsQuotesAndAByteOrderMark) {
  const Options options = parse_options("\xEF\xBB\xBF# a comment\n  stoptime = 2\n\"Name\" , \"a,b\"\n", "a.opt");
  EXPECT_EQ(options.number("StopTime"), 2.0);
  EXPECT_EQ(options.text("name"), "a,b");
}

TEST(Options, KeepsUnknownKeysInTheOrderOfTheFile) {
  const Options options = parse_options("z,1\na,2\nm=x=y\n", "a.opt");
  ASSERT_EQ(options.entries().size(), 3U);
  EXPECT_EQ(options.entries()[0].key, "z");
  EXPECT_EQ(options.entries()[1].line, 2U);
  EXPECT_EQ(options.entries()[2].value, "x=y");
}

TEST(Options, TakesAnEmptyValueForNone) {
  const Options options = parse_options("StepSize,\n", "a.opt");
  EXPECT_EQ(options.number("StepSize"), std::nullopt);
  EXPECT_EQ(options.text("StepSize"), std::nullopt);
  EXPECT_TRUE(parse_options("", "a.opt").entries().empty());
}

TEST(Options, NamesFileAndLineOfWhatIsWrong) {
  const auto refusal = [](std::string_view text) { return error_text([&] { (void)parse_options(text, "a.opt"); }); };
  EXPECT_THAT(refusal("a,1\nStopTime 10\n"), HasSubstr("a.opt, line 2: 'StopTime 10' is not a setting"));
  EXPECT_THAT(refusal(",1\n"), HasSubstr("a.opt, line 1"));
  EXPECT_THAT(refusal("a,1\nb,2\nA,3\n"), HasSubstr("line 3: 'a' is given a second time, first in line 1"));
  const Options options = parse_options("\nStopTime,ten\n", "a.opt");
  EXPECT_THAT(error_text([&] { (void)options.number("StopTime"); }), HasSubstr("a.opt, line 2, 'StopTime': 'ten'"));
}

TEST(Options, RefusesWhatIsTooLarge) {
  std::string many;
  for (int i = 0; i < 10'001; ++i) many += std::to_string(i) + ",1\n";
  EXPECT_THAT(error_text([&] { (void)parse_options(many, "a.opt"); }), HasSubstr("line 10001: more than 10000"));
  EXPECT_THAT(error_text([] { (void)parse_options(std::string((1U << 20) + 1, '\n'), "a.opt"); }), HasSubstr("bytes"));
}

TEST(Options, ReadsAFile) {
  const std::string file = places::scratch() + "/options_test.opt";
  std::ofstream(file) << "StopTime,3\n";
  EXPECT_EQ(read_options(file).number("StopTime"), 3.0);
  EXPECT_THAT(error_text([] { (void)read_options("/no/such.opt"); }), HasSubstr("/no/such.opt"));
}

}  // namespace
}  // namespace consort
