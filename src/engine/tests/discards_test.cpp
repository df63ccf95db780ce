
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "engine/simulate_cs.hpp"
#include "engine/tests/spy_unit.hpp"
#include "record/result.hpp"

namespace consort::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using unit::completed;
using unit::StepOutcome;
using unit::StepRequest;
using unit::Why;
using Values = unit::LambdaUnit::Values;

// Its output is the time, plus a mark from a step that it discarded.
struct Clumsy {
  explicit Clumsy(std::function<StepOutcome(const StepRequest&)> answer) : x(unit.lambdas.output("x", 0.0)) {
    unit.lambdas.on_step([this, answer = std::move(answer)](Values& v, const StepRequest& r) {
      const auto outcome = answer(r);
      v[x] += outcome.why == Why::discarded ? 100 : r.h;
      return outcome;
    });
  }
  report::FmuReport run(const SimulateOptions& options, const input::InputTable* table = nullptr) {
    record::MemorySink sink(result);
    record::Sink* const sinks[] = {&sink};
    return simulate_cs(unit, options, table, sinks);
  }
  SpyUnit unit;
  unit::LambdaUnit::Handle<double> x;
  record::Result result;
};

StepOutcome long_steps_discarded(const StepRequest& r) {
  return r.h > 0.1 ? StepOutcome{r.t, Why::discarded} : completed(r);
}

TEST(Discards, SetsAUnitBackToWhereADiscardedStepBeganFromTheSecondOneOn) {
  Clumsy c(long_steps_discarded);
  const auto report = c.run({.stop = 1, .step = 0.25});
  EXPECT_GT(report.discarded, 8U);
  const auto& x = c.result["x"].numbers;
  EXPECT_GT(x[1], 100) << "of the first discarded step nothing was saved";
  for (std::size_t i = 1; i < x.size(); ++i) EXPECT_NEAR(x[i] - x[1], c.result.time[i] - c.result.time[1], 1e-9);
  EXPECT_THAT(report.warnings, ElementsAre(HasSubstr("discarded 2 steps and cannot restore its state")));
}

TEST(Discards, AsksAgainAndWarnsOnceWhereAUnitCannotBeSetBack) {
  Clumsy c(long_steps_discarded);
  c.unit.can_roll_back = false;
  const auto report = c.run({.stop = 1, .step = 0.25});
  EXPECT_EQ(report.reached, 1);
  EXPECT_GT(c.result["x"].numbers.back(), 500) << "a mark for each of them";
  EXPECT_THAT(report.warnings, ElementsAre(HasSubstr("discarded 12 steps and cannot restore its state")));
}

TEST(Discards, TakesAUnitThatRejectsStepsCleanlyAtItsWord) {
  Clumsy c(long_steps_discarded);
  c.unit.can_roll_back = false;
  c.unit.rejects_cleanly = true;
  EXPECT_THAT(c.run({.stop = 1, .step = 0.25}).warnings, IsEmpty());
}

// After the first discarded step, so that states are saved.
std::function<StepOutcome(const StepRequest&)> warmed_up(std::function<StepOutcome(const StepRequest&)> answer) {
  return [answer = std::move(answer)](const StepRequest& r) {
    if (r.t == 0 && r.h > 0.25) return StepOutcome{0, Why::discarded};
    return r.t == 0 ? completed(r) : answer(r);
  };
}
// x at the end, minus the mark of the first discarded step.
double last_x(const Clumsy& c) { return c.result["x"].numbers.back() - 100; }

TEST(Discards, RepeatsThePartThatAUnitSaysItCanDo) {
  Clumsy c(warmed_up([](const StepRequest& r) {
    return r.t == 0.5 && r.h > 0.125 ? StepOutcome{0.625, Why::discarded} : completed(r);
  }));
  const auto report = c.run({.stop = 1, .step = 0.5});
  ASSERT_THAT(c.unit.steps, SizeIs(6));
  EXPECT_EQ(c.unit.steps[4].t, 0.5);
  EXPECT_EQ(c.unit.steps[4].h, 0.125);
  EXPECT_EQ(c.unit.steps[5].t, 0.625);
  EXPECT_NEAR(last_x(c), 1, 1e-9);
  EXPECT_EQ(report.discarded, 2U);
}

