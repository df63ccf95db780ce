// Values and times of inputs that a unit that runs alone gets from a table.
#include "engine/table_feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/simulate_cs.hpp"
#include "engine/tests/spy_unit.hpp"

namespace consort::engine {
namespace {

using ::testing::ElementsAre;

// u is continuous, mode is not; both have a discontinuity at 2 s.
constexpr const char* ramp_and_mode =
    "\"time\",\"u\",\"mode\"\n"
    "0,0,1\n"
    "2,4,1\n"
    "2,10,2\n"
    "4,12,2\n";

struct Fed {
  explicit Fed(const char* text = ramp_and_mode) : text_(text) {
    static_cast<void>(unit.lambdas.input("u", 0.0));
    static_cast<void>(unit.lambdas.input("mode", std::int32_t{0}));
    unit.lambdas.on_step([](unit::LambdaUnit::Values&, const unit::StepRequest& r) { return unit::completed(r); });
  }
  // The calls from the first step on.
  std::vector<std::string> run(Time stop, Duration step) {
    const auto table = input::InputTable::parse(text_, "in.csv", unit.description());
    simulate_cs(unit, {.stop = stop, .step = step}, &table, {});
    const auto init = std::find(unit.calls.begin(), unit.calls.end(), "init");
    std::vector<std::string> calls(init + 1, unit.calls.end());
    return calls;
  }
  SpyUnit unit;

 private:
  const char* text_;
};

TEST(TableFeed, HoldsTheMeanOfContinuousInputsAndTheValueOfOthersOverAStep) {
  Fed f;
  EXPECT_THAT(f.run(3, 1), ElementsAre("set u=0", "set mode=1",          // in initialization
                                       "set u=1", "set mode=1", "step",  //
                                       "set u=3", "set mode=1", "step",  // up to the jump, not across it
                                       "set u=10.5", "set mode=2", "step", "terminate"));
}

TEST(TableFeed, HandsValueAndSlopeToAUnitThatTakesSlopes) {
  Fed f;
  f.unit.takes_slopes = true;
  EXPECT_THAT(f.run(3, 1), ElementsAre("set u=0", "set mode=1",                       //
                                       "set u=0", "set mode=1", "slope 0=2", "step",  //
                                       "set u=2", "set mode=1", "slope 0=2", "step",  //
                                       "set u=10", "set mode=2", "slope 0=1", "step", "terminate"));
}

TEST(TableFeed, GivesNoSlopeOutsideOfTheTable) {
  Fed f;
  f.unit.takes_slopes = true;
  const auto calls = f.run(5, 1);
  EXPECT_THAT(std::vector<std::string>(calls.end() - 5, calls.end() - 1),
              ElementsAre("set u=12", "set mode=2", "slope 0=0", "step"));
}

TEST(TableFeed, LeavesWhatIsNotContinuousToEventMode) {
  Fed f;
  f.unit.has_events = true;
  EXPECT_THAT(f.run(3, 1), ElementsAre("set u=0", "set mode=1", "update", "leave event",                  //
                                       "set u=1", "step", "set u=3", "step",                              //
                                       "enter event", "set u=10", "set mode=2", "update", "leave event",  //
                                       "set u=10.5", "step", "terminate"));
}

TEST(TableFeed, SetsNothingBeforeStepsWhenEverythingIsDiscreteAndThereIsEventMode) {
  Fed f("time,mode\n0,1\n10,2\n");
  f.unit.has_events = true;
  EXPECT_THAT(f.run(2, 1), ElementsAre("set mode=1", "update", "leave event", "step", "step", "terminate"));
}

}  // namespace
}  // namespace consort::engine
