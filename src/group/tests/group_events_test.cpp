// Events of groups, against sequences that were derived by hand.
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../models/counter.hpp"
#include "../../../models/impulse_ball.hpp"
#include "../../../models/linear_unit.hpp"
#include "../../../models/pendulum.hpp"
#include "../../../models/relay.hpp"
#include "../../../models/sampled_pi.hpp"
#include "group/tests/group_rig.hpp"
#include "solve/tests/allocations.hpp"

namespace consort::group {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = graph::EventAction::Kind;

graph::EventAction set(const std::string& target, const std::string& value) { return {Kind::set, target, value}; }
graph::EventAction pulse(const std::string& target, const std::string& value) { return {Kind::pulse, target, value}; }

// Times at which `change` gives another value, found with steps that stop at events.
template <class T = double>
std::vector<Time> times_of(unit::Unit& unit, const std::string& name, Time from, Time to) {
  std::vector<Time> times;
  auto* const events = unit.events();
  for (Time t = from; t < to - 1e-12;) {
    const auto outcome = unit.step({.t = t, .h = to - t, .stop_at_event = true});
    t = outcome.reached;
    if (outcome.why != unit::Why::event) continue;
    const T just_before = value<T>(unit, name);
    events->enter_event_mode();
    while (events->update().repeat) {
    }
    events->leave_event_mode();
    if (value<T>(unit, name) != just_before) times.push_back(t);
  }
  return times;
}

void expect_times(const std::vector<Time>& found, const std::vector<Time>& wanted, double tolerance) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], tolerance);
}

// The input u of the group, which switches its relay every second time.
void set_value_again(unit::Unit& unit, int i) {
  static const auto set = signal(unit, "u");
  static Columns columns = set.make_columns();
  columns.column<double>()[0] = i % 4 < 2 ? 2 : -2;
  unit.set(set, columns);
}

// Without gravity: a comes from below and hits b at t = 1; b comes back from its wall at t = 3 and hits a at t = 5.
GroupRig two_balls() {
  GroupRig rig;
  rig.add<ImpulseBall>("a").set("g", "0").set("floor", "-100").set("h", "0").set("v", "1").set("m", "2");
  rig.add<ImpulseBall>("b").set("g", "0").set("floor", "-100").set("h", "1").set("v", "0").set("m", "2");
  rig.system.events.push_back(
      {"hit", "a.h >= b.h", {pulse("a.J", "2 [kg] * (b.v - a.v)"), pulse("b.J", "2 [kg] * (a.v - b.v)")}});
  rig.system.events.push_back({"wall", "b.h > 3 [m]", {set("b.v", "-b.v")}});
  return rig;
}

TEST(GroupEvents, ExchangeMomentumAcrossUnits) {
  for (const char* const solver : {"bdf", "dopri5", "cvode"}) {
    auto rig = two_balls();
    const auto unit = rig.unit(solver);
    expect_times(times_of(*unit, "a.v", 0, 6), {1, 5}, 1e-9);
    EXPECT_NEAR(value(*unit, "a.v"), -1, 1e-9);
    EXPECT_NEAR(value(*unit, "a.h"), 0, 1e-8);
    EXPECT_NEAR(value(*unit, "b.v"), 0, 1e-9);
    EXPECT_NEAR(value(*unit, "b.h"), 1, 1e-8);
    EXPECT_EQ(value(*unit, "a.J"), 0) << "a pulse lasts for one round";
  }
}

