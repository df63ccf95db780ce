#include "step/event_controller.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "couple/tests/event_rig.hpp"
#include "solve/tests/allocations.hpp"

namespace consort::step {
namespace {

using couple::EventfulUnit;
using couple::EventRig;
using couple::make_ramp;
using couple::make_ramp_model;
using ::testing::HasSubstr;
using unit::Why;

// A rig with a stepper and a controller.
struct CoupledRun {
  explicit CoupledRun(std::string stepper_name = "jacobi", std::string controller_name = "fixed",
                      std::string_view approximation = "0")
      : rig(approximation) {
    settings.stepper = std::move(stepper_name);
    settings.control.controller = std::move(controller_name);
  }
  void make(Duration step = 0.25, Time stop = 2, bool settles = true) {
    rig.make();
    stepper = make_stepper({rig.plan, settings, *rig.fleet, *rig.point});
    controller = make_controller({.plan = rig.plan,
                                  .settings = settings,
                                  .fleet = *rig.fleet,
                                  .stepper = *stepper,
                                  .grid = Grid(0, stop, step),
                                  .tolerance = 1e-4,
                                  .is_late = std::vector<bool>(rig.plan.units.size(), false),
                                  .bonds = rig.bonds.empty() ? nullptr : &rig.bonds,
                                  .events = settles ? rig.events.get() : nullptr});
    stepper->prepare(rig.state);
    controller->prepare(rig.state);
    rig.connect();
  }
  unit::StepOutcome advance(Time limit) { return controller->advance(*stepper, *rig.fleet, rig.state, limit); }

  EventRig rig;
  graph::RunSettings settings;
  std::unique_ptr<Stepper> stepper;
  std::unique_ptr<Controller> controller;
};

// Two ramps; while s of one is 1, the other is twice as steep. Simulated with events, and by hand.
class TwoRamps {
 public:
  TwoRamps(double a, double b) : length_{a, b}, limit_{a, b} {}
  [[nodiscard]] double y(int i) const { return y_[i]; }
  [[nodiscard]] int s(int i) const { return s_[i]; }
  [[nodiscard]] Time next() const { return t_ + std::min(until(0), until(1)); }
  void go_to(Time t) {
    while (next() <= t + 1e-12) {
      const bool both[] = {until(0) <= until(1) + 1e-12, until(1) <= until(0) + 1e-12};
      move(next() - t_);
      for (const int i : {0, 1}) {
        if (!both[i]) continue;
        s_[i] = 1 - s_[i];
        limit_[i] += length_[i];
      }
    }
    move(std::max(t - t_, 0.0));
  }

