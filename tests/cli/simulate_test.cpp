// simulate: from the command line to the result file.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "record/formats.hpp"

namespace consort::cli_tests {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class SimulateVersion : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static std::string model(const std::string& name) {
    return fmu(std::string(GetParam()) + "/" + name + ".fmu");
  }
};
INSTANTIATE_TEST_SUITE_P(AllVersions, SimulateVersion, ::testing::Values("fmi1/cs", "fmi2", "fmi3"),
                         [](const auto& version) { return std::string(version.param).substr(0, 4); });

TEST_P(SimulateVersion, WritesTheOutputsToNameCsvAndReportsWhatWasAssumed) {
  const Desk desk;
  const auto ended = desk.run({"simulate", model("Dahlquist")});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, AllOf(HasSubstr("assumed: stop time 10 s"), HasSubstr("assumed: tolerance"),
                               HasSubstr("assumed: step size"), HasSubstr("wrote Dahlquist.csv")));
  EXPECT_THAT(desk.files(), ElementsAre("Dahlquist.csv"));
  EXPECT_THAT(desk.left_behind(), IsEmpty());
  const auto result = record::read_result(desk.folder() / "Dahlquist.csv");
  EXPECT_EQ(result.time.back(), 10);
  for (std::size_t i = 0; i < result.rows(); ++i)
    EXPECT_NEAR(result["x"].numbers[i], std::exp(-result.time[i]), 1e-4);  // the default tolerance
}

