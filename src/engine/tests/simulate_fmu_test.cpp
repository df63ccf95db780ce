#include "engine/simulate_fmu.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "base/text.hpp"
#include "engine/simulation.hpp"
#include "os/archive.hpp"
#include "os/temp_folder.hpp"
#include "record/formats.hpp"
#include "record/result.hpp"
#include "systems.hpp"

namespace consort::engine {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

fmi::Fmu open(const std::string& name) { return fmi::Fmu::open(std::filesystem::path(places::fmus()) / name); }

struct Outcome {
  report::FmuReport report;
  record::Result result;
};

Outcome run(const std::string& name, const FmuRun& options) {
  Outcome o;
  record::MemorySink sink(o.result);
  record::Sink* const sinks[] = {&sink};
  o.report = simulate_fmu(open(name), options, sinks);
  return o;
}

// The time at which a ball dropped from 1 m first hits the ground.
const double first_bounce = std::sqrt(2 / 9.81);

TEST(SimulateFmu, GivesTheSameCurveInEveryVersion) {
  for (const char* const name : {"fmi1/cs/Dahlquist.fmu", "fmi2/Dahlquist.fmu", "fmi3/Dahlquist.fmu"}) {
    const auto o = run(name, {.simulate = {.stop = 5, .step = 0.1}});
    const auto& x = o.result["x"];
    ASSERT_EQ(o.result.rows(), 51U) << name;
    for (std::size_t i = 0; i < x.numbers.size(); ++i) {
      EXPECT_NEAR(x.numbers[i], std::exp(-o.result.time[i]), 1e-4) << name;  // the default tolerance
    }
  }
}

TEST(SimulateFmu, HandlesTheBouncesOfABallInEventMode) {
  const auto o = run("fmi3/BouncingBall.fmu",
                     {.simulate = {.stop = 1, .step = 0.01}, .use_event_mode = true, .allow_early_return = true});
  EXPECT_EQ(o.report.events, 1U);
  // Two rows at the time at which the velocity changes its sign.
  const auto& v = o.result["v"].numbers;
  bool bounced = false;
  for (std::size_t i = 1; i < v.size() && !bounced; ++i) {
    if (o.result.time[i] != o.result.time[i - 1]) continue;
    bounced = v[i - 1] < 0 && v[i] > 0;
    if (bounced) {
      EXPECT_NEAR(o.result.time[i], first_bounce, 1e-3);
      EXPECT_NEAR(v[i], -0.7 * v[i - 1], 1e-9);
    }
  }
  EXPECT_TRUE(bounced);
  EXPECT_EQ(o.report.reached, 1);
}

TEST(SimulateFmu, BouncesWithoutEventModeToo) {
  const auto o = run("fmi3/BouncingBall.fmu", {.simulate = {.stop = 1, .step = 0.01}});
  EXPECT_EQ(o.report.events, 0U);
  EXPECT_GT(*std::max_element(o.result["v"].numbers.begin(), o.result["v"].numbers.end()), 2);
}

TEST(SimulateFmu, GoesOnFromASavedState) {
  for (const char* const name : {"fmi2/BouncingBall.fmu", "fmi3/BouncingBall.fmu"}) {
    const auto whole = run(name, {.simulate = {.stop = 2, .step = 0.25}});
    const auto first = run(name, {.simulate = {.stop = 1, .step = 0.25, .keep_final_state = true}});
    ASSERT_FALSE(first.report.final_state.empty());
    const auto second =
        run(name, {.simulate = {.start = 1, .stop = 2, .step = 0.25, .initial_state = first.report.final_state}});
    EXPECT_EQ(second.result["h"].numbers.front(), first.result["h"].numbers.back());
    EXPECT_EQ(second.result["h"].numbers.back(), whole.result["h"].numbers.back()) << name << ": exactly";
  }
}

TEST(SimulateFmu, RefusesASavedStateThatIsGarbage) {
  for (const char* const name : {"fmi2/BouncingBall.fmu", "fmi3/BouncingBall.fmu"}) {
    EXPECT_THROW(run(name, {.simulate = {.initial_state = {1, 2, 3}}}), Error) << name;
  }
}

TEST(SimulateFmu, RefusesStartValuesBesideASavedState) {
  const auto first = run("fmi2/Dahlquist.fmu", {.simulate = {.stop = 1, .keep_final_state = true}});
  try {
    run("fmi2/Dahlquist.fmu", {.simulate = {.start_values = {{"k", "2"}}, .initial_state = first.report.final_state}});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::input);
    EXPECT_THAT(error.what(), HasSubstr("no effect"));
  }
}

TEST(SimulateFmu, ReadsInputsFromAFile) {
  const os::TempFolder folder("test");
  const auto file = folder.path() / "in.csv";
  std::ofstream(file) << "time,float64_in,int32_in\n0,0,1\n1,1,1\n1,5,3\n2,5,3\n";
  const auto o = run("fmi2/Feedthrough.fmu", {.simulate = {.stop = 2, .step = 0.5}, .input_file = file});
  const auto* const y = o.result.find("int32_out");
  ASSERT_NE(y, nullptr);
  EXPECT_EQ(y->numbers.front(), 1);
  EXPECT_EQ(y->numbers.back(), 3);
}

