// probe: tests the claims of FMUs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace consort::cli_tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ProbeCommand, PrintsATableOfClaimsAndFindings) {
  const Desk desk;
  const auto ended = desk.run({"probe", fmu("fmi2/Bad.fmu")});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("(FMI 2.0, Co-Simulation), steps of 0.01 s"), HasSubstr("rollback"),
                               HasSubstr("second instance"), HasSubstr("repeated get")));
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(desk.files(), IsEmpty());
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

TEST(ProbeCommand, SpeaksJson) {
  const Desk desk;
  const auto ended = desk.run({"probe", fmu("fmi3/Dahlquist.fmu"), "--interface-type", "me", "--json"});
  EXPECT_EQ(ended.status, 0) << ended.out;
  const auto report = nlohmann::json::parse(ended.out);
  EXPECT_EQ(report["version"], "FMI 3.0");
  EXPECT_EQ(report["interface"], "Model Exchange");
  EXPECT_TRUE(report["keeps its word"]);
  EXPECT_EQ(report["trials"][0]["name"], "rollback");
  EXPECT_EQ(report["trials"][0]["claimed"], true);
  EXPECT_EQ(report["trials"][0]["verdict"], "holds");
}

TEST(ProbeCommand, AnFmuThatCrashesOrHangsGetsThroughTheOtherTrialsAndEndsWithOne) {
  const Desk desk;
  const auto crash = desk.run({"probe", fmu("fmi2/Bad.fmu"), "--start-value", "deed=crash", "--start-value", "when=0"});
  EXPECT_EQ(crash.status, 1);
  EXPECT_EQ(crash.signal, 0);
  EXPECT_THAT(crash.out, AllOf(HasSubstr("crashed"), HasSubstr("fmi2DoStep"), HasSubstr("repeated get")));
  const auto hang = desk.run(
      {"probe", fmu("fmi2/Bad.fmu"), "--start-value", "deed=hang", "--start-value", "when=0", "--timeout", "0.3"});
  EXPECT_EQ(hang.status, 1);
  EXPECT_THAT(hang.out, HasSubstr("timed out"));
  EXPECT_EQ(desk.run({"info", fmu("fmi2/Dahlquist.fmu")}).status, 0);
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

TEST(ProbeCommand, RefusesWhatItCannotProbe) {
  const Desk desk;
  expect_one_paragraph(desk.run({"probe", "nowhere.fmu"}), 2);
  expect_one_paragraph(desk.run({"probe", fmu("fmi1/cs/Dahlquist.fmu"), "--interface-type", "me"}), 2);
  expect_one_paragraph(desk.run({"probe", fmu("fmi2/Dahlquist.fmu"), "--start-value", "kk=1"}), 2);
  expect_one_paragraph(desk.run({"probe", fmu("fmi2/Dahlquist.fmu"), "--step-size", "0"}), 2);
  expect_one_paragraph(desk.run({"probe", fmu("fmi2/Dahlquist.fmu"), "--timeout", "0"}), 2);
}

}  // namespace
}  // namespace consort::cli_tests
