// Events of a system in co-simulation, against sequences that were derived by hand, and the same systems as one group.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/places.hpp"
#include "engine/simulation.hpp"
#include "engine/tests/systems.hpp"
#include "os/temp_folder.hpp"

namespace consort::engine {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = graph::EventAction::Kind;

graph::EventAction set(const std::string& target, const std::string& value) { return {Kind::set, target, value}; }
graph::EventAction pulse(const std::string& target, const std::string& value) { return {Kind::pulse, target, value}; }
graph::EventAction release(const std::string& target) { return {Kind::release, target, {}}; }
graph::EventAction stop(const std::string& text) { return {Kind::stop, {}, text}; }

graph::Component& add(graph::System& s, const std::string& name, const std::string& model,
                      const std::string& version = "fmi3") {
  auto& unit = s.add(name, places::fmus() + "/" + version + "/" + model + ".fmu");
  unit.interface = describe::InterfaceType::model_exchange;
  return unit;
}

// h = t.
void add_ramp(graph::System& s, const std::string& name) {
  add(s, name, "ImpulseBall").set("g", "0").set("floor", "-100").set("h", "0").set("v", "1");
}

// x' = u - x.
graph::Component& add_lag(graph::System& s, const std::string& name, const std::string& x, const std::string& u,
                          const std::string& version = "fmi3") {
  return add(s, name, "LinearUnit", version).set("d", "0").set("x", x).set("u", u);
}

graph::System as_group(graph::System inner, const std::string& name = "g") {
  graph::System outer("outer");
  inner.name = name;
  inner.solver = "bdf";
  outer.add_system(std::move(inner));
  return outer;
}

SimulationOptions accurate(double stop, double step, const std::string& stepper = "jacobi") {
  auto o = options(stop, step, stepper);
  o.run.tolerance = 1e-9;
  return o;
}

// Times at which the variable has another value than before, at the ends of steps.
std::vector<Time> changes(Simulation& s, const std::string& path, double by = 0.5) {
  const auto read = [&] {
    const auto v = s.value(path);
    return with_type(v.type(), [&]<class T>() -> double {
      if constexpr (std::is_arithmetic_v<T>)
        return static_cast<double>(v.elements<T>().front());
      else if constexpr (std::is_same_v<T, Bool>)
        return v.elements<T>().front().value ? 1 : 0;
      else
        return 0;
    });
  };
  std::vector<Time> times;
  for (double before = read(); !s.done();) {
    s.step();
    const double now = read();
    if (std::abs(now - before) > by) times.push_back(s.time());
    before = now;
  }
  return times;
}

void expect_times(const std::vector<Time>& found, const std::vector<Time>& wanted, double tolerance) {
  ASSERT_EQ(found.size(), wanted.size()) << ::testing::PrintToString(found);
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], tolerance);
}

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

// --- sequences ------------------------------------------------------------------------------------------------------

// Without gravity: a comes from below and hits b at t = 1; b comes back from its wall at t = 3 and hits a at t = 5.
graph::System two_balls() {
  graph::System s("balls");
  for (const auto* const name : {"a", "b"})
    add(s, name, "ImpulseBall").set("g", "0").set("floor", "-100").set("m", "2");
  s.components[0].set("h", "0").set("v", "1");
  s.components[1].set("h", "1").set("v", "0");
  s.events.push_back(
      {"hit", "a.h >= b.h", {pulse("a.J", "2 [kg] * (b.v - a.v)"), pulse("b.J", "2 [kg] * (a.v - b.v)")}});
  s.events.push_back({"wall", "b.h > 3 [m]", {set("b.v", "-b.v")}});
  return s;
}

TEST(SystemEvents, ExchangeMomentumAcrossUnits) {
  ::setenv("CONSORT_WORKER", places::worker().c_str(), 1);
  for (const auto* const host : {"serial", "process"}) {
    for (const auto* const stepper : {"jacobi", "gauss-seidel", "iterated"}) {
      for (const double step : {0.13, 0.1}) {  // 0.1: events at communication points
        auto o = accurate(6, step, stepper);
        o.run.host = host;
        Simulation s(two_balls(), o);
        s.initialize();
        expect_times(changes(s, "a.v"), {1, 5}, 1e-7);
        EXPECT_NEAR(number(s, "a.v"), -1, 1e-9);
        EXPECT_NEAR(number(s, "a.h"), 0, 1e-6);
        EXPECT_NEAR(number(s, "b.v"), 0, 1e-9);
        EXPECT_NEAR(number(s, "b.h"), 1, 1e-6);
        EXPECT_EQ(number(s, "a.J"), 0) << "a pulse lasts for one round";
      }
    }
  }
}