TEST(SimulateFmu, ReadsInputsForArraysOfTheSizeThatIsChosen) {
  const os::TempFolder folder("test");
  const auto file = folder.path() / "in.csv";
  std::ofstream(file) << "time,sized_in[1],sized_in[2],sized_in[3]\n0,1,2,3\n1,1,2,30\n";
  for (const auto interface : {describe::InterfaceType::co_simulation, describe::InterfaceType::model_exchange}) {
    const auto o = run("fmi3/Feedthrough.fmu",
                       {.simulate = {.stop = 1, .step = 0.5, .start_values = {{"n", "3"}}, .outputs = {"sized_out"}},
                        .interface = interface,
                        .input_file = file});
    ASSERT_NE(o.result.find("sized_out[3]"), nullptr);
    EXPECT_EQ(o.result["sized_out[2]"].numbers.back(), 2);
    EXPECT_GT(o.result["sized_out[3]"].numbers.back(), 20);
    EXPECT_EQ(o.result.find("sized_out[4]"), nullptr);
  }
  try {
    run("fmi3/Feedthrough.fmu", {.simulate = {.start_values = {{"n", "4"}}}, .input_file = file});
    FAIL() << "accepted three columns for four elements";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'sized_in' has 4 elements"), HasSubstr("only 3")));
  }
}

// --- clocks

// A ball whose description has clocks that its binary does not have: a call for one of them would fail.
struct ClockedBall {
  ClockedBall() {
    os::unpack(std::filesystem::path(places::fmus()) / "fmi3/BouncingBall.fmu", folder.path());
    const auto file = folder.path() / "modelDescription.xml";
    std::string text = read_file(file);
    const auto at = text.find("</ModelVariables>");
    EXPECT_NE(at, std::string::npos);
    text.insert(at,
                "<Clock name='every_second' valueReference='901' causality='input' intervalVariability='constant' "
                "intervalDecimal='1'/>\n"
                "<Clock name='poked' valueReference='902' causality='input' intervalVariability='triggered'/>\n"
                "<Clock name='bounced' valueReference='903' causality='output' intervalVariability='triggered'/>\n");
    std::ofstream(file) << text;
  }
  Outcome run(const FmuRun& options) const {
    Outcome o;
    record::MemorySink sink(o.result);
    record::Sink* const sinks[] = {&sink};
    o.report = simulate_fmu(fmi::Fmu::open(folder.path()), options, sinks);
    return o;
  }
  os::TempFolder folder{"test"};
};

TEST(SimulateFmu, SaysWhichClocksItDoesNotDriveAndUsesEventModeForThem) {
  const auto o = ClockedBall().run({.simulate = {.stop = 1, .step = 0.01}});
  EXPECT_THAT(o.report.warnings, Contains(AllOf(HasSubstr("time-based input clocks 'every_second' never tick"),
                                                HasSubstr("triggered input clocks 'poked' never tick"),
                                                HasSubstr("output clocks 'bounced'"))));
  EXPECT_THAT(o.report.assumed, Contains(HasSubstr("event mode")));
  EXPECT_EQ(o.result.find("bounced"), nullptr) << "not recorded unless asked for";
  EXPECT_EQ(o.report.reached, 1);
}

TEST(SimulateFmu, ClocksThatNeverTickInASystemAreReported) {
  const ClockedBall ball;
  graph::System system("whole");
  system.add("ball", ball.folder.path());
  const auto report = Simulation(system, testing::options(1, 0.01)).run({});
  EXPECT_THAT(report.warnings, Contains(AllOf(HasSubstr("unit 'ball'"), HasSubstr("'every_second'"),
                                              HasSubstr("'poked'"), HasSubstr("never tick"))));
}

TEST(SimulateFmu, ModelsWithoutOutputsAreRecordedIfVariablesAreNamed) {
  const os::TempFolder folder("test");
  os::unpack(std::filesystem::path(places::fmus()) / "fmi2/BouncingBall.fmu", folder.path());
  const auto file = folder.path() / "modelDescription.xml";
  std::string text = read_file(file);
  for (std::size_t at = 0; (at = text.find("causality=\"output\"", at)) != std::string::npos;)
    text.replace(at, 18, "causality=\"local\"");
  const auto begin = text.find("<Outputs>");
  text.erase(begin, text.find("</Outputs>") + 10 - begin);
  std::ofstream(file) << text;
  for (const auto type : {describe::InterfaceType::co_simulation, describe::InterfaceType::model_exchange}) {
    const auto warnings = [&](const std::vector<std::string>& outputs) {
      record::Result result;
      record::MemorySink sink(result);
      record::Sink* const sinks[] = {&sink};
      const FmuRun options{.simulate = {.stop = 1, .step = 0.01, .outputs = outputs}, .interface = type};
      return simulate_fmu(fmi::Fmu::open(folder.path()), options, sinks).warnings;
    };
    EXPECT_THAT(warnings({}), Contains(HasSubstr("nothing but the time is recorded")));
    EXPECT_THAT(warnings({"*"}), Not(Contains(HasSubstr("nothing but the time is recorded"))));
  }
}

