// Requirements for every stepper when steps are rejected, and for its use of the past. New rows of the table are
// included automatically.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "step/tests/coupled_system.hpp"

namespace consort::step::stepper_rollback_conformance_test {
namespace {

constexpr Duration h = 0.1;

class StepperRollback : public testing::TestWithParam<Choice> {
 protected:
  static int order() { return couple::find_approximation(GetParam().approximation).order(); }
  // A point in the middle of a run.
  static std::unique_ptr<Coupled> begun(int steps = 5) {
    auto s = std::make_unique<Coupled>(two_masses(), GetParam());
    for (int i = 0; i < steps; ++i) s->step(h);
    return s;
  }
};
INSTANTIATE_TEST_SUITE_P(Every, StepperRollback, testing::ValuesIn(stepper_choices()), [](const auto& choice) {
  const auto& c = choice.param;
  return test_name(std::string(c.stepper) + "_" + std::string(c.approximation) + "_" +
                   (c.threads > 1 ? "threads" : "serial"));
});

TEST_P(StepperRollback, AStepThatIsTakenBackAndRepeatedIsTheSame) {
  const auto s = begun();
  const auto before = s->memory();
  s->keep();
  s->step(h, true);
  const auto after = s->memory();
  ASSERT_NE(after, before);
  for (int again = 0; again < 3; ++again) {
    s->take_back();
    ASSERT_EQ(s->memory(), before);
    s->step(h, true);
    ASSERT_EQ(s->memory(), after);
  }
}

// As far as histories can undo points: two steps.
TEST_P(StepperRollback, TrialsThatAreTakenBackLeaveNothingBehind) {
  for (const int begun_steps : {0, 1, 2, 5}) {
    const auto s = begun(begun_steps);
    const auto undisturbed = begun(begun_steps);
    for (int i = 0; i < 8; ++i) {
      s->keep();
      s->step(3 * h, true);
      s->take_back();
      s->step(0.5 * h, true);
      s->step(0.5 * h, true);
      s->take_back();
      s->step(h, true);
      undisturbed->step(h, true);
      ASSERT_EQ(s->memory(), undisturbed->memory()) << begun_steps << " and " << i;
    }
  }
}

TEST_P(StepperRollback, AStepThatFailsCanBeTakenBack) {
  const auto s = begun();
  const auto undisturbed = begun();
  s->keep();
  for (const char* const unit : {"left", "right", "watch"}) {
    s->probe(unit).on_step = [](const auto& r) -> unit::Why {
      throw run_error("unit '?': too long").in_unit("?").at(r.t);
    };
    EXPECT_THROW(s->step(h, true), Error) << unit;
    s->probe(unit).on_step = {};
    s->take_back();
  }
  for (int i = 0; i < 3; ++i) {
    s->step(h);
    undisturbed->step(h);
    ASSERT_EQ(s->memory(), undisturbed->memory());
  }
}

// --- the past

// The first unit's only input, as a polynomial from the beginning of the last step. No unit steps before the first one.
double input_at(Coupled& s, Duration since_beginning) {
  const auto& probe = s.probe("left");
  double value = probe.inputs.front();
  double term = 1;
  for (std::size_t m = 0; m < probe.slopes.size(); ++m)
    value += probe.slopes[m].front() * (term *= since_beginning / static_cast<double>(m + 1));
  return value;
}

// Inputs without new data continue as in the step before.
TEST_P(StepperRollback, InputsGoOnWithThePastAlone) {
  const auto s = begun();
  if (!s->stepper->takes_past_alone()) GTEST_SKIP() << GetParam().stepper << " does not take the past alone";
  s->step(h, true, Past::kept);
  std::vector<double> expected;
  for (const double part : {0.0, 0.4, 1.0}) expected.push_back(input_at(*s, order() == 0 ? 0 : h + part * h));
  s->keep();
  s->step(h, true, Past::alone);
  std::size_t i = 0;
  for (const double part : {0.0, 0.4, 1.0}) EXPECT_NEAR(input_at(*s, part * h), expected[i++], 1e-12);
  // After rolling back, new data are used again.
  const auto reference = begun(6);
  s->take_back();
  s->step(h, true);
  reference->step(h, true);
  EXPECT_EQ(s->outputs(), reference->outputs());
}

TEST_P(StepperRollback, AStepWithAKeptPastIsAUsualOne) {
  const auto s = begun();
  const auto usual = begun();
  for (int i = 0; i < 3; ++i) {
    s->step(h, true, Past::kept);
    usual->step(h, true);
    ASSERT_EQ(s->outputs(), usual->outputs());
  }
}

// Only the ends of accepted steps are used, and no step was accepted: the past is as at the beginning of a run.
TEST_P(StepperRollback, TheCoarsePastIsThatOfAcceptedSteps) {
  const auto s = begun();
  const double now = s->output("right.x");
  EXPECT_EQ(s->point->coarse().points(s->state.memory), 0);
  const auto fine = s->point->history().points(s->state.memory);
  s->step(h, true, Past::coarse);
  EXPECT_EQ(s->point->history().points(s->state.memory), fine) << "nothing was added to the other past";
  if (order() == 0) return;
  EXPECT_EQ(s->point->coarse().points(s->state.memory), 1);
  EXPECT_EQ(s->point->coarse().time(s->state.memory, 0), 5 * h);
  EXPECT_NEAR(input_at(*s, 0), now, 1e-12);
  if (s->stepper->interpolates()) return;
  EXPECT_NEAR(input_at(*s, h), now, 1e-12) << "a line needs two points";
}

}  // namespace
}  // namespace consort::step::stepper_rollback_conformance_test