 private:
  [[nodiscard]] double rate(int i) const { return 1 + s_[1 - i]; }
  [[nodiscard]] Duration until(int i) const { return (limit_[i] - y_[i]) / rate(i); }
  void move(Duration h) {
    for (const int i : {0, 1}) y_[i] += h * rate(i);
    t_ += h;
  }
  double length_[2];
  double limit_[2];
  double y_[2] = {0, 0};
  int s_[2] = {0, 0};
  Time t_ = 0;
};

void couple_ramps(EventRig& rig) {
  rig.system.connect("a.s", "b.d");
  rig.system.connect("b.s", "a.d");
  rig.system.connect("a.y", "b.u");
  rig.system.connect("b.y", "a.u");
  rig.bonded.push_back({"a.y", "b.y"});
}

// --- every stepper under every controller ----------------------------------------------------------------------------

struct Pairing {
  const char* name;
  const char* stepper;
  const char* controller;
  const char* approximation;
};
constexpr Pairing pairings[] = {
    {"JacobiFixed", "jacobi", "fixed", "0"},
    {"JacobiFixedLinear", "jacobi", "fixed", "1"},
    {"JacobiRichardson", "jacobi", "richardson", "0"},
    {"JacobiRichardsonLinear", "jacobi", "richardson", "1"},
    {"JacobiModified", "jacobi", "modified", "0"},
    {"JacobiModifiedLinear", "jacobi", "modified", "1"},
    {"JacobiEcco", "jacobi", "ecco", "0"},
    {"GaussSeidelFixed", "gauss-seidel", "fixed", "0"},
    {"GaussSeidelRichardson", "gauss-seidel", "richardson", "1"},
    {"GaussSeidelModified", "gauss-seidel", "modified", "0"},
    {"GaussSeidelEcco", "gauss-seidel", "ecco", "0"},
    {"IteratedFixed", "iterated", "fixed", "0"},
    {"IteratedFixedQuadratic", "iterated", "fixed", "2"},
    {"IteratedRichardson", "iterated", "richardson", "1"},
};

class EveryPairing : public testing::TestWithParam<Pairing> {
 protected:
  static CoupledRun make_run() {
    CoupledRun run(GetParam().stepper, GetParam().controller, GetParam().approximation);
    run.settings.control.tolerance = 0.1;
    run.settings.control.absolute = 1.0;
    return run;
  }
};
INSTANTIATE_TEST_SUITE_P(Of, EveryPairing, testing::ValuesIn(pairings),
                         [](const auto& p) { return std::string(p.param.name); });

TEST_P(EveryPairing, EndsStepsAtTheFirstEventAndGoesOnFromThere) {
  CoupledRun run = make_run();
  run.rig.add(make_ramp("a", 0.35));
  run.rig.add(make_ramp("b", 0.2));
  couple_ramps(run.rig);
  run.make(0.5);
  // Both events, 0.2 and 0.275 (a is steeper from 0.2 on), lie in the first step.
  TwoRamps exact(0.35, 0.2);
  std::vector<Time> events;
  while (run.rig.state.t < 2 - 1e-9) {
    const auto n = run.rig.state.events;
    ASSERT_TRUE(run.advance(2).completed());
    const Time t = run.rig.state.t;
    exact.go_to(t);
    ASSERT_NEAR(run.rig.y("a"), exact.y(0), 1e-11) << t;
    ASSERT_NEAR(run.rig.y("b"), exact.y(1), 1e-11) << t;
    ASSERT_EQ(run.rig.s("a"), exact.s(0)) << t;
    ASSERT_EQ(run.rig.s("b"), exact.s(1)) << t;
    if (run.rig.state.events > n) {
      events.push_back(t);
      EXPECT_GT(run.rig.state.n, 0U);
    } else {
      EXPECT_EQ(run.rig.state.n, 0U);
    }
  }
  TwoRamps again(0.35, 0.2);
  std::vector<Time> expected;
  for (Time t = again.next(); t <= 2; t = again.next()) {
    expected.push_back(t);
    again.go_to(t);
  }
  EXPECT_NEAR(events.at(0), 0.2, 1e-12);
  EXPECT_NEAR(events.at(1), 0.275, 1e-12);
  EXPECT_THAT(events, testing::Pointwise(testing::DoubleNear(1e-11), expected));
}

TEST_P(EveryPairing, SettlesModelExchangeAndEventModeTogether) {
  CoupledRun run = make_run();
  run.rig.add(make_ramp_model("a", 0.35));
  run.rig.add(make_ramp("b", 0.2));
  couple_ramps(run.rig);
  run.make(0.5);
  TwoRamps exact(0.35, 0.2);
  while (run.rig.state.t < 2 - 1e-9) {
    ASSERT_TRUE(run.advance(2).completed());
    exact.go_to(run.rig.state.t - 1e-9);
    // Events within rounding errors of the point may or may not have happened.
    ASSERT_NEAR(run.rig.y("a"), exact.y(0), 1e-7) << run.rig.state.t;
    ASSERT_NEAR(run.rig.y("b"), exact.y(1), 1e-7) << run.rig.state.t;
  }
  EXPECT_GE(run.rig.fleet->counts(run.rig.id("a")).events, 8U);
}

TEST_P(EveryPairing, AllocatesNothingPerStep) {
  CoupledRun run = make_run();
  run.rig.add(make_ramp("a", 0.0035));
  run.rig.add(make_ramp("b", 0.002));
  couple_ramps(run.rig);
  run.settings.control.maximum = 0.01;
  run.make(0.005, 100);
  for (int i = 0; i < 50; ++i) run.advance(100);
  const auto before = allocations();
  const auto events = run.rig.state.events;
  for (int i = 0; i < 300; ++i) run.advance(100);
  EXPECT_EQ(allocations(), before);
  EXPECT_GT(run.rig.state.events, events + 200);
}

// --- events and steps ------------------------------------------------------------------------------------------------

TEST(EventController, GivesAUnitItsCauseEvenIfTheRepeatedStepCompletes) {
  CoupledRun run;
  auto unit = std::make_unique<EventfulUnit>("fickle");
  auto& fickle = run.rig.add(std::move(unit));
  int asked = 0;
  fickle.next = [&](const EventfulUnit::State&) { return ++asked == 1 ? 0.1 : unit::never; };
  run.make();
  EXPECT_TRUE(run.advance(2).completed());
  EXPECT_EQ(run.rig.state.t, 0.1);
  EXPECT_EQ(fickle.updates, 1);
  EXPECT_TRUE(run.advance(2).completed());
  EXPECT_EQ(run.rig.state.t, 0.25);
  EXPECT_EQ(fickle.updates, 1);
}

TEST(EventController, RepeatsAgainWhereAnEarlierEventAppears) {
  CoupledRun run;
  auto& early = run.rig.add(std::make_unique<EventfulUnit>("early"));
  auto& late = run.rig.add(std::make_unique<EventfulUnit>("late"));
  int asked = 0;
  late.next = [](const EventfulUnit::State&) { return 0.2; };
  early.next = [&](const EventfulUnit::State&) { return ++asked == 1 ? unit::never : 0.15; };
  run.make();
  EXPECT_TRUE(run.advance(2).completed());
  EXPECT_EQ(run.rig.state.t, 0.15);
  EXPECT_EQ(early.updates, 1);
  EXPECT_EQ(late.updates, 0) << "its event is ahead once more";
  EXPECT_EQ(asked, 3);
}

TEST(EventController, TakesEventsAtOneTimeForOne) {
  CoupledRun run;
  auto& a = run.rig.add(make_ramp("a", 0.125));
  auto& b = run.rig.add(make_ramp("b", 0.125 + 1e-14));
  auto& c = run.rig.add(make_ramp("c", 0.13));
  run.make();
  EXPECT_TRUE(run.advance(2).completed());
  EXPECT_EQ(a.updates, 1);
  EXPECT_EQ(b.updates, 1);
  EXPECT_EQ(c.updates, 0);
  EXPECT_EQ(run.rig.state.n, 1U) << "one round for both";
}

TEST(EventController, SettlesAtTheEndOfAStepWithoutRepeatingIt) {
  CoupledRun run;
  int steps = 0;
  auto& a = run.rig.add(make_ramp("a", 0.25));
  const auto move = a.move;
  a.move = [&, move](EventfulUnit::State& x, Duration h) {
    ++steps;
    move(x, h);
  };
  run.make();
  EXPECT_TRUE(run.advance(2).completed());
  EXPECT_EQ(run.rig.state.t, 0.25);
  EXPECT_EQ(steps, 1);
  EXPECT_EQ(a.updates, 1);
}

TEST(EventController, SettlesWithoutAStepWhatIsDueAtItsBeginning) {
  CoupledRun run;
  auto& a = run.rig.add(std::make_unique<EventfulUnit>("a"));
  a.now.limit = 1;
  a.next = [](const EventfulUnit::State& x) { return x.limit > 0 ? x.t : unit::never; };
  a.react = [](EventfulUnit::State& x) {
    x.limit = 0;
    return unit::EventOutcome{};
  };
  run.make();
  EXPECT_TRUE(run.advance(2).completed());
  EXPECT_EQ(run.rig.state.t, 0);
  EXPECT_EQ(run.rig.state.n, 1U);
  EXPECT_TRUE(run.advance(2).completed());
  EXPECT_EQ(run.rig.state.t, 0.25);
  EXPECT_EQ(run.rig.state.n, 0U);
}

TEST(EventController, EndsInAnErrorWhereTimeDoesNotGoOn) {
  CoupledRun run;
  auto& a = run.rig.add(std::make_unique<EventfulUnit>("stuck"));
  a.next = [](const EventfulUnit::State& x) { return x.t; };
  run.make();
  EXPECT_THAT(
      [&] {
        for (int i = 0; i < 2000; ++i) run.advance(2);
      },
      testing::ThrowsMessage<Error>(testing::AllOf(HasSubstr("do not settle"), HasSubstr("'stuck'"))));
}

TEST(EventController, EndsTheRunWhereAUnitAsksToInAnEvent) {
  CoupledRun run;
  auto& a = run.rig.add(make_ramp("a", 0.1));
  a.react = [](EventfulUnit::State&) { return unit::EventOutcome{false, true, {}}; };
  run.rig.add(make_ramp("b", 0.2));
  run.make();
  const auto outcome = run.advance(2);
  EXPECT_EQ(outcome.why, Why::terminate);
  EXPECT_NEAR(outcome.reached, 0.1, 1e-15);
  EXPECT_EQ(run.rig.state.stop.unit, run.rig.id("a"));
  EXPECT_NEAR(run.rig.y("b"), 0.1, 1e-15) << "all units stand there";
}

TEST(EventController, GivesDiscreteInputsOfUnitsThatHaveNoEventsInTheIterationToo) {
  CoupledRun run;
  auto source = std::make_unique<unit::LambdaUnit>("source");
  const auto s = source->output("s", std::int32_t{0});
  source->on_step([=](unit::LambdaUnit::Values& v, const unit::StepRequest& r) {
    ++v[s];
    return unit::completed(r);
  });
  run.rig.add(std::move(source));
  auto& b = run.rig.add(std::make_unique<EventfulUnit>("b"));
  b.react = [](EventfulUnit::State& x) {
    x.s = 10 * x.d;
    return unit::EventOutcome{};
  };
  run.rig.system.connect("source.s", "b.d");
  run.make();
  for (int i = 1; i <= 4; ++i) {
    EXPECT_TRUE(run.advance(2).completed());
    EXPECT_EQ(run.rig.s("b"), 10 * i) << "at the point where the input changed, not a step later";
    EXPECT_EQ(b.updates, i);
    EXPECT_EQ(run.rig.state.n, 1U);
  }
}

TEST(EventController, TellsUnitsThatTheyMayHaveToGoBack) {
  CoupledRun run;
  std::vector<unit::StepRequest> requests;
  auto spy = std::make_unique<unit::LambdaUnit>("spy");
  spy->output("y", 0.0);
  spy->on_step([&](unit::LambdaUnit::Values&, const unit::StepRequest& r) {
    requests.push_back(r);
    return unit::completed(r);
  });
  run.rig.add(std::move(spy));
  run.make();
  EXPECT_TRUE(run.advance(2).completed());
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_TRUE(requests[0].may_roll_back);
  EXPECT_TRUE(requests[0].stop_at_event);
}

// --- units that cannot roll back -------------------------------------------------------------------------------------

TEST(EventController, LeavesEventsToUnitsWhereOneCannotGoBackAndSaysSo) {
  CoupledRun run;
  auto& a = run.rig.add(make_ramp("a", 0.1));
  auto& rigid = run.rig.add(std::make_unique<EventfulUnit>("rigid"));
  rigid.rolls_back = false;
  run.make();
  EXPECT_THAT(run.controller->notes(),
              testing::ElementsAre(testing::AllOf(HasSubstr("each unit alone"), HasSubstr("rigid"))));
  EXPECT_EQ(run.controller->name(), "fixed");
  EXPECT_TRUE(run.advance(2).completed());
  EXPECT_EQ(run.rig.state.t, 0.25);
  EXPECT_EQ(a.updates, 2) << "at 0.1 and 0.2, inside of the step";
  EXPECT_EQ(run.rig.state.n, 0U);
}

TEST(EventController, LeavesEventsToUnitsWhereOneTakesEqualStepsOnly) {
  CoupledRun run;
  run.rig.add(make_ramp("a", 0.1));
  run.rig.add(std::make_unique<EventfulUnit>("clocked")).varies = false;
  run.make();
  EXPECT_THAT(run.controller->notes(), testing::ElementsAre(HasSubstr("clocked takes equal steps only")));
  EXPECT_TRUE(run.advance(2).completed());
  EXPECT_EQ(run.rig.state.t, 0.25);
}

TEST(EventController, IsNotThereUnlessItIsAskedFor) {
  CoupledRun run;
  auto& a = run.rig.add(make_ramp("a", 0.1));
  run.make(0.25, 2, false);
  EXPECT_TRUE(run.controller->notes().empty());
  EXPECT_TRUE(run.advance(2).completed());
  EXPECT_EQ(run.rig.state.t, 0.25);
  EXPECT_EQ(a.updates, 2);
  EXPECT_EQ(run.rig.state.events, 2U);
}

// --- compared with a run that handles events inside steps ------------------------------------------------------------

TEST(EventController, AgreesWithEventsThatAreHandledInside) {
  for (const bool settles : {false, true}) {
    CoupledRun run;
    run.rig.add(make_ramp_model("a", 0.35));
    run.make(0.1, 2, settles);
    while (run.rig.state.t < 2 - 1e-9) run.advance(2);
    EXPECT_NEAR(run.rig.y("a"), 2, 1e-9);
    EXPECT_EQ(run.rig.s("a"), 1) << "5 events";
    EXPECT_EQ(run.rig.fleet->counts(0).events, 5U);
  }
}

}  // namespace
}  // namespace consort::step
