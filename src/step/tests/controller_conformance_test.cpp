// Requirements for every controller, with every stepper that it supports. New rows of either table are included
// automatically.
#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "solve/tests/allocations.hpp"
#include "step/tests/coupled_system.hpp"

namespace consort::step {
namespace {

constexpr Duration h = 0.1;
constexpr Duration h_of_estimates = 0.01;

const Grid grid(0, 100, h);

graph::RunSettings settings_of(const Choice& choice) {
  auto settings = settings_for(choice, mass_and_spring());
  settings.control.tolerance = 1e-2;
  settings.control.initial = 0.01;
  return settings;
}

// Null if the controller refuses the stepper, or the approximation refuses the units, with a reason.
std::unique_ptr<Coupled> make(const Choice& choice, const graph::RunSettings& settings) {
  try {
    return std::make_unique<Coupled>(mass_and_spring(), settings, choice.threads, grid);
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::input) << e.what();
    const std::string_view reason = e.what();
    EXPECT_TRUE(reason.find(choice.controller) != reason.npos || reason.find(choice.approximation) != reason.npos)
        << reason;
    return nullptr;
  }
}

std::vector<Choice> choices() {
  std::vector<Choice> all;
  for (const auto& controller : controllers())
    for (const auto& stepper : steppers())
      for (const auto& approximation : couple::approximations())
        if (approximation.order() <= 1 && approximation.derivatives == 0)
          all.push_back({stepper.name, approximation.name, controller.name});
  return all;
}

class ControllerConformance : public testing::TestWithParam<Choice> {
 protected:
  void SetUp() override {
    system_ = make(GetParam(), settings_of(GetParam()));
    if (!system_) GTEST_SKIP() << GetParam().controller << " does not go with " << GetParam().stepper;
  }
  static const ControllerRow& row() { return find_controller(GetParam().controller); }
  static bool repeats(const Coupled& s) { return !s.stepper->iterated().empty(); }

  std::unique_ptr<Coupled> system_;
};
INSTANTIATE_TEST_SUITE_P(Every, ControllerConformance, testing::ValuesIn(choices()), [](const auto& choice) {
  const auto& c = choice.param;
  return test_name(std::string(c.controller) + "_" + std::string(c.stepper) + "_" + std::string(c.approximation));
});

TEST(Controllers, EachGoWithSomeStepper) {
  for (const auto& row : controllers()) {
    const auto all = choices();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Choice& choice) {
      return choice.controller == row.name && make(choice, settings_of(choice)) != nullptr;
    })) << row.name;
  }
}

// --- limits