TEST(GroupEvents, HitWallsAtTheTimesOfOneModel) {
  constexpr double quarter = std::numbers::pi / 2;
  GroupRig rig;
  rig.add<Pendulum>("left").set("x_pivot", "-2").set("theta", fmt::format("{}", quarter));
  rig.add<Pendulum>("right").set("x_pivot", "2").set("theta", fmt::format("{}", -quarter));
  auto& system = rig.system;
  system.connect_value("-1 [N/m] * (left.x - right.x)", "left.F_x");
  system.connect_value("1 [N/m] * (left.x - right.x)", "right.F_x");
  system.connect_value("-1 [N/m] * (left.y - right.y)", "left.F_y");
  system.connect_value("1 [N/m] * (left.y - right.y)", "right.F_y");
  system.events.push_back({"left wall", "left.x < left.x_pivot", {set("left.omega", "-left.omega")}});
  system.events.push_back({"right wall", "right.x > right.x_pivot + 0.3 [m]", {set("right.omega", "-right.omega")}});
  expect_times(times_of(*rig.unit("bdf", 1e-9), "left.omega", 0, 5), {0.618559, 1.852925, 3.075367, 4.280139}, 1e-5);
  rig.model.reset();
  expect_times(times_of(*rig.unit("bdf", 1e-9), "right.omega", 0, 5), {0.706324, 2.113591, 3.503137, 4.875953}, 1e-5);
}

// x[k+1] = e^-T x[k] + (1 - e^-T) u[k]; u[k] = kp (r - x[k]) + ki (I[k] + (r - x[k]) T).
TEST(GroupEvents, SampleAContinuousPlant) {
  GroupRig rig;
  rig.add<SampledPi>("pi").set("setpoint", "1").set("period", "0.1").set("kp", "2").set("ki", "3");
  rig.add<LinearUnit>("plant").set("d", "0").set("x", "0");
  rig.system.connect("plant.x", "pi.measurement");
  rig.system.connect("pi.u", "plant.u");
  const auto unit = rig.unit("bdf", 1e-10);
  double x = 0, integral = 0;
  for (int k = 0; k < 20; ++k) {
    integral += (1 - x) * 0.1;
    const double u = 2 * (1 - x) + 3 * integral;
    x = std::exp(-0.1) * x + (1 - std::exp(-0.1)) * u;
    static_cast<void>(unit->step({0.1 * k, 0.1}));
    EXPECT_EQ(value<std::int64_t>(*unit, "pi.ticks"), k + 2) << "also the one at the end of the step";
    EXPECT_NEAR(value(*unit, "plant.x"), x, 1e-7);
  }
}

// A thermostat: ẋ = -x + 2 y, on at or below 0.5, off at or above 1 (the relay is inverted by its values).
TEST(GroupEvents, SwitchARelayOnItsOwnPlant) {
  GroupRig rig;
  rig.add<Relay>("relay").set("lower", "0.5").set("upper", "1").set("y_on", "0").set("y_off", "1").set("is_on", "true");
  rig.add<LinearUnit>("plant").set("d", "0").set("x", "0.75");
  rig.system.connect("plant.x", "relay.u");
  rig.system.connect_value("2 * relay.y", "plant.u");
  const double first = std::log(0.75 / 0.5);              // falls to 0.5
  const double up = std::log(1.5), down = std::log(2.0);  // 2 - 1.5 e^-t = 1; e^-t = 0.5
  const auto unit = rig.unit("bdf", 1e-9);
  expect_times(times_of<Bool>(*unit, "relay.on", 0, 4),
               {first, first + up, first + up + down, first + 2 * up + down, first + 2 * (up + down),
                first + 3 * up + 2 * down, first + 3 * (up + down)},
               1e-6);
}

// A ramp crosses the threshold of a counter, whose count is the condition that triggers another counter.
TEST(GroupEvents, CountEdgesThroughSeveralUnits) {
  GroupRig rig;
  rig.add<LinearUnit>("ramp").set("d", "0").set("x", "0");
  rig.add<Counter>("first").set("threshold", "0.5");
  rig.add<Counter>("second");
  rig.system.connect_value("ramp.x + 1", "ramp.u");  // ẋ = 1
  rig.system.connect("ramp.x", "first.u");
  rig.system.connect_value("first.count >= 1", "second.trigger");
  const auto unit = rig.unit();
  run(*unit, 0, 0.4);
  EXPECT_EQ(value<std::int32_t>(*unit, "first.count"), 0);
  EXPECT_EQ(value<std::int32_t>(*unit, "second.count"), 0);
  run(*unit, 0.4, 0.6);
  EXPECT_EQ(value<std::int32_t>(*unit, "first.count"), 1);
  EXPECT_EQ(value<std::int32_t>(*unit, "second.count"), 1) << "in the round after that of the first one";
}