TEST(SystemEvents, HaveTheSameSequenceInOneGroup) {
  Simulation s(as_group(two_balls()), accurate(6, 0.13));
  s.initialize();
  while (!s.done()) s.step();
  EXPECT_NEAR(number(s, "g.a.v"), -1, 1e-9);
  EXPECT_NEAR(number(s, "g.a.h"), 0, 1e-6);
  EXPECT_NEAR(number(s, "g.b.h"), 1, 1e-6);
}

// methods.md §12, M §3: without springs' steps being exact, so the communication step is small.
TEST(SystemEvents, HitWallsAtTheTimesOfOneModel) {
  constexpr double quarter = std::numbers::pi / 2;
  graph::System s("pendula");
  add(s, "left", "Pendulum").set("x_pivot", "-2").set("theta", std::to_string(quarter));
  add(s, "right", "Pendulum").set("x_pivot", "2").set("theta", std::to_string(-quarter));
  s.components[0].settings.back().value = "1.5707963267948966";
  s.components[1].settings.back().value = "-1.5707963267948966";
  s.connect_value("-1 [N/m] * (left.x - right.x)", "left.F_x");
  s.connect_value("1 [N/m] * (left.x - right.x)", "right.F_x");
  s.connect_value("-1 [N/m] * (left.y - right.y)", "left.F_y");
  s.connect_value("1 [N/m] * (left.y - right.y)", "right.F_y");
  s.events.push_back({"left wall", "left.x < left.x_pivot", {set("left.omega", "-left.omega")}});
  s.events.push_back({"right wall", "right.x > right.x_pivot + 0.3 [m]", {set("right.omega", "-right.omega")}});
  auto o = accurate(5, 0.005);
  o.run.extrapolation = "2";
  for (const auto* const path : {"left.omega", "right.omega"}) {
    Simulation simulation(s, o);
    simulation.initialize();
    expect_times(changes(simulation, path, 1.0),
                 path[0] == 'l' ? std::vector<Time>{0.618559, 1.852925, 3.075367, 4.280139}
                                : std::vector<Time>{0.706324, 2.113591, 3.503137, 4.875953},
                 1e-5);
  }
}

// x[k+1] = e^-T x[k] + (1 - e^-T) u[k]; u[k] = kp (r - x[k]) + ki (I[k] + (r - x[k]) T).
TEST(SystemEvents, SampleAContinuousPlant) {
  graph::System s("loop");
  add(s, "pi", "SampledPi").set("setpoint", "1").set("period", "0.1").set("kp", "2").set("ki", "3");
  add(s, "plant", "LinearUnit").set("d", "0").set("x", "0");
  s.connect("plant.x", "pi.measurement");
  s.connect("pi.u", "plant.u");
  auto o = accurate(2, 0.05);
  o.run.events = graph::EventSettling::together;
  Simulation simulation(s, o);
  simulation.initialize();
  double x = 0, integral = 0;
  for (int k = 0; k < 20; ++k) {
    integral += (1 - x) * 0.1;
    const double u = 2 * (1 - x) + 3 * integral;
    x = std::exp(-0.1) * x + (1 - std::exp(-0.1)) * u;
    while (simulation.time() < 0.1 * (k + 1) - 1e-9) simulation.step();
    EXPECT_NEAR(number(simulation, "plant.x"), x, 1e-7) << k;
    EXPECT_EQ(simulation.value("pi.ticks").elements<std::int64_t>().front(), k + 2);
  }
}

// Two relays in a ring: what one shows, the other one gets. The first switches on when the ramp passes 0.35.
TEST(SystemEvents, GoAroundARingOfRelays) {
  graph::System s("ring");
  add_ramp(s, "ramp");
  add(s, "a", "Relay").set("upper", "0.35").set("lower", "-5").set("y_on", "2");
  add(s, "b", "Relay").set("upper", "1").set("lower", "-1").set("y_on", "3");
  s.connect_value("ramp.h / 1 [m] - 3 * b.y",
                  "a.u");  // b switches a off again: 0.35 - 9 < -5, and is not asked to go back
  s.connect("a.y", "b.u");
  auto o = accurate(1, 0.1);
  o.run.events = graph::EventSettling::together;
  o.run.extrapolation = "1";  // a sees the ramp as it is
  Simulation simulation(s, o);
  simulation.initialize();
  expect_times(changes(simulation, "b.y"), {0.35}, 1e-6);
  EXPECT_EQ(number(simulation, "a.y"), 0) << "on and off again, all at one time";
  EXPECT_EQ(number(simulation, "b.y"), 3);
}