// Limits like those from output points and events: some are nearer than any step, and no limit is on the grid.
TEST_P(ControllerConformance, NeverPassesTheLimitAndLandsOnIt) {
  for (const Time limit : {0.03, 0.0301, 0.37, 0.5, 1.0 / 3 + 0.5}) {
    int steps = 0;
    while (system_->state.t < limit) {
      const Time before = system_->state.t;
      const auto outcome = system_->advance(limit);
      ASSERT_TRUE(outcome.completed());
      ASSERT_EQ(outcome.reached, system_->state.t);
      ASSERT_GT(system_->state.t, before);
      ASSERT_LE(system_->state.t, limit);
      ASSERT_LT(++steps, 10'000);
    }
    EXPECT_EQ(system_->state.t, limit);
  }
}

TEST_P(ControllerConformance, ReachesTheEndOfTheRun) {
  int steps = 0;
  while (system_->state.t < grid.stop() && ++steps < 100'000) system_->advance(grid.stop());
  EXPECT_EQ(system_->state.t, grid.stop());
}

TEST_P(ControllerConformance, KeepsStepsWithinTheirLimits) {
  if (!row().varies) GTEST_SKIP() << GetParam().controller << " takes equal steps";
  auto settings = settings_of(GetParam());
  settings.control.minimum = 0.005;
  settings.control.maximum = 0.02;
  for (const double tolerance : {1e-7, 1.0}) {
    settings.control.tolerance = tolerance;
    const auto s = make(GetParam(), settings);
    for (int i = 0; i < 50; ++i) {
      const Time before = s->state.t;
      try {
        s->advance(grid.stop());
      } catch (const Error& e) {  // no step is small enough, which is allowed
        EXPECT_EQ(e.fault(), Fault::run);
        EXPECT_LT(tolerance, 1);
        break;
      }
      EXPECT_GE(s->state.t - before, 0.005 * (1 - 1e-9));
      EXPECT_LE(s->state.t - before, 0.02 * (1 + 1e-9));
    }
  }
}

TEST_P(ControllerConformance, TakesEqualStepsUnlessItVariesThem) {
  std::set<Duration> sizes;
  for (int i = 0; i < 40; ++i) {
    const Time before = system_->state.t;
    system_->advance(grid.stop());
    sizes.insert(std::round((system_->state.t - before) * 1e9));
  }
  EXPECT_EQ(sizes.size() > 1, row().varies);
}

// In the same run, and in another run that has not begun.
TEST_P(ControllerConformance, GoesOnFromTheMiddleOfARunBitForBit) {
  auto& s = *system_;
  for (int i = 0; i < 17; ++i) s.advance(grid.stop());
  const auto bytes = s.checkpoint();
  std::vector<std::vector<std::uint8_t>> expected;
  for (int i = 0; i < 17; ++i) {
    s.advance(grid.stop());
    expected.push_back(s.checkpoint());
  }
  const auto other = make(GetParam(), settings_of(GetParam()));
  for (auto* const run : {other.get(), &s}) {
    run->go_on_from(bytes);
    ASSERT_EQ(run->checkpoint(), bytes);
    for (const auto& row : expected) {
      run->advance(grid.stop());
      ASSERT_EQ(run->checkpoint(), row);
    }
  }
}

// --- statistics

TEST_P(ControllerConformance, CountsWhatItDoes) {
  auto& s = *system_;
  constexpr std::uint64_t accepted = 60;
  for (std::uint64_t i = 0; i < accepted; ++i) s.advance(grid.stop());
  const auto& control = s.state.control;
  EXPECT_EQ(control.accepted, accepted);
  EXPECT_GE(s.state.steps, accepted);
  EXPECT_GE(control.unit_steps, s.state.steps) << "steps that were taken back count as well";
  if (repeats(s)) return;  // iterations are counted by the stepper
  for (const auto& unit : s.plan.units) EXPECT_EQ(s.probe(unit.name).steps, control.unit_steps);
  if (row().estimates) {
    EXPECT_GT(control.unit_steps, s.state.steps);
  } else {
    EXPECT_EQ(control.unit_steps, accepted + control.rejected);
  }
}

TEST_P(ControllerConformance, SaysWhoseErrorsItEstimates) {
  EXPECT_EQ(system_->controller->estimated().empty(), !row().estimates);
  system_->advance(grid.stop());
  EXPECT_EQ(system_->state.control.signals.size(), system_->controller->estimated().size());
}

TEST_P(ControllerConformance, AllocatesNothing) {
  auto& s = *system_;
  for (int i = 0; i < 20; ++i) s.advance(grid.stop());
  const auto before = allocations();
  for (int i = 0; i < 20; ++i) s.advance(grid.stop());
  EXPECT_EQ(allocations() - before, 0U);
}

// --- estimates

// The exact v and F after h, from v and F.
std::pair<double, double> exact(double v, double force) {
  const double c = std::cos(2 * h_of_estimates), d = std::sin(2 * h_of_estimates);
  return {v * c - 0.5 * force * d, force * c + 2 * v * d};
}

// For steps of one size with a long enough past. 'modified' is only for extrapolated inputs.
TEST_P(ControllerConformance, EstimatesTheErrorOfAStep) {
  if (!row().estimates) GTEST_SKIP() << GetParam().controller << " estimates nothing";
  if (row().extrapolates && system_->stepper->sees_new_values()) GTEST_SKIP() << "inputs are not extrapolated";
  auto settings = settings_of(GetParam());
  settings.control.minimum = settings.control.maximum = settings.control.initial = h_of_estimates;
  settings.control.tolerance = 1e9;
  const auto s = make(GetParam(), settings);
  double error = 0, estimate = 0;
  for (int i = 0; i < 100; ++i) {
    const auto [v, force] = exact(s->output("mass.v"), s->output("spring.F"));
    s->advance(grid.stop());
    if (i < 20) continue;
    error += std::hypot(v - s->output("mass.v"), force - s->output("spring.F"));
    double sum = 0;
    for (const auto& signal : s->state.control.signals) sum += signal.estimate * signal.estimate;
    estimate += std::sqrt(sum);
  }
  EXPECT_NEAR(estimate / error, 1, 0.25);
}

// --- trials

// Step sizes are forced to be equal; one of the runs tries a longer step before each of them.
TEST_P(ControllerConformance, RejectedTrialsLeaveNothingBehind) {
  if (!row().estimates) GTEST_SKIP() << GetParam().controller << " rejects nothing";
  auto settings = settings_of(GetParam());
  settings.control.tolerance = 1;
  settings.control.maximum = 0.05;
  const auto tried = make(GetParam(), settings);
  const auto undisturbed = make(GetParam(), settings);
  // A unit that fails in long steps.
  tried->probe("mass").on_step = [](const unit::StepRequest& r) -> unit::Why {
    if (r.h > 0.01) throw run_error("unit 'mass': too long").in_unit("mass").at(r.t);
    return unit::Why::completed;
  };
  for (int i = 0; i < 12; ++i) {
    tried->state.control.next = 0.05;
    tried->advance(grid.stop());
    undisturbed->state.control.next = tried->state.t - undisturbed->state.t;
    undisturbed->advance(tried->state.t);
    ASSERT_EQ(tried->memory(), undisturbed->memory()) << i;
  }
  EXPECT_GE(tried->state.control.rejected, 12U);
  EXPECT_EQ(undisturbed->state.control.rejected, 0U);
  EXPECT_EQ(tried->state.control.accepted, undisturbed->state.control.accepted);
}

TEST_P(ControllerConformance, PassesTheErrorOnOfAUnitThatAlwaysFails) {
  auto& s = *system_;
  for (int i = 0; i < 3; ++i) s.advance(grid.stop());
  const Time before = s.state.t;
  const auto accepted = s.state.control.accepted;
  s.probe("spring").on_step = [](const unit::StepRequest& r) -> unit::Why {
    throw run_error("unit 'spring': broken").in_unit("spring").at(r.t);
  };
  try {
    s.advance(grid.stop());
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::run);
    EXPECT_EQ(e.unit(), "spring");
  }
  EXPECT_EQ(s.state.t, before) << "that of the last accepted step";
  if (row().estimates) {
    EXPECT_EQ(s.state.control.accepted, accepted);
  }
}

TEST_P(ControllerConformance, EndsWhereAUnitAsksTo) {
  auto& s = *system_;
  constexpr Time end = 0.35;
  s.probe("mass").on_step = [](const unit::StepRequest& r) {
    return r.t + r.h >= end ? unit::Why::terminate : unit::Why::completed;
  };
  unit::StepOutcome outcome;
  int steps = 0;
  while (outcome.why != unit::Why::terminate && ++steps < 10'000) outcome = s.advance(grid.stop());
  EXPECT_EQ(outcome.why, unit::Why::terminate);
  EXPECT_TRUE(s.state.stop.asked);
  EXPECT_GE(s.state.t, end - 1e-9);
  EXPECT_EQ(s.state.control.accepted, static_cast<std::uint64_t>(steps));
}

}  // namespace
}  // namespace consort::step
