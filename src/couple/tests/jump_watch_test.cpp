#include "couple/jump_watch.hpp"

#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/tests/plant.hpp"

namespace consort::couple::jump_watch_test {
namespace {

using ::testing::HasSubstr;

// a.y drives b.u, and the integer a.n drives b.m.
struct Watched : ::testing::Test {
  Watched() {
    shelf.add("a.fmu").output("y").output("n", Type::Int32);
    shelf.add("b.fmu").input("u").input("m", Type::Int32);
    graph::System system;
    system.add("a", "a.fmu");
    system.add("b", "b.fmu");
    system.connect("a.y", "b.u");
    system.connect("a.n", "b.m");
    plan = shelf.compile(system);
  }
  // Accepted steps of the size that `step` returns for their number; n steps with time.
  const Sightings& watch(const std::function<double(Time)>& y, const std::function<int(Time)>& n,
                         const std::function<Duration(int)>& step, bool expected = false) {
    ErrorEstimate estimate(estimated_outputs(plan, {false, false}), {.relative = 1e-4, .absolute = 1e-4});
    const JumpWatch jumps(plan, estimate);
    control = {};
    control.signals.resize(1);
    Columns before = plan.make_outputs(), now = plan.make_outputs();
    Time t = 0;
    for (int i = 0; i < 100; ++i) {
      const Duration h = step(i);
      t += h;
      now.column<double>().front() = y(t);
      now.column<std::int32_t>().front() = n(t);
      estimate.keep_coarse(now);
      static_cast<void>(estimate.compare(now, {.states = 2}));
      jumps.look(control, before, now, t, h, expected);
      estimate.count(control);
      ++control.accepted;
      control.taken = h;
      before = now;
    }
    text = text_of(control.jumps, [&](std::uint64_t k) { return jumps.name(k); });
    return control.jumps;
  }
  static Duration equal(int) { return 0.02; }
  static Duration uneven(int i) { return i % 3 == 0 ? 0.004 : 0.02 + 0.01 * (i % 5); }
  static int still(Time) { return 0; }

  graph::Shelf shelf;
  graph::Plan plan;
  ControlState control;
  std::string text;
};

TEST_F(Watched, SmoothSignalsDoNotJump) {
  for (const auto step : {equal, uneven}) {
    EXPECT_EQ(watch([](Time t) { return std::sin(5 * t); }, still, step).count, 0U);
    EXPECT_EQ(watch([](Time t) { return std::exp(2 * t); }, still, step).count, 0U);
    EXPECT_EQ(watch([](Time) { return 3.0; }, still, step).count, 0U);
  }
}

TEST_F(Watched, AJumpIsSeenOnceAtTheEndOfItsStep) {
  const auto jump = [](Time t) { return std::sin(5 * t) - (t > 1.01 ? 2 : 0); };
  for (const auto step : {equal, uneven}) {
    const auto& jumps = watch(jump, still, step);
    EXPECT_EQ(jumps.count, 1U);
    EXPECT_GT(jumps.when[0], 1.01);
    EXPECT_LT(jumps.when[0], 1.08);
    EXPECT_THAT(text, HasSubstr("a.y at t = 1.0"));
  }
  EXPECT_EQ(watch(jump, still, equal, true).count, 0U) << "known events are not news";
}

TEST_F(Watched, ConnectedIntegersJumpWheneverTheyChange) {
  const auto& jumps = watch([](Time t) { return t; }, [](Time t) { return static_cast<int>(t / 0.3); }, equal);
  EXPECT_EQ(jumps.count, 6U);
  EXPECT_THAT(text, HasSubstr("a.n at t = 0.3"));
  EXPECT_THAT(text, HasSubstr("and 2 more"));
}

}  // namespace
}  // namespace consort::couple::jump_watch_test
