// Whole runs of FMUs with the peculiarities of tools.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "engine/simulate_fmu.hpp"
#include "engine/simulation.hpp"
#include "fmi/tests/quirky_fmu.hpp"
#include "os/temp_folder.hpp"
#include "record/result.hpp"
#include "systems.hpp"
#include "unit/me_unit.hpp"

namespace consort::engine::quirks_test {
namespace {

using fmi::Kind;
using fmi::QuirkyFmu;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

struct Outcome {
  report::FmuReport report;
  record::Result result;
  std::string prefix;
  [[nodiscard]] double last(const std::string& name) const { return result[prefix + name].numbers.back(); }
  [[nodiscard]] std::string text(const std::string& name) const { return result[prefix + name].texts.back(); }
};

Outcome run(const QuirkyFmu& fmu, Kind kind, const FmuRun& options) {
  Outcome o;
  record::MemorySink sink(o.result);
  record::Sink* const sinks[] = {&sink};
  FmuRun full = options;
  full.interface = kind == Kind::me ? describe::InterfaceType::model_exchange : describe::InterfaceType::co_simulation;
  o.report = simulate_fmu(fmu.open(), full, sinks);
  return o;
}

// A Model Exchange FMU with a solver, stepped like a Co-Simulation FMU.
Outcome run_adapted(const QuirkyFmu& quirky, const SimulateOptions& options) {
  Outcome o;
  record::MemorySink sink(o.result);
  record::Sink* const sinks[] = {&sink};
  const auto fmu = quirky.open();
  const auto unit = unit::make_me_unit(fmu, {.name = "adapted"});
  o.report = simulate_cs(*unit, options, nullptr, sinks);
  return o;
}

class QuirkOf : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!QuirkyFmu::has_compiler()) GTEST_SKIP() << "there is no C compiler";
  }
};
INSTANTIATE_TEST_SUITE_P(Fmi, QuirkOf, ::testing::Values(1, 2));

// --- events

TEST_P(QuirkOf, EventsThatAreNotFlaggedStillHappen) {
  const QuirkyFmu ball(GetParam(), Kind::me, {"HAS_EVENTS", "LAZY_EVENT_INFO"});
  const SimulateOptions options{
      .stop = 1, .step = 0.01, .output_interval = 0.01, .tolerance = 1e-8, .start_values = {{"period", "0.15"}}};
  // It falls from 1 m until 0.4515 s, and bounces with 70 % of its speed; the multiples of 0.15 s are counted, although
  // the bounce does not announce them again.
  const double fall = std::sqrt(2 / 9.81);
  const double v = 0.7 * 9.81 * fall;
  const double h = v * (1 - fall) - 9.81 / 2 * (1 - fall) * (1 - fall);
  for (const auto& outcome : {run(ball, Kind::me, {.simulate = options}), run_adapted(ball, options)}) {
    EXPECT_NEAR(outcome.last("h"), h, 1e-6);
    EXPECT_EQ(outcome.last("ticks"), 6);
  }
}

// As in the FMU SDK: the sign of the indicator tells on which side the ball is, and an event that comes too late or not
// at all lets it fall through the ground.
TEST_P(QuirkOf, EventsRightAfterEventsAreNotLost) {
  const QuirkyFmu ball(GetParam(), Kind::me, {"HAS_EVENTS", "APART"});
  const SimulateOptions options{.stop = 2, .step = 0.01, .output_interval = 0.01, .tolerance = 1e-8};
  for (const auto& outcome : {run(ball, Kind::me, {.simulate = options}), run_adapted(ball, options)}) {
    for (const double h : outcome.result[outcome.prefix + "h"].numbers) EXPECT_GT(h, -1e-9);
  }
}

TEST(QuirkOf1, EventsThatInitializationDoesNotAnnounceStillHappen) {
  if (!QuirkyFmu::has_compiler()) GTEST_SKIP() << "there is no C compiler";
  const QuirkyFmu ball(1, Kind::me, {"HAS_EVENTS", "QUIET_START"});
  const SimulateOptions options{
      .stop = 0.4, .step = 0.01, .output_interval = 0.01, .start_values = {{"period", "0.15"}}};  // before the bounce
  for (const auto& outcome : {run(ball, Kind::me, {.simulate = options}), run_adapted(ball, options)})
    EXPECT_EQ(outcome.last("ticks"), 2);
}

