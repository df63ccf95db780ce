// Whole runs with Model Exchange FMUs that cannot save their state: their continuous states and inputs are set back.
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "engine/simulation.hpp"
#include "fmi/tests/quirky_fmu.hpp"
#include "record/result.hpp"
#include "systems.hpp"

namespace consort::engine::set_back_test {
namespace {

using fmi::Kind;
using fmi::QuirkyFmu;
using fmi::UnpackedFmu;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::options;

// One of our FMUs, as it is or without the claim that it can save its state.
class Exported {
 public:
  Exported(int version, const std::string& model, bool saves) : fmu_(version, model) {
    const std::string flag = version == 2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState";
    // The first interface is Model Exchange.
    if (!saves) fmu_.replace(flag + "=\"true\"", flag + "=\"false\"");
  }
  graph::Component& add(graph::System& system, const std::string& name) const {
    auto& c = system.add(name, fmu_.path());
    c.interface = describe::InterfaceType::model_exchange;
    return c;
  }

 private:
  UnpackedFmu fmu_;
};

struct Run {
  record::Result result;
  report::SystemReport report;
};

Run run(const graph::System& system, const SimulationOptions& o) {
  Run r;
  record::MemorySink sink(r.result);
  record::Sink* const sinks[] = {&sink};
  r.report = Simulation(system, o).run(sinks);
  return r;
}

// Times and all columns, with all digits.
std::string digits(const record::Result& r) {
  std::string text;
  for (std::size_t i = 0; i < r.rows(); ++i) {
    text += fmt::format("{}", r.time[i]);
    for (const auto& column : r.trajectories) text += fmt::format(" {}", column.numbers[i]);
    text += "\n";
  }
  return text;
}

// --- the same numbers as with saved states ---------------------------------------------------------------------------

class Cars {
 public:
  explicit Cars(bool saves) : chassis_(2, "QuarterCarChassis", saves), wheel_(3, "QuarterCarWheel", saves) {}
  [[nodiscard]] graph::System system() const {
    graph::System s("quarter car");
    chassis_.add(s, "chassis");
    wheel_.add(s, "wheel").set("road", "0.1");
    s.connect("wheel.z", "chassis.z_wheel");
    s.connect("wheel.v", "chassis.v_wheel");
    s.connect("chassis.z", "wheel.z_chassis");
    s.connect("chassis.v", "wheel.v_chassis");
    return s;
  }

