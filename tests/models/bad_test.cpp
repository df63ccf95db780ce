// The model Bad misbehaves as requested.
#include <cmath>
#include <csignal>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "os/child_process.hpp"
#include "tests/models/helpers.hpp"

namespace consort::models_test {
namespace {

enum Deed { nothing = 1, crash, hang, error, fatal, discard, not_a_number, leak };

struct Trial {
  Trial(const std::string& folder, Deed deed, double when = 0.5)
      : fmu(open("Bad", folder)), unit(fmu.co_simulation({.name = "bad"})) {
    const auto& d = fmu.description();
    const ValueReference reference = d[d.require_variable("deed")].reference;
    const EnumValue value(deed);
    unit->set<EnumValue>(std::span(&reference, 1), std::span(&value, 1));
    set(*unit, d, "when", when);
    unit->enter_initialization({});
    unit->exit_initialization();
  }
  void step_to(int tenths) {
    for (; at < tenths; ++at) unit->do_step(at * 0.1, 0.1);
  }
  fmi::Fmu fmu;
  std::unique_ptr<fmi::CoSimulation> unit;
  int at = 0;
};

class Bad : public testing::TestWithParam<const char*> {};

TEST_P(Bad, DoesNothingWrongUnlessAsked) {
  Trial trial(GetParam(), nothing);
  trial.step_to(10);
  EXPECT_NEAR(get(*trial.unit, trial.fmu.description(), "y"), std::exp(-1.0), 1e-6);  // RK4 with 0.1: 3e-7
}

// Returns 0 if the model fails at the requested time with its own message, and not earlier.
int fails_in_time(const char* folder, Deed deed) {
  Trial trial(folder, deed);
  trial.step_to(4);
  try {
    trial.step_to(5);
    return 1;
  } catch (const Error& e) {
    return std::string(e.what()).find("as demanded") != std::string::npos ? 0 : 2;
  }
}

TEST_P(Bad, FailsAtItsTimeAndNotBefore) {
  EXPECT_EQ(fails_in_time(GetParam(), error), 0);
  // After a fatal error, the FMU must not be called any more, not even to free it. A child process avoids the leak
  // here.
  EXPECT_TRUE(os::run_in_child([] { return fails_in_time(GetParam(), fatal); }).succeeded());
}

TEST_P(Bad, DiscardsLongStepsAndTakesShortOnes) {
  Trial trial(GetParam(), discard);
  trial.step_to(4);
  const fmi::StepReport report = trial.unit->do_step(0.4, 0.1);
  EXPECT_EQ(report.end, fmi::StepReport::End::discarded);
  EXPECT_NEAR(report.reached, 0.4, 1e-12);
}

TEST_P(Bad, GivesNotANumberFromItsTimeOn) {
  Trial trial(GetParam(), not_a_number, 0.55);
  trial.step_to(5);
  EXPECT_TRUE(std::isfinite(get(*trial.unit, trial.fmu.description(), "y")));
  trial.step_to(6);
  EXPECT_TRUE(std::isnan(get(*trial.unit, trial.fmu.description(), "y")));
}

TEST_P(Bad, CrashesAndHangs) {
  const auto outcome = [&](Deed deed) {
    return os::run_in_child(
        [&] {
          Trial trial(GetParam(), deed);
          trial.step_to(10);
          return 0;
        },
        {.timeout_seconds = 2});
  };
  EXPECT_FALSE(outcome(crash).succeeded());
  EXPECT_FALSE(outcome(crash).timed_out);
  EXPECT_TRUE(outcome(hang).timed_out);
}

INSTANTIATE_TEST_SUITE_P(EveryVersion, Bad, testing::Values("fmi1/cs", "fmi2", "fmi3"), [](const auto& version) {
  const std::string folder = version.param;
  return folder.substr(0, 4);
});

TEST(BadStart, CrashesWhenItIsInstantiated) {
  const os::ChildOutcome outcome = os::run_in_child([] {
    (void)open("BadStart", "fmi2").co_simulation({.name = "bad"});
    return 0;
  });
  EXPECT_FALSE(outcome.succeeded());
}

}  // namespace
}  // namespace consort::models_test
