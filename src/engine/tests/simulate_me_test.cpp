#include "engine/simulate_me.hpp"

#include <atomic>
#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "base/text.hpp"
#include "engine/simulate_fmu.hpp"
#include "os/temp_folder.hpp"
#include "record/result.hpp"
#include "unit/me_unit.hpp"

namespace consort::engine::simulate_me_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr auto me = describe::InterfaceType::model_exchange;

fmi::Fmu open(const std::string& name) { return fmi::Fmu::open(std::filesystem::path(places::fmus()) / name); }

struct Outcome {
  report::FmuReport report;
  record::Result result;
};

Outcome run(const std::string& name, FmuRun options) {
  Outcome o;
  record::MemorySink sink(o.result);
  record::Sink* const sinks[] = {&sink};
  options.interface = me;
  o.report = simulate_fmu(open(name), options, sinks);
  return o;
}

std::string failure_of(const std::string& name, const FmuRun& options) {
  try {
    run(name, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::input);
    return error.what();
  }
  return "no Error";
}

class MeOfVersion : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static std::string file(const std::string& model) {
    return std::string(GetParam()) + "/" + model + ".fmu";
  }
  [[nodiscard]] static bool is_fmi1() { return std::string_view(GetParam()) == "fmi1/me"; }
};
INSTANTIATE_TEST_SUITE_P(AllVersions, MeOfVersion, ::testing::Values("fmi1/me", "fmi2", "fmi3"),
                         [](const auto& version) { return std::string(version.param).substr(0, 4); });

// --- the adapter compared with the whole run

// The unit is stepped like a Co-Simulation FMU.
Outcome run_adapted(const std::string& name, const SimulateOptions& options) {
  Outcome o;
  record::MemorySink sink(o.result);
  record::Sink* const sinks[] = {&sink};
  const auto fmu = open(name);
  const auto unit = unit::make_me_unit(fmu, {.name = "adapted"});
  o.report = simulate_cs(*unit, options, nullptr, sinks);
  return o;
}

TEST_P(MeOfVersion, IsFollowedByTheAdapterToTheTolerance) {
  const SimulateOptions options{.stop = 10, .step = 0.05, .tolerance = 1e-7};
  const auto adapted = run_adapted(file("VanDerPol"), options);
  auto whole =
      run(file("VanDerPol"), {.simulate = {.stop = 10, .output_interval = 0.05, .tolerance = 1e-7}, .solver = "bdf"});
  ASSERT_EQ(adapted.result.rows(), whole.result.rows());
  for (std::size_t i = 0; i < whole.result.rows(); ++i) {
    // Two runs, each with an error of some hundred times its tolerance while the oscillator is fast.
    EXPECT_NEAR(adapted.result["x0"].numbers[i], whole.result["x0"].numbers[i], 1e-4) << whole.result.time[i];
  }
}

TEST_P(MeOfVersion, HasTheSameEventsInTheAdapter) {
  const auto ball = run_adapted(file("BouncingBall"), {.stop = 3, .step = 0.01, .tolerance = 1e-8});
  const auto whole = run(file("BouncingBall"), {.simulate = {.stop = 3, .output_interval = 0.01, .tolerance = 1e-8}});
  EXPECT_NEAR(ball.result["h"].numbers.back(), whole.result["h"].numbers.back(), 1e-6);
  EXPECT_GT(whole.report.events, 3U);
  const auto stair = run_adapted(file("Stair"), {.stop = 20, .step = 0.3});
  const auto steps = run(file("Stair"), {.simulate = {.stop = 20, .output_interval = 0.3}});
  EXPECT_NEAR(stair.report.reached, 10, 1e-9) << "it ends itself";
  EXPECT_NEAR(steps.report.reached, 10, 1e-9);
  EXPECT_EQ(stair.result["counter"].numbers.back(), 11);
  EXPECT_EQ(steps.result["counter"].numbers.back(), 11);
}

