// The models with events – relay, counter, sampled controller, ball that takes impulses – in every form, against values
// derived by hand.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "../../../models/counter.hpp"
#include "../../../models/impulse_ball.hpp"
#include "../../../models/relay.hpp"
#include "../../../models/sampled_pi.hpp"
#include "unit/tests/adapted_units.hpp"

namespace consort::unit {
namespace {

class DiscreteModel : public testing::TestWithParam<const char*> {
 protected:
  template <class M>
  static Adapted make(const std::string& name) {
    return adapt<M>(GetParam(), name);
  }
};

std::string name_of_shape(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  name.erase(std::remove(name.begin(), name.end(), '/'), name.end());
  return name;
}
INSTANTIATE_TEST_SUITE_P(Shapes, DiscreteModel, testing::Values("fmi1/me", "fmi2", "fmi3", "native"), name_of_shape);

// u = t - 2 reaches the upper threshold 1 at t = 3; u = 3 - 2 (t - 5) reaches the lower one, -1, at t = 7.
TEST_P(DiscreteModel, RelaySwitchesAtItsThresholds) {
  const auto a = make<Relay>("Relay");
  a.initialize();
  a.set_value("u", -2.0);
  a.set_derivatives("u", {1});
  ASSERT_TRUE(a.unit->step({0, 5}).completed());
  EXPECT_EQ(a.unit->events_in_step().count, 1u);
  EXPECT_NEAR(a.unit->events_in_step().first, 3, 1e-9);
  EXPECT_EQ(a.value("y"), 1);
  EXPECT_EQ(a.value<Bool>("on"), true);
  a.set_value("u", 3.0);
  a.set_derivatives("u", {-2});
  ASSERT_TRUE(a.unit->step({5, 1.5}).completed());  // u = 0: between the thresholds
  EXPECT_EQ(a.value("y"), 1);
  a.set_value("u", 0.0);
  a.set_derivatives("u", {-2});
  ASSERT_TRUE(a.unit->step({6.5, 1}).completed());
  EXPECT_NEAR(a.unit->events_in_step().first, 7, 1e-9);
  EXPECT_EQ(a.value("y"), 0);
  EXPECT_EQ(a.value<Bool>("on"), false);
}

TEST_P(DiscreteModel, RelaySwitchesWhenItsInputJumpsOntoAThreshold) {
  const auto a = make<Relay>("Relay");
  a.set_value("y_on", 5.0);
  a.set_value("y_off", -5.0);
  a.initialize();
  EXPECT_EQ(a.value("y"), -5);
  a.set_value("u", 1.0);
  ASSERT_TRUE(a.unit->step({0, 0.1}).completed());
  EXPECT_EQ(a.value("y"), 5);
  a.set_value("u", -0.99);
  ASSERT_TRUE(a.unit->step({0.1, 0.1}).completed());
  EXPECT_EQ(a.value("y"), 5);
  a.set_value("u", -1.5);
  ASSERT_TRUE(a.unit->step({0.2, 0.1}).completed());
  EXPECT_EQ(a.value("y"), -5);
}

// Edges of the Boolean at 1 and 3 (not at 2, where it stays true), crossings of the ramp u = t at 0.5, and of the jump
// to 2 at t = 4 after -1.
TEST_P(DiscreteModel, CounterCountsEdgesAndCrossings) {
  const auto a = make<Counter>("Counter");
  a.set_value("threshold", 0.5);
  a.initialize();
  EXPECT_EQ(a.value<std::int32_t>("count"), 0);
  a.set_derivatives("u", {1});
  ASSERT_TRUE(a.unit->step({0, 1}).completed());
  EXPECT_NEAR(a.unit->events_in_step().first, 0.5, 1e-9);
  EXPECT_EQ(a.value<std::int32_t>("count"), 1);
  const auto after = [&](double u, bool trigger, double t) {
    a.set_value("u", u);
    a.set_value<Bool>("trigger", trigger);
    EXPECT_TRUE(a.unit->step({t, 1}).completed());
    return a.value<std::int32_t>("count");
  };
  EXPECT_EQ(after(1, true, 1), 2);
  EXPECT_EQ(after(-1, true, 2), 2);
  EXPECT_EQ(after(-1, false, 3), 2);
  EXPECT_EQ(after(2, true, 4), 4);  // both at once
  EXPECT_EQ(after(2, true, 5), 4);
}

// The first values are no edge and no crossing.
TEST_P(DiscreteModel, CounterStartsWithTheGivenValue) {
  const auto a = make<Counter>("Counter");
  a.set_value("u", 1.0);
  a.set_value<Bool>("trigger", true);
  a.set_value<std::int32_t>("count", 7);
  a.initialize();
  ASSERT_TRUE(a.unit->step({0, 1}).completed());
  EXPECT_EQ(a.value<std::int32_t>("count"), 7);
}

// u(n) = 2 e + (I + e / 4), e = 1: 2.25, 2.5, 2.75; then e = -1 at t = 0.75: -2 + 0.75 - 0.25.
TEST_P(DiscreteModel, SampledControllerTakesItsSamplesAtTheTicks) {
  const auto a = make<SampledPi>("SampledPi");
  a.set_value("kp", 2.0);
  a.set_value("ki", 1.0);
  a.set_value("period", 0.25);
  a.set_value("setpoint", 1.0);
  a.initialize();
  EXPECT_DOUBLE_EQ(a.value("u"), 2.25);
  ASSERT_TRUE(a.unit->step({0, 0.2}).completed());
  EXPECT_DOUBLE_EQ(a.value("u"), 2.25);
  EXPECT_EQ(a.unit->next_event(), 0.25);
  ASSERT_TRUE(a.unit->step({0.2, 0.1}).completed());
  EXPECT_EQ(a.unit->events_in_step().first, 0.25);
  EXPECT_DOUBLE_EQ(a.value("u"), 2.5);
  ASSERT_TRUE(a.unit->step({0.3, 0.3}).completed());
  EXPECT_DOUBLE_EQ(a.value("u"), 2.75);
  a.set_value("setpoint", -1.0);  // no effect before the next tick
  EXPECT_DOUBLE_EQ(a.value("u"), 2.75);
  ASSERT_TRUE(a.unit->step({0.6, 0.2}).completed());
  EXPECT_DOUBLE_EQ(a.value("u"), -1.5);
  if (std::string(GetParam()) != "fmi1/me" && std::string(GetParam()) != "fmi2") {
    EXPECT_EQ(a.value<std::int64_t>("ticks"), 4);
  }
}

// 0.1 is not a binary fraction: after 1000 ticks, a sum of periods would be wrong by 1e-12.
TEST_P(DiscreteModel, SampledControllerCountsItsTicks) {
  const auto a = make<SampledPi>("SampledPi");
  a.initialize();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(a.unit->step({static_cast<double>(i), 1}).completed());
  EXPECT_EQ(a.unit->next_event(), 1001 * 0.1);
}

// Impacts from h = 1 at sqrt(2 / g), then every 2 sqrt(2 / g), since e = 1.
TEST_P(DiscreteModel, BallBouncesAtTheTimesOfFreeFall) {
  const auto a = make<ImpulseBall>("ImpulseBall");
  a.initialize(0, 1e-10);
  const double fall = std::sqrt(2 / 9.81);
  ASSERT_TRUE(a.unit->step({0, 0.5}).completed());
  EXPECT_NEAR(a.unit->events_in_step().first, fall, 1e-9);
  EXPECT_EQ(a.value<std::int32_t>("bounces"), 1);
  ASSERT_TRUE(a.unit->step({0.5, 1}).completed());
  EXPECT_NEAR(a.unit->events_in_step().first, 3 * fall, 1e-8);
  EXPECT_EQ(a.value<std::int32_t>("bounces"), 2);
}

TEST_P(DiscreteModel, BallTakesAnImpulseOnceForEachChangeOfTheInput) {
  const auto a = make<ImpulseBall>("ImpulseBall");
  a.set_value("g", 0.0);
  a.set_value("m", 4.0);
  a.initialize();
  const auto after = [&](double J, double t) {
    a.set_value("J", J);
    EXPECT_TRUE(a.unit->step({t, 1}).completed());
    return a.value("v");
  };
  EXPECT_DOUBLE_EQ(after(2, 0), 0.5);
  EXPECT_DOUBLE_EQ(after(2, 1), 0.5);
  EXPECT_DOUBLE_EQ(after(0, 2), 0.5);
  EXPECT_DOUBLE_EQ(after(2, 3), 1.0);
  EXPECT_DOUBLE_EQ(after(-1, 4), 0.75);
  EXPECT_NEAR(a.value("h"), 1 + 3 * 0.5 + 1 + 0.75, 1e-9);
}

// The floor takes an impulse downwards; one upwards lifts the ball.
TEST_P(DiscreteModel, BallAtRestIsLiftedByAnImpulse) {
  const auto a = make<ImpulseBall>("ImpulseBall");
  a.set_value("floor", 3.0);
  a.set_value("h", 3.05);
  a.set_value("e", 0.0);
  a.initialize();
  ASSERT_TRUE(a.unit->step({0, 1}).completed());
  EXPECT_DOUBLE_EQ(a.value("h"), 3);
  a.set_value("J", -1.0);
  ASSERT_TRUE(a.unit->step({1, 0.5}).completed());
  EXPECT_DOUBLE_EQ(a.value("h"), 3);
  EXPECT_EQ(a.value("v"), 0);
  a.set_value("J", 2.0);
  ASSERT_TRUE(a.unit->step({1.5, 0.1}).completed());
  EXPECT_NEAR(a.value("v"), 2 - 9.81 * 0.1, 1e-9);
  EXPECT_NEAR(a.value("h"), 3 + 0.2 - 9.81 * 0.005, 1e-6);  // the solver's tolerance is 1e-8 per step
}

}  // namespace
}  // namespace consort::unit
