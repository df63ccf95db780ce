// Model Exchange of all versions, integrated by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fmi/tests/fmu_files.hpp"

namespace consort::fmi {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Iterates until the discrete states settle; returns the last result with the changes of all iterations.
DiscreteUpdate settle(ModelExchange& unit) {
  DiscreteUpdate all;
  do {
    const bool changed = all.states_changed;
    all = unit.update_discrete_states();
    all.states_changed = all.states_changed || changed;
  } while (all.repeat && !all.terminate);
  return all;
}

struct Bounce {
  double time;
  double before;
  double after;
  friend bool operator==(const Bounce&, const Bounce&) = default;
};

// Explicit Euler; an event is handled at the end of the step in which an indicator changes its sign.
std::vector<Bounce> bounces(ModelExchange& unit, double stop, double h) {
  initialize(unit, {.start = 0, .stop = stop});
  EXPECT_FALSE(settle(unit).terminate);
  unit.leave_event_mode();
  const std::size_t n = unit.continuous_states();
  EXPECT_EQ(n, 2U);
  EXPECT_EQ(unit.event_indicators(), 1U);
  std::vector<double> x(n), dx(n), z(1), last_z(1);
  unit.get_states(x);
  unit.get_event_indicators(last_z);
  std::vector<Bounce> found;
  for (int i = 1; i * h <= stop; ++i) {
    unit.get_derivatives(dx);
    for (std::size_t k = 0; k < n; ++k) x[k] += h * dx[k];
    unit.set_time(i * h);
    unit.set_states(x);
    if (unit.interface().needs_completed_integrator_step) {
      EXPECT_FALSE(unit.completed_integrator_step().enter_event_mode);
    }
    unit.get_event_indicators(z);
    if ((z[0] > 0) != (last_z[0] > 0)) {
      const double before = x[1];
      unit.enter_event_mode();
      EXPECT_TRUE(settle(unit).states_changed);
      unit.leave_event_mode();
      unit.get_states(x);
      unit.get_event_indicators(z);
      found.push_back({i * h, before, x[1]});
    }
    last_z = z;
  }
  unit.terminate();
  return found;
}

class ModelExchangeOf : public VariantTest {
 protected:
  [[nodiscard]] static Fmu open(const std::string& name) { return open_fmu(version(), name, Kind::me, options()); }
};

INSTANTIATE_TEST_SUITE_P(Every, ModelExchangeOf, testing::ValuesIn(variants), name_of_variant);

TEST_P(ModelExchangeOf, LetsTheBallBounce) {
  const Fmu fmu = open("BouncingBall");
  const auto unit = fmu.model_exchange({});
  EXPECT_EQ(unit->interface().type, describe::InterfaceType::model_exchange);
  const auto found = bounces(*unit, 3, 1e-3);
  ASSERT_GE(found.size(), 4U);
  EXPECT_NEAR(found[0].time, std::sqrt(2 / 9.81), 3e-3);  // two or three steps of 1e-3
  for (std::size_t i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(found[i].after, -0.7 * found[i].before);
  // Each flight takes 0.7 times as long as the previous one; the tolerance covers the step size.
  EXPECT_NEAR((found[2].time - found[1].time) / (found[1].time - found[0].time), 0.7, 0.01);
}

TEST_P(ModelExchangeOf, GivesTheNumbersOfEveryOtherVersion) {
  const Fmu other = open_fmu(version() % 3 + 1, "BouncingBall", Kind::me);
  EXPECT_EQ(bounces(*open("BouncingBall").model_exchange({}), 2, 1e-3), bounces(*other.model_exchange({}), 2, 1e-3));
}

TEST_P(ModelExchangeOf, BeginsAgainAfterAReset) {
  const Fmu fmu = open("BouncingBall");
  const auto unit = fmu.model_exchange({});
  const auto first = bounces(*unit, 1, 1e-3);
  ASSERT_FALSE(first.empty());
  unit->reset();
  EXPECT_EQ(bounces(*unit, 1, 1e-3), first);
}

TEST_P(ModelExchangeOf, TakesStartValues) {
  const Fmu fmu = open("BouncingBall");
  const auto unit = fmu.model_exchange({});
  set<double>(*unit, fmu.description(), "h", {100.0});
  initialize(*unit);
  (void)settle(*unit);
  unit->leave_event_mode();
  std::vector<double> x(2);
  unit->get_states(x);
  EXPECT_THAT(x, ElementsAre(100, 0));
  unit->get_nominals(x);
  EXPECT_THAT(x, ElementsAre(1, 1));
}

TEST_P(ModelExchangeOf, AlwaysHasEvents) {
  const Fmu fmu = open("Stair");
  const auto unit = fmu.model_exchange({});
  EXPECT_EQ(unit->event_mode(), static_cast<EventMode*>(unit.get()));
  set<std::int32_t>(*unit, fmu.description(), "last", {2});
  initialize(*unit);
  EXPECT_EQ(settle(*unit).next_event, 1.0);
  unit->leave_event_mode();
  for (const double t : {1.0, 2.0}) {
    unit->set_time(t);
    unit->enter_event_mode();
    const auto update = settle(*unit);
    EXPECT_EQ(update.terminate, t == 2.0);
    EXPECT_EQ(get<std::int32_t>(*unit, fmu.description(), "counter")[0], static_cast<int>(t) + 1);
    if (update.terminate) break;
    EXPECT_EQ(update.next_event, 2.0);
    unit->leave_event_mode();
  }
}

TEST_P(ModelExchangeOf, GoesBackToASavedState) {
  const Fmu fmu = open("VanDerPol");
  const auto unit = fmu.model_exchange({});
  initialize(*unit);
  (void)settle(*unit);
  unit->leave_event_mode();
  if (version() == 1) {
    EXPECT_EQ(unit->state_saving(), nullptr);
    EXPECT_EQ(unit->directional_derivatives(), nullptr);
    EXPECT_THAT(unit->missing("way back"), HasSubstr("FMI 1.0 does not have it"));
    return;
  }
  const auto state = unit->state_saving()->save();
  unit->set_time(1);
  unit->set_states(std::vector<double>{5, 6});
  unit->state_saving()->restore(*state);
  std::vector<double> x(2);
  unit->get_states(x);
  EXPECT_THAT(x, ElementsAre(2, 0));
  EXPECT_NE(unit->directional_derivatives(), nullptr);
}

TEST_P(ModelExchangeOf, FeedsThroughWithoutStates) {
  const Fmu fmu = open("Feedthrough");
  const auto unit = fmu.model_exchange({});
  initialize(*unit);
  (void)settle(*unit);
  unit->leave_event_mode();
  EXPECT_EQ(unit->continuous_states(), 0U);
  unit->set_states({});
  unit->get_derivatives({});
  set<double>(*unit, fmu.description(), "float64_in", {3.0});
  EXPECT_EQ(real(*unit, fmu.description(), "float64_out"), 3);
}

}  // namespace
}  // namespace consort::fmi