// --- rows

TEST_P(MeOfVersion, HasRowsThatDoNotInfluenceTheSolution) {
  const auto many = run(file("Dahlquist"), {.simulate = {.stop = 2, .output_interval = 0.001}, .solver = "dopri5"});
  const auto few = run(file("Dahlquist"), {.simulate = {.stop = 2, .output_interval = 2}, .solver = "dopri5"});
  EXPECT_EQ(many.result.rows(), 2001U);
  EXPECT_EQ(few.result.rows(), 2U);
  EXPECT_LT(few.report.steps, 100U);
  EXPECT_EQ(many.report.steps, few.report.steps);
  EXPECT_EQ(many.result["x"].numbers.back(), few.result["x"].numbers.back());
}

TEST_P(MeOfVersion, HasTwoRowsAtAnEventAtTheTimeOfARow) {
  // 10 * 0.1 is the time of an event exactly, 30 * 0.1 up to rounding.
  const auto stair = run(file("Stair"), {.simulate = {.stop = 4, .output_interval = 0.1}});
  const auto& time = stair.result.time;
  EXPECT_EQ(time.size(), 41U + 4U);
  for (const double event : {1.0, 2.0, 3.0, 4.0}) {
    std::vector<double> values;
    for (std::size_t i = 0; i < time.size(); ++i)
      if (std::abs(time[i] - event) < 1e-9) values.push_back(stair.result["counter"].numbers[i]);
    EXPECT_THAT(values, ::testing::ElementsAre(event, event + 1)) << event;
  }
}

TEST(SimulateMe, EndsAtOnceOnRequest) {
  const std::atomic<bool> stop{true};
  const auto o = run("fmi3/VanDerPol.fmu", {.simulate = {.stop = 10, .stop_requested = &stop}});
  EXPECT_THAT(o.report.ended_early, HasSubstr("on request"));
  EXPECT_EQ(o.report.reached, 0);
  EXPECT_EQ(o.result.rows(), 1U);
}

// --- states in files

TEST_P(MeOfVersion, GoesOnFromASavedStateWhereTheFmuSerialisesIts) {
  FmuRun first{.simulate = {.stop = 1, .output_interval = 0.01, .tolerance = 1e-8, .keep_final_state = true},
               .solver = "bdf"};
  if (is_fmi1()) {
    EXPECT_THAT(failure_of(file("BouncingBall"), first), HasSubstr("can neither save its state"));
    return;
  }
  const auto saved = run(file("BouncingBall"), first);
  ASSERT_FALSE(saved.report.final_state.empty());
  FmuRun second{.simulate = {.stop = 2, .output_interval = 0.01, .tolerance = 1e-8}, .solver = "bdf"};
  second.simulate.initial_state = saved.report.final_state;
  const auto rest = run(file("BouncingBall"), second);
  EXPECT_EQ(rest.report.start, 1);
  EXPECT_EQ(rest.result.time.front(), 1);
  EXPECT_EQ(rest.result["h"].numbers.front(), saved.result["h"].numbers.back());
  const auto again = run(file("BouncingBall"), second);
  EXPECT_EQ(again.result["h"].numbers, rest.result["h"].numbers);
  const auto whole =
      run(file("BouncingBall"), {.simulate = {.stop = 2, .output_interval = 0.01, .tolerance = 1e-8}, .solver = "bdf"});
  EXPECT_NEAR(rest.result["h"].numbers.back(), whole.result["h"].numbers.back(), 1e-6);
  EXPECT_NEAR(rest.result["v"].numbers.back(), whole.result["v"].numbers.back(), 1e-6);
}