// The stair rises at 1 s, 2 s, …; expressions of it drive two counters at the same time.
TEST(SystemEvents, LetAStairDriveCounters) {
  graph::System s("stair");
  add(s, "stair", "Stair");
  add(s, "odd", "Counter");
  add(s, "third", "Counter");
  s.connect_value("mod(stair.counter, 2) >= 1", "odd.trigger");
  s.connect_value("odd.count >= 2", "third.trigger");
  auto o = accurate(6.5, 0.3);
  o.run.events = graph::EventSettling::together;
  Simulation simulation(s, o);
  simulation.initialize();
  // 1 (no edge), 2, 3 (edge) at 2 s, 4, 5 (edge) at 4 s, 6, 7 (edge) at 6 s.
  expect_times(changes(simulation, "odd.count"), {2, 4, 6}, 1e-9);
  EXPECT_EQ(simulation.value("third.count").elements<std::int32_t>().front(), 1);
}

// --- what events do -------------------------------------------------------------------------------------------------

TEST(SystemEvents, HoldInputsUntilTheyAreReleased) {
  graph::System s("lags");
  add_lag(s, "x", "0", "0");
  s.connect_value("1", "x.u");
  add_lag(s, "free", "0", "-1");
  s.events.push_back({"fast", "x.x > 0.25", {set("x.u", "3"), set("free.u", "x.x")}});
  s.events.push_back({"usual", "time > 0.75 [s]", {release("x.u"), release("free.u")}});
  const auto lag = [](double from, double u, double h) { return u + (from - u) * std::exp(-h); };
  const double t = -std::log(0.75);
  Simulation simulation(s, accurate(1, 0.1));
  simulation.initialize();
  while (!simulation.done()) simulation.step();
  EXPECT_NEAR(number(simulation, "x.x"), lag(lag(0.25, 3, 0.75 - t), 1, 0.25), 1e-7);
  EXPECT_NEAR(number(simulation, "free.x"), lag(lag(-0.25, 0.25, 0.75 - t), -1, 0.25), 1e-7)
      << "back to its start value";
}

TEST(SystemEvents, EvaluateAllRightSidesBeforeTheyAssign) {
  graph::System s("swap");
  add_lag(s, "a", "1", "1");
  add_lag(s, "b", "3", "3", "fmi2");
  s.events.push_back({"swap", "time > 0.5 [s]", {set("a.x", "b.x"), set("b.x", "a.x"), set("a.u", "b.x")}});
  s.events.push_back({"seen", "a.x > 2", {set("b.u", "a.x + b.x")}});  // a later round of the same time
  Simulation simulation(s, accurate(1, 0.3));
  simulation.initialize();
  expect_times(changes(simulation, "a.x"), {0.5}, 1e-8);
  EXPECT_NEAR(number(simulation, "a.x"), 3, 1e-9);
  EXPECT_NEAR(number(simulation, "b.x"), 4 - 3 * std::exp(-0.5), 1e-6);
}

TEST(SystemEvents, StopTheRunWithTheirText) {
  graph::System s("ramp");
  add_ramp(s, "x");
  s.events.push_back({"end", "x.h / 1 [m] > 0.25", {stop("far enough")}});
  Simulation simulation(s, accurate(1, 0.1));
  const auto report = simulation.run({});
  EXPECT_NEAR(simulation.time(), 0.25, 1e-8);
  EXPECT_THAT(report.ended_early, HasSubstr("far enough"));
}

TEST(SystemEvents, DoNotHappenIfTheyAreTrueAtTheStart) {
  graph::System s("ramp");
  add_ramp(s, "x");
  s.events.push_back({"end", "x.h / 1 [m] < 0.25", {stop("never")}});
  Simulation simulation(s, accurate(1, 0.1));
  EXPECT_THAT(simulation.run({}).ended_early, IsEmpty());
}