// As in AMESim. The point of an event is set again after the step to it was completed.
TEST(QuirkOf1, EventUpdatesFollowCompletedSteps) {
  if (!QuirkyFmu::has_compiler()) GTEST_SKIP() << "there is no C compiler";
  const QuirkyFmu ball(1, Kind::me, {"HAS_EVENTS", "UPDATES_AFTER_STEPS"});
  const SimulateOptions options{
      .stop = 0.5, .step = 0.01, .output_interval = 0.01, .start_values = {{"period", "0.15"}}};
  for (const auto& outcome : {run(ball, Kind::me, {.simulate = options}), run_adapted(ball, options)})
    EXPECT_EQ(outcome.last("ticks"), 3);
}

// --- values

const std::vector<std::pair<std::string, std::string>> all_values{
    {"e", "0.9"}, {"n", "7"}, {"flag", "true"}, {"text", "given"}};
const std::vector<std::string> all_names{"h", "e", "n", "flag", "text"};

// A run of the FMU with these values, and a run of a system that contains it, on each host.
std::vector<Outcome> runs(const QuirkyFmu& fmu, Kind kind,
                          const std::vector<std::pair<std::string, std::string>>& values,
                          const std::vector<std::string>& names) {
  std::vector<Outcome> all;
  all.push_back(
      run(fmu, kind,
          {.simulate = {.stop = 0.3, .step = 0.1, .start_values = values, .outputs = names}, .instance_name = "tool"}));
  ::setenv("CONSORT_WORKER", places::worker().c_str(), 1);
  for (const char* const host : {"threads", "process"}) {
    graph::System system("whole");
    auto& tool = system.add("tool", fmu.path());
    tool.interface =
        kind == Kind::me ? describe::InterfaceType::model_exchange : describe::InterfaceType::co_simulation;
    for (const auto& [name, value] : values) tool.set(name, value);
    SimulationOptions options = testing::options(0.3, 0.1);
    options.run.host = host;
    for (const auto& name : names) options.run.record.variables.push_back("tool." + name);
    Outcome o;
    record::MemorySink sink(o.result);
    record::Sink* const sinks[] = {&sink};
    const auto report = Simulation(system, options).run(sinks);
    o.prefix = "tool.";
    o.report.warnings = report.warnings;
    all.push_back(std::move(o));
  }
  return all;
}

class ValuesOf : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (!QuirkyFmu::has_compiler()) GTEST_SKIP() << "there is no C compiler";
  }
};
INSTANTIATE_TEST_SUITE_P(Fmi2, ValuesOf, ::testing::Values(Kind::cs, Kind::me),
                         [](const auto& kind) { return std::string(kind.param == Kind::cs ? "cs" : "me"); });

TEST_P(ValuesOf, OutliveASetUpThatResetsThem) {
  const QuirkyFmu fmu(2, GetParam(), {"RESETS_IN_SETUP"});
  for (const auto& o : runs(fmu, GetParam(), all_values, all_names)) {
    EXPECT_EQ(o.last("e"), 0.9);
    EXPECT_EQ(o.last("n"), 7);
    EXPECT_EQ(o.last("flag"), 1);
    EXPECT_EQ(o.text("text"), "given");
    EXPECT_THAT(o.report.warnings, IsEmpty());
  }
}

TEST_P(ValuesOf, ThatAreNotTakenAreReported) {
  const QuirkyFmu fmu(2, GetParam(), {"IGNORES_VALUES"});
  for (const auto& o : runs(fmu, GetParam(), all_values, all_names)) {
    EXPECT_EQ(o.last("e"), 0.7);
    EXPECT_THAT(o.report.warnings,
                AllOf(Contains(AllOf(HasSubstr("unit 'tool'"), HasSubstr("value 0.9 of 'e'"), HasSubstr("keeps 0.7"))),
                      Contains(AllOf(HasSubstr("value 7 of 'n'"), HasSubstr("keeps 3"))),
                      Contains(AllOf(HasSubstr("value true of 'flag'"), HasSubstr("keeps false"))),
                      Contains(AllOf(HasSubstr("of 'text'"), HasSubstr("given"), HasSubstr("default")))));
  }
}

