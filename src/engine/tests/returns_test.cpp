// Runs that set back FMUs which do not restore their saved state.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "engine/simulation.hpp"
#include "record/result.hpp"
#include "systems.hpp"

namespace consort::engine::returns_test {
namespace {

using describe::InterfaceType;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

struct Choice {
  int version;
  InterfaceType interface;
};

class Returns : public ::testing::TestWithParam<Choice> {
 protected:
  struct Outcome {
    report::SystemReport report;
    double x = 0;
  };
  static Outcome run(const std::string& lost, const std::string& period, const std::string& controller,
                     const std::string& host = "threads") {
    graph::System s("counters");
    auto& c = s.add("counter", places::fmus() + "/fmi" + std::to_string(GetParam().version) + "/Forgetful.fmu");
    c.interface = GetParam().interface;
    c.set("lost", lost).set("period", period);
    ::setenv("CONSORT_WORKER", places::worker().c_str(), 1);
    auto o = testing::options(1, 0.1);
    o.run.control.controller = controller;
    o.run.host = host;
    Simulation simulation(s, o);
    Outcome outcome;
    outcome.report = simulation.run({});
    outcome.x = testing::number(simulation, "counter.x");
    return outcome;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Returns,
                         ::testing::Values(Choice{2, InterfaceType::co_simulation},
                                           Choice{2, InterfaceType::model_exchange},
                                           Choice{3, InterfaceType::co_simulation},
                                           Choice{3, InterfaceType::model_exchange}),
                         [](const auto& tested) {
                           return "Fmi" + std::to_string(tested.param.version) +
                                  (tested.param.interface == InterfaceType::co_simulation ? "Cs" : "Me");
                         });

// 0.25 s with one event, 0.25 s with two, 0.25 s with three.
TEST_P(Returns, OfUnitsThatRestoreTheirStateAreNotMentioned) {
  for (const char* const host : {"threads", "process"}) {
    const auto outcome = run("nothing", "0.25", "richardson", host);
    EXPECT_NEAR(outcome.x, 1.5, 1e-6);
    EXPECT_THAT(outcome.report.warnings, Each(Not(HasSubstr("saved state"))));
  }
}

TEST_P(Returns, OfUnitsThatLoseEventsEndTheRun) {
  for (const char* const host : {"threads", "process"}) {
    try {
      static_cast<void>(run("events", "0.25", "richardson", host));
      FAIL() << "no error with the host " << host;
    } catch (const Error& error) {
      EXPECT_EQ(error.unit(), "counter");
      EXPECT_THAT(error.what(), AllOf(HasSubstr("does not repeat its steps after a return to a saved state"),
                                      HasSubstr("'counter'"), HasSubstr("became"), HasSubstr("'fixed' or 'ecco'")));
    }
  }
}

TEST_P(Returns, OfUnitsThatLoseOneEventAreAWarning) {
  const auto outcome = run("events", "0.67", "richardson");
  EXPECT_THAT(outcome.report.warnings,
              Contains(AllOf(HasSubstr("unit 'counter'"), HasSubstr("in a step from 0.6 s to 0."),
                             HasSubstr("and then, in the same step again, 0"))));
}

TEST_P(Returns, AreNotTriedIfNoStepIsRepeated) {
  const auto outcome = run("events", "0.25", "fixed");
  EXPECT_NEAR(outcome.x, 1.5, 1e-6);
  EXPECT_THAT(outcome.report.warnings, Each(Not(HasSubstr("saved state"))));
}

}  // namespace
}  // namespace consort::engine::returns_test