// A ball that the system bounces: impacts after sqrt(2 / 9.81) s, then after times that shrink by 0.5, within one
// communication step in the end.
TEST(SystemEvents, FollowBouncesWithinAStepAndEndWhereTheyAccumulate) {
  graph::System s("bounce");
  add(s, "ball", "ImpulseBall").set("floor", "-100").set("h", "1").set("v", "0");
  s.events.push_back({"floor", "ball.h < 0 [m]", {set("ball.v", "-0.5 * ball.v")}});
  Simulation simulation(s, accurate(2, 0.1));
  simulation.initialize();
  const double fall = std::sqrt(2 / 9.81);
  const double end = fall * (1 + 2 * (0.5 + 0.25 + 0.125 + 0.0625 + 0.03125));
  std::vector<Time> impacts;
  while (simulation.time() < end + 0.001) {
    simulation.step();
    const double v = number(simulation, "ball.v");
    if (v > 0 && std::abs(number(simulation, "ball.h")) < 1e-7) impacts.push_back(simulation.time());
  }
  ASSERT_GE(impacts.size(), 6U);
  for (int i = 0; i < 6; ++i)
    EXPECT_NEAR(impacts[static_cast<std::size_t>(i)], fall * (3 - 2 * std::pow(0.5, i)), 1e-6);
  const auto text = error_of([&] {
    while (!simulation.done()) simulation.step();
  });
  EXPECT_THAT(text, AllOf(HasSubstr("'floor'"), HasSubstr("accumulates"), HasSubstr("ball.h")));
}

TEST(SystemEvents, ContinueFromACheckpointBitForBit) {
  const auto make = [] {
    graph::System s("lag");
    add_lag(s, "x", "0", "0");
    s.connect_value("1", "x.u");
    s.events.push_back({"fast", "x.x > 0.25", {set("x.u", "3")}});
    s.events.push_back({"back", "x.x > 1", {set("x.x", "0.1"), release("x.u")}});
    return s;
  };
  const os::TempFolder folder;
  const auto file = (folder.path() / "half").string();
  Simulation whole(make(), accurate(2, 0.1));
  whole.initialize();
  while (whole.time() < 0.4) whole.step();
  whole.save(file);
  Simulation second(make(), accurate(2, 0.1));
  second.load(file);
  // 0.25 at -log(0.75), 1 after another log(2.75 / 2); from 0.1 to 0.25 it takes log(0.9 / 0.75).
  const double first = std::log(2.75 / 2) - std::log(0.75), again = std::log(0.9 / 0.75) + std::log(2.75 / 2);
  expect_times(changes(second, "x.x"), {first, first + again, first + 2 * again}, 1e-6);
  while (!whole.done()) whole.step();
  EXPECT_EQ(number(second, "x.x"), number(whole, "x.x"));
}

// x' = u - x; u is y = t sampled every 0.2 s.
TEST(SampledConnections, HoldTheirValuesBetweenTicks) {
  graph::System s("sampled");
  add_ramp(s, "ramp");
  add_lag(s, "x", "0", "0");
  s.connect_value("ramp.h / 1 [m]", "x.u").sample = 0.2;
  for (const auto* const extrapolation : {"0", "2"}) {
    auto o = accurate(1, 0.05);
    o.run.extrapolation = extrapolation;
    Simulation simulation(s, o);
    simulation.initialize();
    double x = 0;
    for (int k = 0; k < 5; ++k) {
      while (simulation.time() < 0.2 * (k + 1) - 1e-9) simulation.step();
      x = 0.2 * k + (x - 0.2 * k) * std::exp(-0.2);
      EXPECT_NEAR(number(simulation, "x.x"), x, 1e-7) << k;
    }
  }
  EXPECT_THAT(error_of([&] { Simulation(s, accurate(1, 0.15)); }), AllOf(HasSubstr("multiple"), HasSubstr("x.u")));
  EXPECT_THAT(error_of([&] { Simulation(as_group(s), accurate(1, 0.1)); }), HasSubstr("group"));
}

// --- units that cannot go back --------------------------------------------------------------------------------------

// 1 - e^-t passes 0.25 between 0.2 s and 0.3 s.
double after_the_point(double x = 1 - std::exp(-0.3)) { return 3 + (x - 3) * std::exp(-0.7); }

TEST(SystemEvents, HappenAtCommunicationPointsIfUnitsCannotGoBack) {
  graph::System s("lag");
  s.add("x", places::fmus() + "/fmi1/cs/LinearUnit.fmu").set("d", "0").set("x", "0");
  s.connect_value("1", "x.u");
  s.events.push_back({"fast", "x.x > 0.25", {set("x.u", "3")}});
  Simulation simulation(s, accurate(1, 0.1));
  const auto report = simulation.run({});
  EXPECT_NEAR(number(simulation, "x.x"), after_the_point(), 0.02) << "the FMU takes Euler steps";
  EXPECT_THAT(report.notes, Contains(AllOf(HasSubstr("communication point"), HasSubstr("because x cannot"))));
}