TEST_P(ValuesOf, ThatAreNotThoseOfTheDescriptionAreReported) {
  const QuirkyFmu fmu(2, GetParam(), {"OTHER_DEFAULT"});
  for (const auto& o : runs(fmu, GetParam(), {}, {"e"})) {
    EXPECT_EQ(o.last("e"), 0.5);
    EXPECT_THAT(o.report.warnings,
                ElementsAre(AllOf(HasSubstr("'tool': 1 parameter that nothing sets differs from the description"),
                                  HasSubstr("'e' is 0.5 (declared: 0.7)"))));
  }
  for (const auto& o : runs(fmu, GetParam(), {{"e", "0.9"}}, {"e"})) EXPECT_THAT(o.report.warnings, IsEmpty());
}

TEST_P(ValuesOf, MayBeTakenInInitializationModeOnly) {
  const QuirkyFmu fmu(2, GetParam(), {"SETS_IN_INIT_ONLY"});
  for (const auto& o : runs(fmu, GetParam(), {{"e", "0.9"}, {"u", "2"}}, {"e", "u"})) {
    EXPECT_EQ(o.last("e"), 0.9);
    EXPECT_EQ(o.last("u"), 2);
    EXPECT_THAT(o.report.warnings, Contains(AllOf(HasSubstr("'tool'"), HasSubstr("in initialization mode instead"))));
  }
}

TEST_P(ValuesOf, ThatCannotBeReadAreNotRecorded) {
  const QuirkyFmu fmu(2, GetParam(), {"WRITE_ONLY"});
  for (const auto& o : runs(fmu, GetParam(), {{"e", "0.9"}}, {"h", "e", "u", "n"})) {
    EXPECT_THAT(o.result.trajectories, SizeIs(2));
    EXPECT_EQ(o.last("n"), 3);
    EXPECT_THAT(o.report.warnings,
                ElementsAre(AllOf(HasSubstr("'e' of unit 'tool' is not recorded"), HasSubstr("this is write-only")),
                            HasSubstr("'u' of unit 'tool' is not recorded")));
  }
}

TEST_P(ValuesOf, ThatCannotBeReadAreNotRecordedBesideOutputs) {
  const QuirkyFmu fmu(2, GetParam(), {"WRITE_ONLY"});
  for (const auto& o : runs(fmu, GetParam(), {}, {"h", "u"})) {
    EXPECT_THAT(o.result.trajectories, SizeIs(1));
    EXPECT_THAT(o.report.warnings, ElementsAre(HasSubstr("'u' of unit 'tool' is not recorded")));
  }
}

TEST_P(ValuesOf, ThatCannotBeReadEndTheRunIfNothingElseIsRecorded) {
  const QuirkyFmu fmu(2, GetParam(), {"WRITE_ONLY"});
  EXPECT_THAT([&] { runs(fmu, GetParam(), {}, {"u"}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("'tool'"), HasSubstr("fmi2GetReal returned Error"))));
}

TEST_P(ValuesOf, ThatMatchAPatternAreRecorded) {
  const QuirkyFmu fmu(2, GetParam(), {"WRITE_ONLY"});
  for (const auto& o : runs(fmu, GetParam(), {}, {"*"})) {
    EXPECT_EQ(o.last("n"), 3);
    EXPECT_EQ(o.text("text"), "default");
    EXPECT_EQ(o.result.find(o.prefix + "u"), nullptr);
    EXPECT_THAT(o.report.warnings, Contains(HasSubstr("'u' of unit 'tool' is not recorded")));
  }
  for (const auto& o : runs(fmu, GetParam(), {}, {"n*", "?", "n"})) {
    EXPECT_EQ(o.last("n"), 3);
    EXPECT_NE(o.result.find(o.prefix + "h"), nullptr);
    EXPECT_EQ(o.result.find(o.prefix + "text"), nullptr);
  }
}

// h'' = u - 0.7 h from 1 at rest; the tolerance is that of the default solver with 1e-4.
TEST(QuirkOf2, StartValuesOfInputsThatCannotBeReadAreKept) {
  if (!QuirkyFmu::has_compiler()) GTEST_SKIP() << "there is no C compiler";
  const QuirkyFmu fmu(2, Kind::me, {"WRITE_ONLY"});
  const double w = std::sqrt(0.7);
  for (const auto& o : runs(fmu, Kind::me, {{"u", "2"}}, {"v"}))
    EXPECT_NEAR(o.last("v"), (2 / 0.7 - 1) * w * std::sin(w * 0.3), 1e-4);
}