TEST_P(SimulateVersion, TakesTimesStepsStartValuesAndVariables) {
  const Desk desk;
  const auto ended = desk.run({"simulate",
                               model("Dahlquist"),
                               "--start-time",
                               "1",
                               "--stop-time=3",
                               "--step-size",
                               "0.25",
                               "--output-interval",
                               "0.5",
                               "--start-value",
                               "k=2",
                               "--start-value",
                               "x=10",
                               "--output-variable",
                               "k",
                               "--output-variable",
                               "x",
                               "--output-file",
                               "r.csv",
                               "-q"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err, "") << "quiet";
  EXPECT_THAT(desk.read("r.csv"), StartsWith("\"time\",\"k\",\"x\"\n1,2,10\n"));
  const auto result = record::read_result(desk.folder() / "r.csv");
  EXPECT_THAT(result.time, ElementsAre(1, 1.5, 2, 2.5, 3));
  EXPECT_NEAR(result["x"].numbers.back(), 10 * std::exp(-4.0), 1e-3);
}

TEST_P(SimulateVersion, ReadsInputsFromAFile) {
  const Desk desk;
  desk.write("in.csv", "time,u\n0,0\n1,0\n1,1\n20,1\n");
  const auto ended = desk.run({"simulate", model("Bad"), "--input-file", "in.csv", "--stop-time", "10", "-q"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  const auto result = record::read_result(desk.folder() / "Bad.csv");
  EXPECT_NEAR(result["y"].numbers.back(), 1, 1e-3);
  for (std::size_t i = 0; i < result.rows(); ++i) {
    if (result.time[i] <= 1) {
      EXPECT_NEAR(result["y"].numbers[i], std::exp(-result.time[i]), 1e-3);
    }
  }
}

TEST_P(SimulateVersion, ShowsEveryCall) {
  const Desk desk;
  const auto shown = desk.run({"simulate", model("Dahlquist"), "--log-fmi", "--stop-time", "1"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.err, AllOf(HasSubstr("DoStep("), HasSubstr("Instantiate"), HasSubstr("-> OK")));
  const auto kept =
      desk.run({"simulate", model("Dahlquist"), "--fmi-log-file", "calls.txt", "--log-fmi-calls", "--stop-time", "1"});
  EXPECT_EQ(kept.status, 0);
  EXPECT_THAT(kept.err, Not(HasSubstr("DoStep(")));
  EXPECT_THAT(desk.read("calls.txt"), HasSubstr("DoStep("));
}

TEST(Simulate, WritesToStandardOutput) {
  const Desk desk;
  const auto ended = desk.run({"simulate", fmu("fmi2/Dahlquist.fmu"), "--output-file", "-", "--stop-time", "1"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.out, StartsWith("\"time\",\"x\"\n0,1\n"));
  EXPECT_THAT(desk.files(), IsEmpty());
}

TEST(Simulate, ReplacesTheResultOfTheLastRun) {
  const Desk desk;
  for (const char* const stop : {"10", "1"}) {
    EXPECT_EQ(desk.run({"simulate", fmu("fmi2/Dahlquist.fmu"), "--stop-time", stop}).status, 0);
  }
  EXPECT_EQ(record::read_result(desk.folder() / "Dahlquist.csv").time.back(), 1);
}

TEST(Simulate, TakesArraysAndItemNamesAndStructuralParameters) {
  const Desk desk;
  const auto ended = desk.run({"simulate", fmu("fmi3/Feedthrough.fmu"), "--start-value", "n=3", "--start-value",
                               "sized_in=7 8 9", "--start-value", "enumeration_in=third", "--output-variable",
                               "sized_out", "--output-variable", "enumeration_out", "--stop-time", "0.1"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(
      desk.read("Feedthrough.csv"),
      StartsWith("\"time\",\"sized_out[1]\",\"sized_out[2]\",\"sized_out[3]\",\"enumeration_out\"\n0,7,8,9,3\n"));
}

TEST(Simulate, GoesOnFromAStateFile) {
  const Desk desk;
  const std::string model = fmu("fmi3/BouncingBall.fmu");
  ASSERT_EQ(desk.run({"simulate", model, "--stop-time", "2", "--output-file", "whole.csv"}).status, 0);
  ASSERT_EQ(desk.run({"simulate", model, "--stop-time", "1", "--final-fmu-state-file", "at1.state"}).status, 0);
  const auto ended = desk.run({"simulate", model, "--start-time", "1", "--stop-time", "2", "--initial-fmu-state-file",
                               "at1.state", "--output-file", "second.csv"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const auto whole = record::read_result(desk.folder() / "whole.csv");
  const auto second = record::read_result(desk.folder() / "second.csv");
  EXPECT_EQ(second["h"].numbers.back(), whole["h"].numbers.back());
  EXPECT_EQ(second["v"].numbers.back(), whole["v"].numbers.back());
}

TEST(Simulate, HandlesEventsWhenAskedTo) {
  const Desk desk;
  const auto ended =
      desk.run({"simulate", fmu("fmi3/BouncingBall.fmu"), "--event-mode-used", "--early-return-allowed"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("events: "));
  const auto result = record::read_result(desk.folder() / "BouncingBall.csv");
  std::size_t pairs = 0;
  for (std::size_t i = 1; i < result.rows(); ++i) {
    if (result.time[i] == result.time[i - 1]) ++pairs;
  }
  EXPECT_GE(pairs, 3U) << "rows before and after each bounce";
}

TEST(Simulate, RunsAFolderThatAnFmuWasUnpackedInto) {
  const Desk desk;
  const auto unpacked = (desk.folder() / "Ball").string();
  fs::create_directory(unpacked);
  const std::string command =
      "/usr/bin/python3 -m zipfile -e '" + fmu("fmi2/BouncingBall.fmu") + "' '" + unpacked + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  for (const char* const name : {"Ball", "Ball/", "./Ball/."}) {
    fs::remove(desk.folder() / "Ball.csv");
    EXPECT_EQ(desk.run({"simulate", name}).status, 0) << name;
    EXPECT_THAT(desk.files(), ElementsAre("Ball", "Ball.csv")) << name;
  }
}

TEST(Simulate, FindsItsResources) {
  const Desk desk;
  for (const char* const name : {"fmi2/Resource.fmu", "fmi3/Resource.fmu"}) {
    EXPECT_EQ(desk.run({"simulate", fmu(name)}).status, 0) << name;
  }
}

TEST(Simulate, WarnsOfWhatTheStepMakesOfTheRun) {
  const Desk desk;
  const auto ended = desk.run({"simulate", fmu("fmi2/Stair.fmu"), "--start-value", "last=2"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("ended early: unit 'Stair' asked to end the simulation"));
}

}  // namespace
}  // namespace consort::cli_tests