TEST(SimulateFmu, SettingsWithoutEffectAreReported) {
  const auto warnings = [](const std::string& name, FmuRun options) {
    options.simulate.stop = 1;
    return run(name, options).report.warnings;
  };
  using describe::InterfaceType;
  EXPECT_THAT(warnings("fmi2/Dahlquist.fmu", {.solver = "rk4"}),
              Contains(AllOf(HasSubstr("the solver 'rk4' has no effect"), HasSubstr("--interface-type me"))));
  const FmuRun events{.use_event_mode = true, .allow_early_return = true};
  EXPECT_THAT(warnings("fmi2/Dahlquist.fmu", events), Contains(HasSubstr("--event-mode-used has no effect")));
  EXPECT_THAT(warnings("fmi2/Dahlquist.fmu", events), Contains(HasSubstr("--early-return-allowed has no effect")));
  EXPECT_THAT(warnings("fmi2/Dahlquist.fmu", {.skip_unsettable_inputs = true}),
              Contains(HasSubstr("there is no input file")));
  FmuRun me = events;
  me.interface = InterfaceType::model_exchange;
  EXPECT_THAT(warnings("fmi3/BouncingBall.fmu", me), Contains(HasSubstr("--event-mode-used has no effect")));
  EXPECT_THAT(warnings("fmi3/BouncingBall.fmu", events), Not(Contains(HasSubstr("no effect"))));
  EXPECT_THAT(warnings("fmi2/Dahlquist.fmu", {.interface = InterfaceType::model_exchange, .solver = "rk4"}),
              Not(Contains(HasSubstr("no effect"))));
  EXPECT_THAT(warnings("fmi2/Dahlquist.fmu", {}), Not(Contains(HasSubstr("no effect"))));
}

TEST(SimulateFmu, SaysNothingOfClocksWhereThereAreNone) {
  const auto o = run("fmi3/BouncingBall.fmu", {.simulate = {.stop = 1, .step = 0.01}});
  EXPECT_THAT(o.report.warnings, Not(Contains(HasSubstr("clock"))));
  EXPECT_THAT(o.report.assumed, Not(Contains(HasSubstr("event mode"))));
}

TEST(SimulateFmu, RefusesToRecordAClock) {
  try {
    ClockedBall().run({.simulate = {.outputs = {"h", "bounced"}}});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::input);
    EXPECT_THAT(error.what(), HasSubstr("'bounced' is a clock"));
  }
}

TEST(SimulateFmu, SetsNoClockOutsideOfEventMode) {
  const ClockedBall ball;
  const auto file = ball.folder.path() / "in.csv";
  std::ofstream(file) << "time,poked\n0,0\n0.5,1\n1,0\n";
  try {
    ball.run({.simulate = {.stop = 1, .step = 0.25}, .input_file = file});
    FAIL() << "the binary does not know the clock";
  } catch (const Error& error) {
    // At 0.5 s, where it ticks: neither in initialization nor before earlier steps.
    EXPECT_THAT(error.what(), AllOf(HasSubstr("fmi3SetClock"), Not(HasSubstr("t = 0 s"))));
  }
}

TEST(SimulateFmu, SaysWhatAFormatCannotHold) {
  const os::TempFolder folder("mat");
  const auto sink = record::make_sink(folder.path() / "r.mat");
  record::Sink* const sinks[] = {sink.get()};
  const auto report = simulate_fmu(open("fmi2/Feedthrough.fmu"), {.simulate = {.stop = 1, .step = 0.5}}, sinks);
  EXPECT_THAT(report.warnings, Contains(HasSubstr("string_out")));
}

TEST(SimulateFmu, EndsWhereTheModelSaysSo) {
  for (const char* const name : {"fmi2/Stair.fmu", "fmi3/Stair.fmu"}) {
    const auto o = run(name, {.simulate = {.stop = 10, .step = 0.25, .start_values = {{"last", "3"}}}});
    EXPECT_THAT(o.report.ended_early, HasSubstr("asked to end")) << name;
    EXPECT_NEAR(o.report.reached, 3, 0.2501) << name;
  }
}

TEST(SimulateFmu, TracesEveryCall) {
  std::vector<std::string> lines;
  run("fmi2/Dahlquist.fmu",
      {.simulate = {.stop = 1, .step = 0.5}, .trace = [&](std::string_view line) { lines.emplace_back(line); }});
  EXPECT_THAT(lines, Contains(HasSubstr("fmi2DoStep")));
  EXPECT_THAT(lines, Contains(HasSubstr("fmi2Terminate")));
}

}  // namespace
}  // namespace consort::engine