TEST_P(QuirkOf, InputsOfModelExchangeMayBeSetInInitializationModeOnly) {
  if (GetParam() == 1) GTEST_SKIP() << "FMI 1.0 has no initialization mode";
  const QuirkyFmu fmu(2, Kind::me, {"SETS_IN_INIT_ONLY"});
  const os::TempFolder folder;
  const auto table = folder.path() / "u.csv";
  fmi::write_file(table, "time,u\n0,1\n1,1\n");
  const auto o = run(fmu, Kind::me, {.simulate = {.stop = 0.1, .outputs = {"v"}}, .input_file = table});
  EXPECT_NEAR(o.last("v"), 0.3 / std::sqrt(0.7) * std::sin(std::sqrt(0.7) * 0.1), 1e-5);
  EXPECT_THAT(o.report.warnings, Contains(HasSubstr("in initialization mode instead")));
}

TEST(QuirkOf2, VariablesOfTheLastEvaluationAreThoseOfTheRow) {
  if (!QuirkyFmu::has_compiler()) GTEST_SKIP() << "there is no C compiler";
  const QuirkyFmu fmu(2, Kind::me, {"LAZY_VALUES"});
  for (const auto& o : runs(fmu, Kind::me, {}, {"h", "v", "der(h)", "der(v)"})) {
    const auto& rates = o.result[o.prefix + "der(v)"].numbers;
    ASSERT_THAT(rates, SizeIs(o.result.time.size()));
    for (std::size_t i = 0; i < rates.size(); ++i) {
      EXPECT_EQ(rates[i], -0.7 * o.result[o.prefix + "h"].numbers[i]);
      EXPECT_EQ(o.result[o.prefix + "der(h)"].numbers[i], o.result[o.prefix + "v"].numbers[i]);
    }
  }
}

// The solution is h = cos(sqrt(0.7) t); the tolerance is that of the default solver with 1e-4.
void expect_oscillation(const Outcome& o) {
  ASSERT_THAT(o.result.time.size(), ::testing::Gt(3u));
  for (std::size_t i = 0; i < o.result.time.size(); ++i)
    EXPECT_NEAR(o.result[o.prefix + "h"].numbers[i], std::cos(std::sqrt(0.7) * o.result.time[i]), 1e-4);
}

TEST_P(QuirkOf, VariablesAreCurrentAlthoughDerivativesWereEvaluatedBefore) {
  const QuirkyFmu fmu(GetParam(), Kind::me, {"PARTIAL_VALUES"});
  for (const auto& o : runs(fmu, Kind::me, {}, {"h", "v"})) expect_oscillation(o);
}

TEST_P(QuirkOf, VariablesThatOnlyCompletedStepsEvaluateAreThoseOfTheRow) {
  const QuirkyFmu fmu(GetParam(), Kind::me, {"COMPLETED_VALUES"});
  for (const auto& o : runs(fmu, Kind::me, {}, {"h", "v"})) expect_oscillation(o);
}

// --- steps

TEST_P(QuirkOf, TheLastStepNeverEndsBeyondTheStopTime) {
  const QuirkyFmu fmu(GetParam(), Kind::cs, {"KEEPS_TO_STOP"});
  // 0.2 + 0.1 > 0.3, and similar sums.
  for (const auto& [stop, step] :
       {std::pair(0.3, 0.1), std::pair(0.7, 0.1), std::pair(1.7, 0.1), std::pair(0.6, 0.2)}) {
    const auto o = run(fmu, Kind::cs, {.simulate = {.stop = stop, .step = step}});
    EXPECT_EQ(o.result.time.back(), stop);
    graph::System system("whole");
    system.add("tool", fmu.path());
    Simulation simulation(system, testing::options(stop, step));
    EXPECT_NO_THROW(simulation.run({}));
    EXPECT_EQ(simulation.time(), stop);
  }
}

TEST_P(QuirkOf, NoCallbackForFinishedStepsIsGiven) {
  const QuirkyFmu fmu(GetParam(), Kind::cs, {"NO_STEP_FINISHED"});
  EXPECT_NO_THROW(run(fmu, Kind::cs, {.simulate = {.stop = 0.3, .step = 0.1}}));
}

