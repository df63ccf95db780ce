#include "fleet/return_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "fleet/tests/scripted_unit.hpp"
#include "solve/tests/allocations.hpp"

namespace consort::fleet::return_check_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

// A unit that was set back once, and stands at its save.
class ReturnChecks : public ::testing::Test {
 protected:
  ReturnChecks() : outputs_(unit.description(), std::vector<describe::VariableId>{3, 4}), check(unit, outputs_) {
    check.save(memory, 0);
    EXPECT_FALSE(memory.known) << "before the first return, nothing is read";
    EXPECT_FALSE(check.wants_repetition(memory));
    check.returned(memory);
    save(0);
  }
  void save(Time t) {
    state_ = unit.save(std::move(state_));
    check.save(memory, t);
  }
  void step(Time t) { static_cast<void>(unit.step({t, 1})); }
  void restore() { unit.restore(*state_); }

  ScriptedUnit unit;

 private:
  describe::SignalSet outputs_;
  std::unique_ptr<Snapshot> state_;

 protected:
  ReturnCheck check;
  ReturnCheck::Memory memory;
};

TEST_F(ReturnChecks, AcceptWhatIsRestored) {
  step(0);
  restore();
  EXPECT_NO_THROW(check.returned(memory));
}

TEST_F(ReturnChecks, RefuseWhatIsNot) {
  save(2.5);
  step(2.5);  // and no restore
  EXPECT_THAT(
      [&] { check.returned(memory); },
      ThrowsMessage<Error>(AllOf(HasSubstr("unit 'plant'"), HasSubstr("does not restore its saved state"),
                                 HasSubstr("to t = 2.5 s, 'n' is 1 instead of 0"), HasSubstr("'fixed' or 'ecco'"))));
}

TEST_F(ReturnChecks, WarnOfTheFirstStepThatIsNotRepeatedAndEndTheRunAtTheSecond) {
  step(0);
  EXPECT_TRUE(check.wants_repetition(memory));
  EXPECT_THAT(check.compare(memory, 1), IsEmpty());
  step(0);  // differs from the first by n
  EXPECT_THAT(check.compare(memory, 1), AllOf(HasSubstr("in a step from 0 s to 1 s, 'n' became 1 and then, in the "
                                                        "same step again, 2"),
                                              HasSubstr("compare with a run with the controller 'fixed'")));
  EXPECT_THAT([&] { static_cast<void>(check.compare(memory, 1)); },
              ThrowsMessage<Error>(HasSubstr("an earlier step was not repeated either")));
  restore();
  EXPECT_THAT([&] { check.returned(memory); },
              ThrowsMessage<Error>(HasSubstr("an earlier step was not repeated either")))
      << "a controller that tries a shorter step gets the same error";
}

// n is discrete, so each step has an event.
TEST_F(ReturnChecks, RepeatStepsWithEventsOftenOnlyAtTheBeginning) {
  int repeated = 0;
  for (int i = 0; i < 160; ++i) {
    save(i);
    step(i);
    if (check.wants_repetition(memory)) ++repeated;
  }
  EXPECT_EQ(repeated, 16 + 9);
}

TEST_F(ReturnChecks, AllocateNothing) {
  const auto round = [&] {
    save(0);
    step(0);
    static_cast<void>(check.wants_repetition(memory));
    restore();
    check.returned(memory);
    step(0);
    static_cast<void>(check.compare(memory, 1));
    restore();
  };
  unit.steps.reserve(1000);
  round();
  const auto before = allocations();
  for (int i = 0; i < 100; ++i) round();
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace consort::fleet::return_check_test
