// The communication point alone: no unit steps; tests set the outputs.
#include "couple/point.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fleet/fleet.hpp"
#include "graph/tests/plant.hpp"
#include "host/hosts.hpp"

namespace consort::couple::point_test {
namespace {

using graph::place_of;
using graph::UnitId;

constexpr Duration h = 0.5;

// Two units that drive each other, one of them with a factor and an offset, and an external input.
struct PointTest : ::testing::Test {
  PointTest() : host(host::find_host("serial").make({})), fleet(std::span<const fleet::UnitSpec>(), *host) {
    shelf.add("unit.fmu").input("u").input("n", Type::Int32).output("y").output("m", Type::Int32);
    shelf.add("other.fmu").input("u").input("e").output("y");
    system.add("a", "unit.fmu");
    system.add("b", "other.fmu");
    system.connect("a.y", "b.u", {2, 1});
    system.connect("b.y", "a.u");
    system.connect("outside", "b.e");
    plan = shelf.compile(system);
  }

  // One part with all units, or one part per unit; the second one then uses new values of the first.
  void make(const char* approximation, bool serial = false, std::vector<InputSource*> sources = {}) {
    point = std::make_unique<Point>(PointSetup{.plan = plan,
                                               .fleet = fleet,
                                               .approximation = find_approximation(approximation),
                                               .sources = std::move(sources),
                                               .slack = 1e-9});
    const auto sees_new = [&](UnitId unit, UnitId source) { return serial && unit == 1 && source == 0; };
    const std::vector<UnitId> both{0, 1}, first{0}, second{1};
    if (serial) {
      point->declare_part(first, sees_new);
      point->declare_part(second, sees_new);
    } else {
      point->declare_part(both, sees_new);
    }
    if (guesses) point->declare_guesses();
    state = make_run_state(plan);
    point->prepare(state);
  }

  double& output(const char* path) {
    return state.signals.outputs.column<double>()[place_of(plan, path, false).element];
  }
  [[nodiscard]] std::uint32_t element(const char* path) const { return place_of(plan, path, true).element; }
  [[nodiscard]] double input(const char* path) const { return state.signals.inputs.column<double>()[element(path)]; }
  // Derivative m of an input at the beginning of the step.
  [[nodiscard]] double slope(const char* path, int m) const {
    const auto width = state.signals.inputs.column<double>().size();
    return state.signals.derivatives.at(static_cast<std::size_t>(m - 1) * width + element(path));
  }

  void begin(Time t, Past past = Past::usual) {
    state.t = t;
    interval = {t, h, t + h, false, past};
    point->begin(state, interval);
  }
  void end() {
    state.t = interval.end;
    point->end(state, interval, state.events);
  }
  // A whole step with one part, from a.y = f(t).
  template <class F>
  void step(Time t, F&& f) {
    output("a.y") = f(t);
    begin(t);
    point->give(state, 0);
    end();
  }