// A ramp from 0: its mean in a step is exact, so that all units integrate it alike: v = t²/2 with h' = v, v' = u.
TEST_P(QuirkOf, InputDerivativesAreGivenUpIfTheyAreRefused) {
  const os::TempFolder folder;
  const auto table = folder.path() / "u.csv";
  fmi::write_file(table, "time,u\n0,0\n10,10\n");
  const FmuRun options{
      .simulate = {.stop = 1, .step = 0.1, .start_values = {{"e", "0"}}}, .instance_name = "tool", .input_file = table};
  const auto taken = run(QuirkyFmu(GetParam(), Kind::cs, {"FIRST_ORDER_ONLY"}), Kind::cs, options);
  EXPECT_NEAR(taken.last("v"), 0.5, 1e-12);
  EXPECT_THAT(taken.report.warnings, IsEmpty());
  const auto refused = run(QuirkyFmu(GetParam(), Kind::cs, {"NO_DERIVATIVES"}), Kind::cs, options);
  EXPECT_NEAR(refused.last("v"), 0.5, 1e-12);
  EXPECT_THAT(refused.report.warnings,
              ElementsAre(AllOf(HasSubstr("unit 'tool'"), HasSubstr("SetRealInputDerivatives"),
                                HasSubstr(GetParam() == 1 ? "it gave no reason" : "invalid nvr"),
                                HasSubstr("held at their mean over each step"))));
}

// As in SimulationX. No call is allowed after a fatal error.
TEST_P(QuirkOf, InputDerivativesThatAreRefusedWithAFatalErrorEndTheRun) {
  const os::TempFolder folder;
  const auto table = folder.path() / "u.csv";
  fmi::write_file(table, "time,u\n0,0\n10,10\n");
  FmuRun options{
      .simulate = {.stop = 1, .step = 0.1, .start_values = {{"e", "0"}}}, .instance_name = "tool", .input_file = table};
  const QuirkyFmu fmu(GetParam(), Kind::cs, {"FATAL_DERIVATIVES"});
  EXPECT_THAT([&] { static_cast<void>(run(fmu, Kind::cs, options)); },
              ThrowsMessage<fmi::FatalRefusal>(AllOf(HasSubstr("unit 'tool'"), HasSubstr("SetRealInputDerivatives"),
                                                     HasSubstr("'extrapolation: 0'"), HasSubstr("--hold-inputs"))));
  options.simulate.hold_inputs = true;
  const auto held = run(fmu, Kind::cs, options);
  EXPECT_NEAR(held.last("v"), 0.5, 1e-12);
  EXPECT_THAT(held.report.warnings, IsEmpty());
}

// Two masses that drive each other with polynomials of third order: h'' = 0.3 h from 1 at rest. The explicit Euler
// method of the units has an error of half a step times h'.
std::vector<std::string> warnings_of_coupled_masses(const QuirkyFmu& fmu, const char* host) {
  graph::System system("two");
  system.add("a", fmu.path());
  system.add("b", fmu.path());
  system.connect("a.h", "b.u");
  system.connect("b.h", "a.u");
  auto options = testing::options(1, 0.01);
  options.run.extrapolation = "3";
  options.run.host = host;
  ::setenv("CONSORT_WORKER", places::worker().c_str(), 1);
  Simulation simulation(system, options);
  const auto report = simulation.run({});
  EXPECT_NEAR(testing::number(simulation, "a.h"), std::cosh(std::sqrt(0.3)), 5e-3);
  return report.warnings;
}

TEST_P(QuirkOf, InputDerivativesOfLowerOrderRemainIfHigherOnesAreRefused) {
  const QuirkyFmu fmu(GetParam(), Kind::cs, {"FIRST_ORDER_ONLY", "DECLARES_ORDERS"});
  for (const char* const host : {"threads", "process"})
    EXPECT_THAT(warnings_of_coupled_masses(fmu, host),
                ElementsAre(AllOf(HasSubstr("'a'"), HasSubstr("input derivatives of lower order")),
                            AllOf(HasSubstr("'b'"), HasSubstr("input derivatives of lower order"))));
}

TEST_P(QuirkOf, InputDerivativesOfHigherOrdersAreNotTriedOnFmusThatDeclareNoOrder) {
  const QuirkyFmu fmu(GetParam(), Kind::cs, {"FIRST_ORDER_ONLY", "ENDS_IF_REFUSED"});
  for (const char* const host : {"threads", "process"}) EXPECT_THAT(warnings_of_coupled_masses(fmu, host), IsEmpty());
}

}  // namespace
}  // namespace consort::engine::quirks_test