TEST(SimulateMe, RefusesStatesThatDoNotFit) {
  const auto saved = run("fmi3/BouncingBall.fmu", {.simulate = {.stop = 1, .keep_final_state = true}, .solver = "bdf"});
  FmuRun next{.simulate = {.stop = 2}, .solver = "bdf"};
  next.simulate.initial_state = saved.report.final_state;

  FmuRun other = next;
  other.solver = "dopri5";
  EXPECT_THAT(failure_of("fmi3/BouncingBall.fmu", other), HasSubstr("use --solver bdf"));
  other = next;
  other.simulate.start = 0;
  EXPECT_THAT(failure_of("fmi3/BouncingBall.fmu", other), HasSubstr("leave out --start-time"));
  other = next;
  other.simulate.start_values = {{"g", "-1"}};
  EXPECT_THAT(failure_of("fmi3/BouncingBall.fmu", other), HasSubstr("start values have no effect"));
  other = next;
  other.simulate.initial_state = {1, 2, 3};
  EXPECT_THAT(failure_of("fmi3/BouncingBall.fmu", other), HasSubstr("not saved by a Model Exchange run"));
  other = next;
  other.simulate.initial_state.resize(next.simulate.initial_state.size() - 5);
  EXPECT_THAT(failure_of("fmi3/BouncingBall.fmu", other), HasSubstr("damaged"));
}

// --- the event log

TEST_P(MeOfVersion, WritesDownEveryEvent) {
  const os::TempFolder folder;
  const auto log = folder.path() / "events.csv";
  run(file("BouncingBall"), {.simulate = {.stop = 1, .tolerance = 1e-8}, .event_log = log});
  const std::string text = read_file(log);
  EXPECT_THAT(text, StartsWith("\"time\",\"n\",\"cause\",\"indicators\",\"iterations\"\n0.451523"));
  const bool named = std::string_view(GetParam()) == "fmi3";
  EXPECT_THAT(text, HasSubstr(named ? ",1,\"state\",\"gap falling\",1\n" : ",1,\"state\",\"indicator 1 falling\",1\n"));
  run(file("Stair"), {.simulate = {.stop = 2.5}, .event_log = log});
  EXPECT_EQ(read_file(log),
            "\"time\",\"n\",\"cause\",\"indicators\",\"iterations\"\n1,1,\"time\",\"\",1\n2,1,\"time\",\"\",1\n");
}

TEST(SimulateMe, HasAnEventLogForModelExchangeOnly) {
  FmuRun options{.interface = describe::InterfaceType::co_simulation, .event_log = "nowhere.csv"};
  EXPECT_THROW(simulate_fmu(open("fmi3/Stair.fmu"), options, {}), Error);
  EXPECT_FALSE(std::filesystem::exists("nowhere.csv"));
  EXPECT_THAT(failure_of("fmi3/Stair.fmu", {.event_log = "/no/such/folder/log.csv"}),
              HasSubstr("choose another --event-log"));
}

// --- bad input

TEST(SimulateMe, ListsTheSolversWhenThereIsNoneOfTheName) {
  const auto text = failure_of("fmi2/VanDerPol.fmu", {.solver = "magic"});
  EXPECT_THAT(text, HasSubstr("magic"));
  EXPECT_THAT(text, HasSubstr("cvode"));
  EXPECT_THAT(text, HasSubstr("dopri5"));
}

TEST(SimulateMe, SaysThatAProblemIsTooStiffForTheSolver) {
  FmuRun options{.simulate = {.stop = 100}, .solver = "dopri5"};
  options.simulate.start_values = {{"mu", "100000"}};
  try {
    run("fmi3/VanDerPol.fmu", options);
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::run);
    EXPECT_THAT(error.what(), StartsWith("unit 'VanDerPol': solver 'dopri5'"));
    EXPECT_THAT(error.what(), HasSubstr("stiff"));
    EXPECT_THAT(error.what(), HasSubstr("bdf"));
    EXPECT_EQ(error.unit(), "VanDerPol");
    EXPECT_TRUE(error.time().has_value());
  }
}

}  // namespace
}  // namespace consort::engine::simulate_me_test
