// Through the public headers alone, as a program of somebody else sees them.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include <consort/fmu.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/places.hpp"
#include "common.hpp"

namespace {

using consort::api_tests::error_of;
using consort::api_tests::fmu;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(PublicFmu, TellsWhatTheModelSaysAboutItself) {
  const consort::Fmu f(fmu("fmi3/Dahlquist"));
  const auto info = f.info();
  EXPECT_EQ(info.model_name, "Dahlquist");
  EXPECT_THAT(info.fmi_version, HasSubstr("3.0"));
  EXPECT_EQ(info.stop_time, 10.0);
  EXPECT_EQ(info.step_size, 0.1);
  EXPECT_EQ(info.continuous_states, 1U);
  ASSERT_EQ(info.interfaces.size(), 2U);
  EXPECT_EQ(info.interfaces[0].type, "Co-Simulation");
  EXPECT_EQ(info.interfaces[1].type, "Model Exchange");
  EXPECT_EQ(info.interfaces[0].model_identifier, "Dahlquist");
}

TEST(PublicFmu, GivesArraysTheirShapesAtTheStart) {
  const auto all = consort::Fmu(fmu("fmi3/Feedthrough")).variables();
  const auto shape = [&](const std::string& name) {
    return std::find_if(all.begin(), all.end(), [&](const auto& v) { return v.name == name; })->shape;
  };
  EXPECT_THAT(shape("float64_in"), IsEmpty());
  EXPECT_THAT(shape("matrix_in"), ElementsAre(2, 3));
  EXPECT_THAT(shape("sized_in"), ElementsAre(2)) << "the structural parameter n starts with 2";
}

TEST(PublicFmu, RunsModelExchangeWithTheSolverThatIsAskedFor) {
  const consort::Fmu f(fmu("fmi2/Dahlquist"));
  const auto result =
      f.simulate({.stop_time = 1.0, .step_size = 0.1, .tolerance = 1e-8, .interface_type = "me", .solver = "dopri5"});
  EXPECT_NEAR(result["x"].back(), std::exp(-1.0), 1e-6);  // a hundred times the tolerance: errors add up
  EXPECT_THAT(error_of([&] { (void)f.simulate({.interface_type = "me", .solver = "dopri6"}); }), HasSubstr("dopri5"));
  EXPECT_THAT(error_of([&] { (void)f.simulate({.interface_type = "se"}); }), HasSubstr("write cs"));
}

TEST(PublicFmu, StopsWhenAskedToAndSaysSo) {
  std::atomic<bool> stop = false;
  const auto result = consort::Fmu(fmu("fmi2/Dahlquist"))
                          .simulate({.stop_time = 1e6,
                                     .step_size = 0.01,
                                     .progress = [&](const consort::Progress& p) { stop = p.time > 0; },
                                     .stop_requested = &stop});
  EXPECT_GT(result.time().size(), 1U);
  EXPECT_LT(result.time().back(), 1e6);
  EXPECT_THAT(result.ended_early(), Not(IsEmpty()));
}

TEST(PublicFmu, KeepsTheRowsUpToAFailure) {
  try {
    (void)consort::Fmu(fmu("fmi2/Bad")).simulate({.step_size = 0.1, .start_values = {{"deed", "error"}}});
    FAIL() << "it should have failed";
  } catch (const consort::FailedRun& failure) {
    EXPECT_EQ(failure.fault(), consort::Fault::run);
    EXPECT_THAT(failure.what(), HasSubstr("as demanded"));
    const auto& result = failure.result();
    EXPECT_EQ(result["y"].size(), result.time().size());
    EXPECT_GE(result.time().size(), 4U);  // it begins to misbehave at 0.5 s
    EXPECT_LE(result.time().back(), 0.5);
  }
}

TEST(PublicResult, HasUnitsTypesAndTexts) {
  const auto result = consort::Fmu(fmu("fmi3/Feedthrough")).simulate({.start_values = {{"string_in", "hello"}}});
  EXPECT_EQ(result.unit("vector_out[1]"), "m");
  EXPECT_EQ(result.texts("string_out").back(), "hello");
  EXPECT_THAT(error_of([&] { (void)result["string_out"]; }), HasSubstr("texts"));
  EXPECT_THAT(error_of([&] { (void)result.texts("float64_out"); }), HasSubstr("numbers"));
  EXPECT_THAT(error_of([&] { (void)result.unit("float64_oot"); }), HasSubstr("float64_out"));
  ASSERT_EQ(result.signals().size(), result.names().size());
  EXPECT_EQ(result.signals()[0].type, "Float32");
}

TEST(PublicResult, IsReadFromTheFileThatARunWrote) {
  const std::filesystem::path file = consort::places::scratch() + "/public_result.csv";
  const auto written = consort::Fmu(fmu("fmi2/Dahlquist")).simulate({.stop_time = 1.0, .output_file = file});
  const auto read = consort::Result::read(file);
  ASSERT_EQ(read.time().size(), written.time().size());
  EXPECT_TRUE(std::equal(read["x"].begin(), read["x"].end(), written["x"].begin()));
  EXPECT_THAT(error_of([] { (void)consort::Result::read(consort::places::scratch() + "/none.csv"); }),
              HasSubstr("none.csv"));
}

}  // namespace