  graph::Shelf shelf;
  graph::System system{"pair"};
  graph::Plan plan;
  std::unique_ptr<fleet::Host> host;
  fleet::Fleet fleet;
  std::unique_ptr<Point> point;
  RunState state;
  Interval interval;
  bool guesses = false;
};

// --- routing

TEST_F(PointTest, HoldsInputsAtWhatOutputsAre) {
  make("poly-1");
  output("a.y") = 3;
  output("b.y") = -5;
  begin(0);
  point->give(state, 0);
  EXPECT_EQ(input("b.u"), 7);
  EXPECT_EQ(input("a.u"), -5);
  EXPECT_EQ(state.signals.highest, 0);
  EXPECT_EQ(point->begun(), 0);
}

TEST_F(PointTest, GivesNewValuesToThoseWhoSeeThemAndOldOnesToOthers) {
  make("poly-1", true);
  output("a.y") = 3;
  output("b.y") = -5;
  begin(0);
  point->give(state, 0);
  output("a.y") = 10;  // computed by the first part
  point->give(state, 1);
  EXPECT_EQ(input("b.u"), 21);
  EXPECT_EQ(input("a.u"), -5);
}

TEST_F(PointTest, LooksBackWhereAPartDoesNotSeeWhatWasComputed) {
  make("poly-1", true);
  // In the opposite order: the unit of the second part is stepped first.
  const std::vector<UnitId> first{0};
  const auto part = point->declare_part(first, [](UnitId, UnitId) { return false; });
  output("b.y") = -5;
  begin(0);
  output("b.y") = 8;
  point->give(state, part);
  EXPECT_EQ(input("a.u"), -5);
}

// --- polynomials

// Exact for polynomials of the same degree, with steps of any size, when there are enough points.
TEST_F(PointTest, FollowsPolynomialsExactly) {
  const auto f = [](Time t) { return 3 - 2 * t + 5 * t * t; };
  const Time times[] = {0, 0.1, 0.4, 0.45, 1.2};
  for (const auto& approximation : approximations()) {
    if (approximation.order() < 2 || approximation.derivatives > 0) continue;  // these units provide no derivatives
    make(std::string(approximation.name).c_str());
    for (const Time t : times) step(t, f);
    EXPECT_NEAR(input("b.u"), 2 * f(1.2) + 1, 1e-12);
    EXPECT_NEAR(slope("b.u", 1), 2 * (-2 + 10 * 1.2), 1e-9) << approximation.name;
    EXPECT_NEAR(slope("b.u", 2), 2 * 10, 1e-9) << approximation.name;
    for (int m = 3; m <= approximation.order(); ++m) EXPECT_NEAR(slope("b.u", m), 0, 1e-7) << approximation.name;
  }
}

TEST_F(PointTest, KnowsNoSlopeAtTheBeginning) {
  make("poly-3");
  step(0, [](Time) { return 4.0; });
  EXPECT_EQ(slope("b.u", 1), 0);
  EXPECT_EQ(slope("b.u", 2), 0);
  step(h, [](Time) { return 5.0; });
  EXPECT_NEAR(slope("b.u", 1), 2 * 1.0 / h, 1e-12);
  EXPECT_EQ(slope("b.u", 2), 0) << "two points make a line";
}

TEST_F(PointTest, ForgetsThePastAfterAnEvent) {
  make("poly-2");
  const auto f = [](Time t) { return t; };
  step(0, f);
  output("a.y") = f(h);
  begin(h);
  point->give(state, 0);
  EXPECT_NEAR(slope("b.u", 1), 2, 1e-12);
  const auto events = state.events;
  ++state.events;
  state.t = interval.end;
  point->end(state, interval, events);
  EXPECT_EQ(point->history().points(state.memory), 0);
  step(2 * h, f);
  EXPECT_EQ(slope("b.u", 1), 0);
}

// The polynomial passes through the values at the beginning and at the end, and through the past.
TEST_F(PointTest, InterpolatesWhereTheEndIsKnown) {
  const auto f = [](Time t) { return 1 + t - 3 * t * t; };
  make("poly-3", true);
  for (const Time t : {0.0, 0.2, 0.7}) {
    output("a.y") = f(t);
    begin(t);
    point->give(state, 0);
    output("a.y") = f(t + h);
    point->give(state, 1);
    end();
  }
  EXPECT_NEAR(input("b.u"), 2 * f(0.7) + 1, 1e-12);
  EXPECT_NEAR(slope("b.u", 1), 2 * (1 - 6 * 0.7), 1e-9);
  EXPECT_NEAR(slope("b.u", 2), 2 * -6, 1e-9);
}

TEST_F(PointTest, EndsInputsWhereItIsTold) {
  guesses = true;
  make("poly-2");
  step(0, [](Time) { return 1.0; });
  output("a.y") = 2;
  begin(h);
  // Continues the line through 2 · 1 + 1 and 2 · 2 + 1.
  EXPECT_NEAR(point->guess(element("b.u")), 7, 1e-12);
  for (const double end : {9.0, -4.0}) {
    point->end_at(state, element("b.u"), end);
    EXPECT_EQ(input("b.u"), 5);
    EXPECT_NEAR(input("b.u") + slope("b.u", 1) * h, end, 1e-12);
  }
}

TEST_F(PointTest, EndsHeldInputsWhereItIsToldThroughout) {
  guesses = true;
  make("poly-1");
  output("a.y") = 2;
  begin(0);
  EXPECT_EQ(point->guess(element("b.u")), 5) << "there is no past yet";
  point->end_at(state, element("b.u"), 9);
  EXPECT_EQ(input("b.u"), 9);
}

// --- the past

TEST_F(PointTest, GoesOnWithHeldInputsOfTheStepThatWasKept) {
  make("poly-1");
  output("a.y") = 3;
  begin(0, Past::kept);
  point->give(state, 0);
  end();
  output("a.y") = 100;
  begin(h, Past::alone);
  point->give(state, 0);
  EXPECT_EQ(input("b.u"), 7);
  begin(h);
  point->give(state, 0);
  EXPECT_EQ(input("b.u"), 201);
}

TEST_F(PointTest, GoesOnAlongTheLineOfTheStepThatWasKept) {
  make("poly-2");
  step(0, [](Time) { return 1.0; });
  output("a.y") = 2;
  begin(h, Past::kept);
  point->give(state, 0);
  end();
  output("a.y") = 100;
  begin(2 * h, Past::alone);
  point->give(state, 0);
  EXPECT_NEAR(input("b.u"), 7, 1e-12);
  EXPECT_NEAR(slope("b.u", 1), 4, 1e-12);
  EXPECT_EQ(point->history().points(state.memory), 2);
}

TEST_F(PointTest, HasAPastOfItsOwnForCoarseSteps) {
  make("poly-2");
  step(0, [](Time) { return 1.0; });
  output("a.y") = 2;
  begin(h, Past::coarse);
  point->give(state, 0);
  EXPECT_EQ(slope("b.u", 1), 0);
  EXPECT_EQ(&point->history_in_use(), &point->coarse());
  EXPECT_EQ(point->coarse().points(state.memory), 1);
  EXPECT_EQ(point->history().points(state.memory), 1);
  EXPECT_TRUE(point->is_sound(state));
}

// --- tables and scenarios

// Sets b.u, and announces discontinuities.
class Override final : public InputSource {
 public:
  Override(std::uint32_t input, double value, Time jump) : input_(input), value_(value), jump_(jump) {}
  bool begin_due(RunState&) override { return ++due == 1; }
  void at_point(RunState&) override { ++looked_up; }
  void begin_step(const Interval& interval, RunState&) override { begun = interval.end; }
  void apply(RunState& state) const override { state.signals.inputs.column<double>()[input_] = value_; }
  [[nodiscard]] bool overrides_inputs() const override { return true; }
  [[nodiscard]] Time next_event(const RunState& state) const override { return jump_ > state.t ? jump_ : fleet::never; }
  [[nodiscard]] Time next_corner(const RunState&) const override { return jump_ + 1; }