 private:
  Exported chassis_, wheel_;
};

struct Method {
  const char* stepper;
  const char* order;
  const char* controller;
  const char* iteration;
  bool stops_at_events;
};

class SetBackRuns : public ::testing::TestWithParam<Method> {
 protected:
  void SetUp() override { ::setenv("CONSORT_WORKER", places::worker().c_str(), 1); }
  [[nodiscard]] static SimulationOptions chosen() {
    const auto& m = GetParam();
    auto o = options(0.5, 2e-3, m.stepper);
    o.run.extrapolation = m.order;
    o.run.control.controller = m.controller;
    o.run.iteration.method = m.iteration;
    o.stops_at_events = m.stops_at_events;
    return o;
  }
};

TEST_P(SetBackRuns, GiveTheNumbersOfUnitsThatSaveTheirStateBitForBit) {
  const Cars able(true);
  const Cars unable(false);
  auto o = chosen();
  const auto expected = run(able.system(), o);
  EXPECT_GT(expected.result.rows(), 20U);
  EXPECT_THAT(expected.report.notes, Each(Not(HasSubstr("cannot save"))));
  for (const char* const host : {"serial", "threads", "process"}) {
    o.run.host = host;
    const auto found = run(unable.system(), o);
    EXPECT_EQ(digits(found.result), digits(expected.result)) << host;
    EXPECT_EQ(found.report.rejected, expected.report.rejected);
    EXPECT_THAT(found.report.notes, Contains(HasSubstr("units chassis, wheel cannot save their state; to repeat steps, "
                                                       "time, continuous states and inputs are set back")));
  }
}

INSTANTIATE_TEST_SUITE_P(All, SetBackRuns,
                         ::testing::Values(Method{"jacobi", "0", "richardson", "iqn-ils", false},
                                           Method{"gauss-seidel", "1", "richardson", "iqn-ils", false},
                                           Method{"jacobi", "hermite-2", "richardson", "iqn-ils", false},
                                           Method{"jacobi", "0", "modified", "iqn-ils", false},
                                           Method{"jacobi", "1", "modified", "iqn-ils", false},
                                           Method{"iterated", "0", "fixed", "iqn-ils", false},
                                           Method{"iterated", "1", "fixed", "newton", false},
                                           Method{"iterated", "1", "richardson", "iqn-ils", false},
                                           Method{"jacobi", "1", "fixed", "iqn-ils", true},
                                           Method{"jacobi", "0", "richardson", "iqn-ils", true}),
                         [](const auto& m) {
                           std::string name =
                               fmt::format("{}_{}_{}_{}{}", m.param.stepper, m.param.order, m.param.controller,
                                           m.param.iteration, m.param.stops_at_events ? "_events" : "");
                           for (auto& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

TEST(SetBackRun, IsNotMentionedIfNothingWasRepeated) {
  const Cars unable(false);
  EXPECT_THAT(run(unable.system(), options(0.1, 2e-3)).report.notes, Each(Not(HasSubstr("cannot save"))));
}

TEST(SetBackRun, RepeatsStepsThatAnotherUnitDiscards) {
  const auto with = [](bool saves) {
    const Exported lag(2, "LinearUnit", saves);
    graph::System s("clumsy");
    auto& bad = s.add("bad", places::fmus() + "/fmi2/Bad.fmu");
    bad.interface = describe::InterfaceType::co_simulation;
    bad.set("deed", "discard").set("when", "0").set("longest_step", "0.006");
    lag.add(s, "lag");
    s.connect("bad.y", "lag.u");
    return run(s, options(0.5, 0.01));
  };
  const auto expected = with(true);
  const auto found = with(false);
  EXPECT_EQ(digits(found.result), digits(expected.result));
  EXPECT_THAT(found.report.notes, Contains(HasSubstr("unit 'lag' cannot save its state; to repeat steps")));
}

TEST(SetBackRun, StopsAtTheEventsOfOtherUnits) {
  const auto with = [](bool saves) {
    const Exported lag(3, "LinearUnit", saves);
    graph::System s("bouncing");
    s.add("ball", places::fmus() + "/fmi3/BouncingBall.fmu").interface = describe::InterfaceType::model_exchange;
    lag.add(s, "lag");
    s.connect("ball.v", "lag.u");
    auto o = options(2, 0.1);
    o.stops_at_events = true;
    return run(s, o);
  };
  const auto expected = with(true);
  EXPECT_GT(expected.result.rows(), 21U);
  EXPECT_EQ(digits(with(false).result), digits(expected.result));
}

// --- FMUs with a memory ----------------------------------------------------------------------------------------------

class SetBackFmi : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!QuirkyFmu::has_compiler()) GTEST_SKIP() << "there is no C compiler";
  }
  // Two of them: x'' = y - 0.7 x, y'' = x - 0.7 y, from rest at x = y = 1.
  static graph::System pair(const QuirkyFmu& fmu) {
    graph::System s("pair");
    for (const char* const name : {"a", "b"})
      s.add(name, fmu.path()).interface = describe::InterfaceType::model_exchange;
    s.connect("a.h", "b.u");
    s.connect("b.h", "a.u");
    return s;
  }
  static SimulationOptions repeating(Time stop) {
    auto o = options(stop, 0.01, "jacobi");
    o.run.control.controller = "richardson";
    o.run.control.tolerance = 1e-4;
    return o;
  }
  // The text of the error that ends the run.
  static std::string end_of(const QuirkyFmu& fmu, const SimulationOptions& o) {
    try {
      static_cast<void>(run(pair(fmu), o));
    } catch (const Error& error) {
      EXPECT_EQ(error.unit(), "a");
      return error.what();
    }
    return "no error";
  }
};
INSTANTIATE_TEST_SUITE_P(Version, SetBackFmi, ::testing::Values(1, 2));

TEST_P(SetBackFmi, FunctionsOfTimeStatesAndInputsRun) {
  const QuirkyFmu fmu(GetParam(), Kind::me, {});
  auto o = repeating(3);
  o.run.extrapolation = "1";
  o.run.control.tolerance = 1e-8;
  const auto r = run(pair(fmu), o);
  // Both are x = cosh(√0.3 t). The error of the run is of lower order in the tolerance: 2e-3 with 1e-6, a tenth with
  // 1e-8.
  EXPECT_NEAR(r.result["a.h"].numbers.back(), std::cosh(std::sqrt(0.3) * 3), 4e-4);
  EXPECT_THAT(r.report.notes, Contains(HasSubstr("units a, b cannot save their state; to repeat steps")));
}

TEST_P(SetBackFmi, OutputsThatAnEvaluationOfDerivativesHidesAreNoMemory) {
  const QuirkyFmu plain(GetParam(), Kind::me, {});
  const QuirkyFmu fmu(GetParam(), Kind::me, {"PARTIAL_VALUES"});
  EXPECT_EQ(digits(run(pair(fmu), repeating(3)).result), digits(run(pair(plain), repeating(3)).result));
}

TEST_P(SetBackFmi, IterationsThatHaveConvergedRun) {
  const QuirkyFmu plain(GetParam(), Kind::me, {});
  const QuirkyFmu fmu(GetParam(), Kind::me, {"ITERATES"});
  EXPECT_NEAR(run(pair(fmu), repeating(3)).result["a.h"].numbers.back(),
              run(pair(plain), repeating(3)).result["a.h"].numbers.back(), 1e-8);
}

TEST_P(SetBackFmi, IterationsThatHaveNotConvergedAreRefusedAtTheStart) {
  const QuirkyFmu fmu(GetParam(), Kind::me, {"ONE_ITERATION"});
  const auto text = end_of(fmu, repeating(3));
  EXPECT_THAT(text, AllOf(HasSubstr("cannot save its state"), HasSubstr("earlier evaluations"), HasSubstr("t = 0 s"),
                          HasSubstr("'fixed' or 'ecco'")));
  auto fixed = options(3, 0.01, "jacobi");
  EXPECT_EQ(end_of(fmu, fixed), "no error");
  fixed.run.stepper = "iterated";
  EXPECT_EQ(end_of(fmu, fixed), text);
}

TEST_P(SetBackFmi, AMemoryThatShowsLaterEndsTheRun) {
  const QuirkyFmu fmu(GetParam(), Kind::me, {"HYSTERESIS"});
  EXPECT_EQ(end_of(fmu, repeating(2)), "no error") << "below h = 2 there is no memory";
  EXPECT_THAT(end_of(fmu, repeating(3)), AllOf(HasSubstr("after a return"), HasSubstr("cannot save its state")));
}

TEST_P(SetBackFmi, ATimeEventThatIsAnnouncedLaterEndsTheRun) {
  const QuirkyFmu fmu(GetParam(), Kind::me, {"LATE_TIME_EVENT"});
  EXPECT_THAT(end_of(fmu, repeating(3)), HasSubstr("it has announced a time event for t = 0.3"));
  EXPECT_EQ(end_of(fmu, options(3, 0.01, "jacobi")), "no error");
}

TEST_P(SetBackFmi, AnEventAfterAStepEndsTheRun) {
  const QuirkyFmu fmu(GetParam(), Kind::me, {"STEP_EVENT"});
  EXPECT_THAT(end_of(fmu, repeating(3)), HasSubstr("it requested an event after the step to t = 0.3"));
  EXPECT_EQ(end_of(fmu, options(3, 0.01, "jacobi")), "no error");
}

TEST_P(SetBackFmi, EventIndicatorsAreRefusedBeforeTheRun) {
  const QuirkyFmu fmu(GetParam(), Kind::me, {"HAS_EVENTS"});
  graph::System s("ball");
  s.add("ball", fmu.path()).interface = describe::InterfaceType::model_exchange;
  try {
    const Simulation simulation(s, repeating(1));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("unit 'ball' cannot save and restore its state, and setting back its "
                                        "continuous states and inputs is not enough because it has event indicators"));
  }
}

TEST_P(SetBackFmi, AUnitThatCannotGoBackStepsOnWhenAnotherOneDiscards) {
  const QuirkyFmu fmu(GetParam(), Kind::me, {"ONE_ITERATION"});
  graph::System s("clumsy");
  auto& bad = s.add("bad", places::fmus() + "/fmi2/Bad.fmu");
  bad.interface = describe::InterfaceType::co_simulation;
  bad.set("deed", "discard").set("when", "0").set("longest_step", "0.006");
  s.add("a", fmu.path()).interface = describe::InterfaceType::model_exchange;
  const auto r = run(s, options(0.2, 0.01));
  EXPECT_NEAR(r.report.reached, 0.2, 1e-12);
  EXPECT_THAT(r.report.notes, Each(Not(HasSubstr("to repeat steps"))));
}

TEST_P(SetBackFmi, CheckpointsAreRefusedBeforeTheRun) {
  const QuirkyFmu fmu(GetParam(), Kind::me, {});
  auto o = repeating(1);
  o.checkpoint_every = 0.1;
  EXPECT_THROW(Simulation(pair(fmu), o), Error);
}

}  // namespace
}  // namespace consort::engine::set_back_test