TEST(SystemEvents, HappenAtCommunicationPointsIfUnitsAreToSettleAlone) {
  graph::System s("lag");
  add_lag(s, "x", "0", "0");
  s.connect_value("1", "x.u");
  s.events.push_back({"fast", "x.x > 0.25", {set("x.u", "3")}});
  auto o = accurate(1, 0.1);
  o.run.events = graph::EventSettling::alone;
  Simulation simulation(s, o);
  const auto report = simulation.run({});
  EXPECT_NEAR(number(simulation, "x.x"), after_the_point(), 1e-7);
  EXPECT_THAT(report.notes, Contains(HasSubstr("'alone'")));
}

// --- bad input ------------------------------------------------------------------------------------------------------

TEST(SystemEvents, NameUnitsThatCannotSettleTogether) {
  graph::System s("ramp");
  s.add("x", places::fmus() + "/fmi1/cs/LinearUnit.fmu");
  auto o = accurate(1, 0.1);
  o.run.events = graph::EventSettling::together;
  EXPECT_THAT(error_of([&] { Simulation(s, o); }), AllOf(HasSubstr("because x cannot"), HasSubstr("together")));
}

TEST(SystemEvents, RefuseContradictingActions) {
  graph::System s("ramp");
  add_lag(s, "x", "0", "1");
  s.events.push_back({"one", "x.x > 0.25", {set("x.u", "3")}});
  s.events.push_back({"two", "x.x > 0.25", {set("x.u", "4")}});
  Simulation simulation(s, accurate(1, 0.1));
  simulation.initialize();
  EXPECT_THAT(error_of([&] {
                while (!simulation.done()) simulation.step();
              }),
              AllOf(HasSubstr("'one'"), HasSubstr("'two'"), HasSubstr("x.u"), HasSubstr("contradict")));
  s.events.pop_back();
  s.events[0].actions.push_back(set("x.u", "3"));
  EXPECT_THAT(error_of([&] { Simulation(s, accurate(1, 0.1)); }), AllOf(HasSubstr("'one'"), HasSubstr("twice")));
}

TEST(SystemEvents, NameAnExpressionWithoutAValue) {
  graph::System s("ramp");
  add_lag(s, "x", "0", "1");
  s.events.push_back({"one", "x.x > 0.25", {set("x.u", "1 / (x.u - 1)")}});
  Simulation simulation(s, accurate(1, 0.1));
  simulation.initialize();
  EXPECT_THAT(error_of([&] {
                while (!simulation.done()) simulation.step();
              }),
              AllOf(HasSubstr("'one'"), HasSubstr("division by zero")));
}

TEST(SystemEvents, NameEventsThatUndoEachOther) {
  graph::System s("ramp");
  add_lag(s, "x", "0", "1");
  add_lag(s, "flag", "0", "0");
  s.events.push_back({"up", "x.x > 0.25 and flag.x < 1", {set("flag.x", "2")}});
  s.events.push_back({"down", "flag.x > 1", {set("flag.x", "0")}});
  Simulation simulation(s, accurate(1, 0.1));
  simulation.initialize();
  EXPECT_THAT(error_of([&] {
                while (!simulation.done()) simulation.step();
              }),
              AllOf(HasSubstr("1000 rounds"), HasSubstr("'up'"), HasSubstr("'down'")));
}

TEST(SystemEvents, RefuseWhatAUnitCannotTake) {
  graph::System s("ramp");
  auto& x = s.add("x", places::fmus() + "/fmi2/LinearUnit.fmu");
  x.interface = describe::InterfaceType::co_simulation;
  s.events.push_back({"one", "x.x > 0.25", {set("x.x", "3")}});
  EXPECT_THAT(error_of([&] { Simulation(s, accurate(1, 0.1)); }),
              AllOf(HasSubstr("'x.x'"), HasSubstr("interface: me")));
  s.events[0].actions = {pulse("x.u", "3")};
  EXPECT_THAT(error_of([&] { Simulation(s, accurate(1, 0.1)); }), AllOf(HasSubstr("'x.u'"), HasSubstr("event mode")));
}

}  // namespace
}  // namespace consort::engine
