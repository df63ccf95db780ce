#include "engine/input_feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tests/spy_unit.hpp"

namespace consort::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// u is continuous, mode is not; at 2 s both jump.
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
  }
  void begin() {
    table = input::InputTable::parse(text_, "in.csv", unit.description());
    feed = InputFeed(unit, table);
  }
  std::vector<std::string> calls() {
    auto all = std::move(unit.calls);
    unit.calls.clear();
    return all;
  }
  SpyUnit unit;
  input::InputTable table;
  InputFeed feed;

 private:
  const char* text_;
};

TEST(InputFeed, FeedsNothingWithoutATable) {
  InputFeed feed;
  feed.set_all(0);
  feed.set_for_step(0, 1);
  EXPECT_FALSE(feed.next_event_after(0));
  EXPECT_FALSE(feed.holds_means());
}

TEST(InputFeed, SetsEveryInputAsItIsRightAfterATime) {
  Fed f;
  f.begin();
  f.feed.set_all(1);
  EXPECT_THAT(f.calls(), ElementsAre("set u=2", "set mode=1"));
  f.feed.set_all(2);
  EXPECT_THAT(f.calls(), ElementsAre("set u=10", "set mode=2"));
}

TEST(InputFeed, HoldsTheMeanOfContinuousInputsAndTheValueOfOthersOverAStep) {
  Fed f;
  f.begin();
  EXPECT_TRUE(f.feed.holds_means());
  f.feed.set_for_step(0, 1);
  EXPECT_THAT(f.calls(), ElementsAre("set u=1", "set mode=1"));
  f.feed.set_for_step(1, 1);  // up to the jump, not across it
  EXPECT_THAT(f.calls(), ElementsAre("set u=3", "set mode=1"));
  f.feed.set_for_step(2, 1);
  EXPECT_THAT(f.calls(), ElementsAre("set u=10.5", "set mode=2"));
}

TEST(InputFeed, HandsValueAndSlopeToAUnitThatTakesSlopes) {
  Fed f;
  f.unit.takes_slopes = true;
  f.begin();
  EXPECT_FALSE(f.feed.holds_means());
  f.feed.set_for_step(1, 1);
  EXPECT_THAT(f.calls(), ElementsAre("set u=2", "set mode=1", "slope 0=2"));
  f.feed.set_for_step(2, 0.5);
  EXPECT_THAT(f.calls(), ElementsAre("set u=10", "set mode=2", "slope 0=1"));
}

TEST(InputFeed, GivesNoSlopeOutsideOfTheTable) {
  Fed f;
  f.unit.takes_slopes = true;
  f.begin();
  f.feed.set_for_step(4, 1);
  EXPECT_THAT(f.calls(), ElementsAre("set u=12", "set mode=2", "slope 0=0"));
}

TEST(InputFeed, LeavesWhatIsNotContinuousToEventMode) {
  Fed f;
  f.unit.has_events = true;
  f.begin();
  f.feed.set_for_step(0, 1);
  EXPECT_THAT(f.calls(), ElementsAre("set u=1"));
  f.feed.set_all(2);
  EXPECT_THAT(f.calls(), ElementsAre("set u=10", "set mode=2"));
}

TEST(InputFeed, SetsNothingBeforeStepsWhenEverythingIsDiscreteAndThereIsEventMode) {
  Fed f("time,mode\n0,1\n1,2\n");
  f.unit.has_events = true;
  f.begin();
  f.feed.set_for_step(0, 1);
  EXPECT_THAT(f.calls(), IsEmpty());
}

TEST(InputFeed, KnowsTheNextEvent) {
  Fed f;
  f.begin();
  EXPECT_EQ(f.feed.next_event_after(0), 2.0);
  EXPECT_FALSE(f.feed.next_event_after(2));
}

}  // namespace
}  // namespace consort::engine