  int due = 0, looked_up = 0;
  Time begun = -1;

 private:
  std::uint32_t input_;
  double value_;
  Time jump_;
};

TEST_F(PointTest, LetsLaterSourcesBeatThoseBefore) {
  Override one(element("b.u"), 1, 20), two(element("b.u"), 2, 30);
  make("poly-1", false, {&one, &two});
  EXPECT_TRUE(point->has_overrides());
  EXPECT_EQ(point->next_event(state), 20);
  EXPECT_EQ(point->next_corner(state), 21);
  point->begin_due(state);
  EXPECT_EQ(one.due, 1);
  EXPECT_EQ(two.due, 1);
  output("a.y") = 3;
  output("b.y") = -5;
  begin(0);
  EXPECT_EQ(one.begun, h);
  point->give(state, 0);
  EXPECT_EQ(input("b.u"), 2);
  EXPECT_EQ(input("a.u"), -5) << "an input that is not overridden";
  end();
  EXPECT_EQ(two.looked_up, 1);
}

TEST_F(PointTest, ForgetsThePastWhereASourceJumps) {
  Override jumps(element("b.e"), 0, 2 * h);
  make("poly-2", false, {&jumps});
  const auto f = [](Time t) { return t; };
  step(0, f);
  EXPECT_EQ(point->history().points(state.memory), 1);
  step(h, f);  // ends at the discontinuity
  EXPECT_EQ(point->history().points(state.memory), 0);
  step(2 * h, f);
  EXPECT_EQ(slope("b.u", 1), 0);
}

TEST_F(PointTest, TellsContinuousInputsFromOthers) {
  const auto continuous = continuous_inputs(plan);
  EXPECT_TRUE(continuous[element("a.u")]);
  EXPECT_TRUE(continuous[element("b.u")]);
  EXPECT_TRUE(continuous[element("b.e")]);
  shelf.add("clocked.fmu").input("u");
  shelf.add("clocked.fmu").input("u").last().variability = describe::Variability::discrete;
  graph::System other("other");
  other.add("a", "unit.fmu");
  other.add("c", "clocked.fmu");
  other.connect("a.y", "c.u");
  EXPECT_FALSE(continuous_inputs(shelf.compile(other)).at(0));
}

}  // namespace
}  // namespace consort::couple::point_test