TEST(Discards, HalvesWhereAUnitDoesNotEvenDoWhatItSaidItCould) {
  Clumsy c(warmed_up([](const StepRequest& r) {
    return r.h > 0.03 ? StepOutcome{r.t + 0.9 * r.h, Why::discarded} : completed(r);
  }));
  c.run({.stop = 1, .step = 0.5});
  EXPECT_NEAR(last_x(c), 1, 1e-9);
}

TEST(Discards, BelievesNoUnitThatSaysItDiscardedAndCameFarther) {
  Clumsy c(warmed_up([](const StepRequest& r) {
    return r.h > 0.1 ? StepOutcome{r.t + 7, Why::discarded} : completed(r);
  }));
  const auto report = c.run({.stop = 1, .step = 0.5});
  EXPECT_EQ(report.reached, 1);
  EXPECT_NEAR(last_x(c), 1, 1e-9);
}

TEST(Discards, LeaveInputsWithTheMeanOfTheWholeStep) {
  Clumsy c(long_steps_discarded);
  c.unit.rejects_cleanly = true;
  static_cast<void>(c.unit.lambdas.input("u", 0.0));
  const auto table = input::InputTable::parse("time,u\n0,0\n1,16\n", "in.csv", c.unit.description());
  c.run({.stop = 0.25, .step = 0.25}, &table);
  // Two calls and "init" belong to initialization.
  EXPECT_THAT(std::vector<std::string>(c.unit.calls.begin() + 3, c.unit.calls.begin() + 9),
              ElementsAre("set u=2", "step", "set u=2", "step", "set u=2", "step"));
}

// Declares that it can save its state, but cannot.
class Boaster final : public unit::Rollback {
 public:
  std::unique_ptr<unit::Snapshot> save(std::unique_ptr<unit::Snapshot>) override { throw run_error("no memory"); }
  void restore(const unit::Snapshot&) override { ADD_FAILURE() << "nothing was saved"; }
  [[nodiscard]] bool can_serialize() const override { return false; }
  [[nodiscard]] std::vector<std::uint8_t> serialize(const unit::Snapshot&) override { return {}; }
  [[nodiscard]] std::unique_ptr<unit::Snapshot> deserialize(std::span<const std::uint8_t>) override { return nullptr; }
};

TEST(Discards, RunsAUnitThatFailsToSaveItsStateAllTheSame) {
  Clumsy c(long_steps_discarded);
  Boaster boaster;
  c.unit.other_rollback = &boaster;
  const auto report = c.run({.stop = 1, .step = 0.25});
  EXPECT_EQ(report.reached, 1);
  EXPECT_THAT(report.warnings, ElementsAre(HasSubstr("cannot restore its state")));
}

TEST(Discards, SavesNothingOfUnitsThatDiscardNothingTakeEqualStepsOrRejectCleanly) {
  const auto run = [](bool discards, bool equal, bool cleanly) {
    Clumsy c(discards ? long_steps_discarded : [](const StepRequest& r) { return completed(r); });
    Boaster boaster;
    c.unit.other_rollback = &boaster;
    c.unit.lambdas.allow_variable_step(!equal);
    c.unit.rejects_cleanly = cleanly;
    return c.run({.stop = 1, .step = 0.25}).warnings;
  };
  EXPECT_THAT(run(false, false, false), IsEmpty());
  EXPECT_THAT(run(false, true, false), IsEmpty());
  EXPECT_THAT(run(true, false, true), IsEmpty());
}

}  // namespace
}  // namespace consort::engine