TEST(GroupEvents, EvaluateAllRightSidesBeforeTheyAssign) {
  GroupRig rig;
  rig.add<LinearUnit>("a").set("d", "0").set("x", "1");
  rig.add<LinearUnit>("b").set("d", "0").set("x", "3");
  rig.system.connect_value("a.x", "a.u");  // constant
  rig.system.connect_value("b.x", "b.u");
  rig.system.events.push_back({"swap", "time > 0.5 [s]", {set("a.x", "b.x"), set("b.x", "a.x")}});
  const auto unit = rig.unit();
  run(*unit, 0, 1, 0.1);
  EXPECT_NEAR(value(*unit, "a.x"), 3, 1e-9);
  EXPECT_NEAR(value(*unit, "b.x"), 1, 1e-9);
}

// A state behind an array of states.
struct Sized {
  std::uint64_t n = 4;
  std::array<double, 8> a{}, der_a{};
  double b = 1, der_b = 0;

  static constexpr auto describe() {
    using M = Sized;
    using namespace consort::model;
    return declare({.description = "states of a chosen number"}, structural_parameter<&M::n>("size").between(1, 8),
                   state<&M::a, &M::der_a>("array").output().sized_by<&M::n>(),
                   state<&M::b, &M::der_b>("scalar").output());
  }
  void derivatives() { der_a[0] = b; }
};

TEST(GroupEvents, SetAStateBehindAnArrayWhoseSizeWasChosen) {
  GroupRig rig;
  rig.add<Sized>("unit").set("n", "2");
  rig.system.events.push_back({"jump", "time > 0.5 [s]", {set("unit.b", "3"), set("unit.a[2]", "7")}});
  const auto unit = rig.unit();
  run(*unit, 0, 1, 0.1);
  const auto array = signal(*unit, "unit.a");
  Columns columns = array.make_columns();
  unit->get(array, columns);
  EXPECT_THAT(columns.column<double>(), ElementsAre(DoubleNear(0.5 + 3 * 0.5, 1e-8), 7));
  EXPECT_EQ(value(*unit, "unit.b"), 3);

  const auto& d = unit->description();
  const ValueReference known = d.require_variable("unit.b"), unknown = d.require_variable("unit.der(a)");
  const double seed = 1;
  std::vector<double> rates(2);
  unit->derivatives()->directional(std::span(&unknown, 1), std::span(&known, 1), std::span(&seed, 1), rates);
  EXPECT_NEAR(rates[0], 1, 1e-9) << "by differences";
  EXPECT_EQ(rates[1], 0);
}

TEST(GroupEvents, HoldASetInputUntilItIsReleased) {
  GroupRig rig;
  rig.add<LinearUnit>("a").set("d", "0").set("x", "1");
  rig.add<LinearUnit>("source").set("d", "0").set("x", "5");
  rig.system.connect_value("source.x", "source.u");
  rig.system.connect("source.x", "a.u");
  rig.system.events.push_back({"off", "time >= 1 [s]", {set("a.u", "0")}});
  rig.system.events.push_back({"on", "time >= 2 [s]", {{Kind::release, "a.u", {}}}});
  const auto unit = rig.unit("bdf", 1e-10);
  run(*unit, 0, 3, 0.1);
  const double at_1 = 5 - 4 * std::exp(-1.0);
  const double at_2 = at_1 * std::exp(-1.0);
  EXPECT_NEAR(value(*unit, "a.x"), 5 + (at_2 - 5) * std::exp(-1.0), 1e-8);
}

TEST(GroupEvents, DoNotHappenIfTheirConditionIsTrueAtTheStart) {
  GroupRig rig;
  rig.add<LinearUnit>("a").set("d", "0").set("x", "1");
  rig.system.connect_value("a.x", "a.u");
  rig.system.events.push_back({"at once", "a.x > 0", {set("a.x", "7")}});
  const auto unit = rig.unit();
  run(*unit, 0, 1, 0.1);
  EXPECT_NEAR(value(*unit, "a.x"), 1, 1e-9);
}

TEST(GroupEvents, RepeatThemselvesAfterARestore) {
  auto rig = two_balls();
  const auto unit = rig.unit();
  run(*unit, 0, 0.9, 0.1);
  const auto saved = unit->rollback()->save();
  run(*unit, 0.9, 4, 0.1);
  const double h = value(*unit, "b.h"), v = value(*unit, "b.v");
  EXPECT_NEAR(v, -1, 1e-9);
  unit->rollback()->restore(*saved);
  run(*unit, 0.9, 4, 0.1);
  EXPECT_EQ(value(*unit, "b.h"), h);
  EXPECT_EQ(value(*unit, "b.v"), v);
}

// Also with inputs that events set, discrete inputs from outside, and a reinitialised state.
TEST(GroupEvents, AllocateNothing) {
  auto rig = two_balls();
  rig.add<Relay>("relay");
  rig.input("u");
  rig.system.connect("u", "relay.u");
  rig.system.connectors.push_back({"gap", describe::Causality::output});
  rig.system.connect_value("b.h - a.h", "gap");
  const auto unit = rig.unit();
  const auto set = signal(*unit, "gap");
  Columns columns = set.make_columns();
  const auto round = [&](int i) {
    set_value_again(*unit, i);
    unit->events()->enter_event_mode();
    while (unit->events()->update().repeat) {
    }
    unit->events()->leave_event_mode();
    unit->get(set, columns);
  };
  for (int i = 0; i < 4; ++i) round(i);
  const auto before = allocations();
  for (int i = 0; i < 50; ++i) round(i);
  EXPECT_EQ(allocations(), before);
}

TEST(GroupEvents, EndTheRun) {
  GroupRig rig;
  rig.add<LinearUnit>("a").set("d", "0").set("x", "1");
  rig.system.connect_value("2 * a.x", "a.u");  // ẋ = x
  rig.system.events.push_back({"limit", "a.x > 2", {{Kind::stop, {}, "too high"}}});
  const auto unit = rig.unit("bdf", 1e-9);
  const auto outcome = unit->step({0, 5});
  EXPECT_EQ(outcome.why, unit::Why::terminate);
  EXPECT_NEAR(outcome.reached, std::log(2.0), 1e-7);
}

TEST(GroupEvents, RefuseWhatTheyCannotDo) {
  const auto with = [](graph::SystemEvent event) {
    auto rig = two_balls();
    rig.system.events = {std::move(event)};
    return refusal([&] { rig.compile(); });
  };
  EXPECT_THAT(with({"e", "a.h > nobody.x", {set("a.v", "1")}}), HasSubstr("nobody.x"));
  EXPECT_THAT(with({"e", "a.h > 1 [s]", {set("a.v", "1")}}), AllOf(HasSubstr("m"), HasSubstr("s")));
  EXPECT_THAT(with({"e", "a.h", {set("a.v", "1")}}), HasSubstr("condition"));
  EXPECT_THAT(with({"e", "2 > 1", {set("a.v", "1")}}), HasSubstr("always true"));
  EXPECT_THAT(with({"e", "a.h > 1", {set("c.v", "1")}}), HasSubstr("c.v"));
  EXPECT_THAT(with({"e", "a.h > 1", {set("a.bounces", "1")}}),
              AllOf(HasSubstr("a.bounces"), HasSubstr("cannot be set")));
  EXPECT_THAT(with({"e", "a.h > 1", {pulse("a.v", "1")}}), AllOf(HasSubstr("a.v"), HasSubstr("state")));
}

// Each event makes the condition of the other one true.
TEST(GroupEvents, NameEventsThatDoNotSettle) {
  GroupRig rig;
  rig.add<LinearUnit>("a").set("d", "0").set("x", "0");
  rig.system.connect_value("a.x + 1", "a.u");  // ẋ = 1
  rig.system.events.push_back({"back", "a.x > 1", {set("a.x", "-2")}});
  rig.system.events.push_back({"forth", "a.x < -1", {set("a.x", "2")}});
  EXPECT_THAT(refusal([&] { run(*rig.unit(), 0, 2, 0.1); }),
              AllOf(HasSubstr("do not settle"), HasSubstr("back"), HasSubstr("forth")));
}

}  // namespace
}  // namespace consort::group
