// Through the public headers alone, as a program of somebody else sees them.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <consort/system.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/places.hpp"
#include "common.hpp"

namespace {

using consort::api_tests::error_of;
using consort::api_tests::fmu;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

consort::System quarter_car() {
  consort::System car("quarter_car");
  car.add("wheel", fmu("fmi2/QuarterCarWheel")).add("chassis", fmu("fmi3/QuarterCarChassis"));
  car.connect("wheel.z", "chassis.z_wheel").connect("wheel.v", "chassis.v_wheel");
  car.connect("chassis.z", "wheel.z_chassis").connect("chassis.v", "wheel.v_chassis");
  car.settings().threads = 1;
  return car;
}

const consort::RunOptions short_run{.stop = 0.5, .step = 1e-3};

TEST(PublicSystem, RunsAndGivesNamesUnitsAndValues) {
  const auto result = quarter_car().run(short_run);
  EXPECT_EQ(result.time().size(), 501U);
  EXPECT_THAT(result.names(), ::testing::Contains("chassis.z"));
  EXPECT_EQ(result.unit("chassis.force"), "N");
  EXPECT_GT(result["wheel.z"].back(), 0.05) << "the wheel goes up the step of 0.1 m";
  EXPECT_THAT(result.report(), Not(IsEmpty()));
}

// Two pendula that are solved together; values of methods.md on groups.
consort::System pendula(const std::string& name) {
  consort::System pair(name);
  pair.solver("bdf", 1e-8);
  pair.add("left", fmu("fmi2/Pendulum"), {.interface_type = "me", .start_values = {{"x_pivot", "-2"}}});
  pair.add("right", "model:pendulum", {.start_values = {{"x_pivot", "2"}}});
  pair.set("left.theta", "90", "deg").set("right.theta", "-90", "deg").parameter("k", 1, "N/m");
  const std::string w = "1 [m/s2] * sin(time * 1 [rad/s])";
  pair.connect_value("-k * (left.x - right.x)", "left.F_x").connect_value("k * (left.x - right.x)", "right.F_x");
  pair.connect_value("-k * (left.y - right.y)", "left.F_y").connect_value("k * (left.y - right.y)", "right.F_y");
  pair.connect_value(w, "left.u_pivot").connect_value(w, "right.u_pivot");
  pair.output("gap", "right.x - left.x", "m");
  return pair;
}

TEST(PublicSystem, WithASolverIsOneUnitWhoseVariablesKeepTheirNames) {
  const auto pair = pendula("pendula");
  auto all = pair;
  all.settings().record.variables = {"*"};
  const auto result = all.run({.stop = 5, .step = 0.01});
  EXPECT_NEAR(result["left.theta"].back(), -0.91921176, 1e-5);
  EXPECT_NEAR(result["right.omega"].back(), 1.32913196, 1e-5);
  EXPECT_NEAR(result["gap"].back(), result["right.x"].back() - result["left.x"].back(), 1e-12);
  EXPECT_THAT(result.report(), HasSubstr("group of 2 units, bdf"));
  EXPECT_NE(pair.run({.stop = 5, .step = 0.01, .set = {{"k", "2"}}})["gap"].back(), result["gap"].back());

  consort::Simulation simulation(pair, {.stop = 5, .step = 0.01});
  EXPECT_THAT(simulation.names(), ::testing::Contains("left.theta"));
  EXPECT_EQ(simulation.variable("gap").unit, "m");
  simulation.set("left.theta", 0.25);
  simulation.initialize();
  EXPECT_EQ(simulation.value("left.theta"), 0.25);

  // Inside of another system.
  consort::System rig("rig");
  rig.add("pendula", pair);
  rig.settings().record.variables = {"pendula.left.theta"};
  EXPECT_EQ(rig.run({.stop = 5, .step = 0.01})["pendula.left.theta"].back(), result["left.theta"].back());
}

TEST(PublicSystem, RefusesWrongExpressionsAndNamesThem) {
  const auto message = [](auto change) {
    auto pair = pendula("pendula");
    return error_of([&] {
      change(pair);
      static_cast<void>(pair.run({.stop = 0.1, .step = 0.01}));
    });
  };
  EXPECT_THAT(message([](auto& p) { p.connect_value("2 * left.xx", "left.torque"); }), HasSubstr("left.xx"));
  EXPECT_THAT(message([](auto& p) { p.connect_value("1", "left.F_x"); }), HasSubstr("left.F_x"));
  EXPECT_THAT(message([](auto& p) { p.parameter("k", 2); }), HasSubstr("'k'"));
  EXPECT_THAT(message([](auto& p) { p.solver("bdf", -1); }), HasSubstr("must be > 0"));
  EXPECT_THAT(message([](auto& p) { p.solver("bfd"); }), HasSubstr("bdf"));
}

TEST(PublicSystem, SteppedByHandGivesTheNumbersOfARun) {
  const auto car = quarter_car();
  const auto result = car.run(short_run);
  consort::Simulation simulation(car, short_run);
  simulation.initialize();
  std::size_t row = 0;
  while (!simulation.done()) {
    simulation.step();
    ++row;
    ASSERT_EQ(simulation.time(), result.time()[row]);
    ASSERT_EQ(simulation.value("wheel.z"), result["wheel.z"][row]);
  }
  EXPECT_EQ(row + 1, result.time().size());
  EXPECT_EQ(simulation.stop_time(), 0.5);
  EXPECT_EQ(simulation.step_size(), 1e-3);
  simulation.terminate();
}

TEST(PublicSystem, TakesStartValuesFromEverySideAndTheOptionsWin) {
  auto system = consort::System("decay").add("a", fmu("fmi2/Dahlquist"), {.start_values = {{"k", "2"}}});
  const auto k = [](const consort::System& s, const consort::RunOptions& o) {
    consort::Simulation simulation(s, o);
    simulation.initialize();
    return simulation.value("a.k");
  };
  EXPECT_EQ(k(system, {}), 2);
  system.set("a.k", 3);
  EXPECT_EQ(k(system, {}), 3);
  EXPECT_EQ(k(system, {.set = {{"a.k", "4"}}}), 4);
}

TEST(PublicSystem, IsCopiedWhole) {
  consort::System one("one");
  one.add("a", fmu("fmi2/Dahlquist"));
  consort::System two = one;
  two.add("b", fmu("fmi2/Dahlquist"));
  EXPECT_THAT(one.units(), ElementsAre("a"));
  EXPECT_THAT(two.units(), ElementsAre("a", "b"));
  one = two;
  EXPECT_THAT(one.units(), ElementsAre("a", "b"));
}

TEST(PublicSystem, HoldsSystemsInsideOfSystems) {
  consort::System inner;
  inner.add("x", fmu("fmi3/Dahlquist"));
  const auto outer = consort::System("outer").add("front", inner).add("rear", inner).set("rear.x.k", 2);
  const auto result = outer.run({.stop = 1, .step = 0.1});
  EXPECT_GT(result["front.x.x"].back(), result["rear.x.x"].back());
}

TEST(PublicSystem, ConnectsThroughAFactorAndAnOffset) {
  auto system = consort::System("scaled").add("a", fmu("fmi3/Feedthrough")).add("b", fmu("fmi3/Feedthrough"));
  system.connect("a.float64_out", "b.float64_in", -2, 1).set("a.float64_in", 3);
  consort::Simulation simulation(system, {.stop = 1, .step = 0.1});
  simulation.initialize();
  simulation.step();
  simulation.step();
  EXPECT_EQ(simulation.value("b.float64_out"), -5);
}

TEST(PublicSystem, IsReadFromAFile) {
  const std::filesystem::path folder = consort::places::scratch() + "/public_system";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "decay.yaml") << "consort: 1\nunits:\n  a: " << fmu("fmi2/Dahlquist")
                                       << "\nexperiment: {stop: 2, step: 0.5}\n";
  const auto system = consort::System::load(folder / "decay.yaml");
  EXPECT_EQ(system.run().time().size(), 5U);
  EXPECT_EQ(system.run({.stop = 1}).time().size(), 3U);
  EXPECT_EQ(system.settings().stop, 2);
  EXPECT_THAT(error_of([&] { (void)consort::System::load(folder / "none.yaml"); }), HasSubstr("none.yaml"));
  EXPECT_THAT(error_of([&] { (void)consort::System::load("car.txt"); }), HasSubstr(".yaml"));
}

TEST(PublicSystem, TakesAToleranceInsteadOfAStep) {
  auto car = quarter_car();
  auto& settings = car.settings();
  auto& control = settings.control;
  control.controller = "richardson";
  settings.extrapolation = "1";
  settings.tolerance = 1e-8;
  const auto steps = [&](double tolerance) {
    control.tolerance = tolerance;
    const auto result = car.run(short_run);
    EXPECT_THAT(result.report(), HasSubstr("coupling error"));
    EXPECT_EQ(result.time().back(), 0.5);
    return static_cast<double>(result.time().size());
  };
  // By a name, too.
  const double lines = steps(1e-4);
  settings.extrapolation = "poly-2";
  EXPECT_EQ(steps(1e-4), lines);
  settings.extrapolation = "hermite-2";
  EXPECT_LT(steps(1e-4), lines);
  settings.extrapolation = "1";
  // Inputs of order 1: steps go with the third root of the tolerance.
  EXPECT_NEAR(steps(1e-5) / steps(1e-4), std::cbrt(10.0), 0.5);
  // Each step has a share of the tolerance, which takes one order.
  control.tolerance_for = consort::StepControl::ToleranceFor::run;
  EXPECT_NEAR(steps(1e-4) / steps(1e-3), std::sqrt(10.0), 0.5);
  control.tolerance = 0;
  EXPECT_THAT(error_of([&] { (void)car.run(short_run); }), HasSubstr("greater than 0"));
  control.controller = "richardsen";
  EXPECT_THAT(error_of([&] { (void)car.run(short_run); }), HasSubstr("richardson"));
}

TEST(PublicSystem, TakesSettingsAsASystemFileWritesThem) {
  auto car = quarter_car();
  car.configure("experiment: {stop: 20 ms, step: 1 ms}\nrun: {stepper: gauss-seidel, order: [chassis, wheel]}");
  car.configure(
      R"({"run": {"control": {"controller": "richardson", "safety": 0.8}}, "record": {"variables": ["wheel.z"]}})");
  EXPECT_EQ(car.settings().stop, 0.02);
  EXPECT_EQ(car.settings().stepper, "gauss-seidel") << "what a later text does not name stays";
  EXPECT_THAT(car.settings().order, ElementsAre("chassis", "wheel"));
  EXPECT_EQ(car.settings().control.safety, 0.8);
  EXPECT_THAT(car.run().names(), ElementsAre("wheel.z"));
  EXPECT_THAT(error_of([&] { car.configure("run: {control: {tolerance_for: week}}"); }), HasSubstr("step, run"));
  EXPECT_THAT(error_of([&] { car.configure("run: {iteration: {most: 3}}"); }), HasSubstr("'max_iterations' now"));
  EXPECT_THAT(error_of([&] { car.configure("units: {}"); }), HasSubstr("units"));
}

TEST(PublicSystem, KnowsPowerBonds) {
  consort::System car("by_force");
  car.add("wheel", fmu("fmi2/QuarterCarWheelForce")).add("chassis", fmu("fmi3/QuarterCarChassis"));
  car.connect("wheel.z", "chassis.z_wheel").connect("wheel.v", "chassis.v_wheel");
  car.connect("chassis.force", "wheel.force");
  auto bonded = car;
  bonded.bond("chassis.force", "wheel.v");
  EXPECT_THAT(bonded.run(short_run).report(), HasSubstr("chassis.force · wheel.v"));
  EXPECT_THAT(car.run(short_run).report(), Not(HasSubstr("·")));
  for (auto* const system : {&bonded, &car}) {
    system->settings().control.controller = "ecco";
    system->settings().control.tolerance = 1e-2;
  }
  EXPECT_NE(bonded.run(short_run).time().size(), 501U);
  EXPECT_THAT(error_of([&] { (void)car.run(short_run); }), HasSubstr("bond"));
  car.bond("chassis.force", "wheel.z");
  EXPECT_THAT(error_of([&] { (void)car.run(short_run); }), HasSubstr("system 'by_force': 'chassis.force' in N"));
}

TEST(PublicSystem, SuggestsTheNearestNames) {
  auto car = quarter_car();
  EXPECT_THAT(error_of([&] { car.connect("weel.z", "chassis.z_wheel"); }), HasSubstr("wheel"));
  EXPECT_THAT(error_of([&] { (void)car.run({.set = {{"chassis.mm", "1"}}}); }), HasSubstr("'m'"));
  auto misspelt = car;
  misspelt.settings().stepper = "jakobi";
  EXPECT_THAT(error_of([&] { (void)misspelt.run(); }), HasSubstr("jacobi"));
  EXPECT_THAT(error_of([&] { car.add("wheel", "other.fmu"); }), HasSubstr("wheel"));
  EXPECT_THAT(error_of([&] { car.add("third", "other.fmu", {.interface_type = "x"}); }), HasSubstr("me (Model"));
  EXPECT_THAT(car.units(), ElementsAre("wheel", "chassis")) << "what was refused left nothing behind";
  consort::Simulation simulation(car, short_run);
  simulation.initialize();
  EXPECT_THAT(error_of([&] { (void)simulation.value("chassis.forse"); }), HasSubstr("force"));
  EXPECT_THAT(error_of([&] { (void)simulation.variable("chasis.force"); }), HasSubstr("chassis"));
}

TEST(PublicSystem, KeepsTheRowsUpToAFailure) {
  auto system = consort::System("bad").add("bad", fmu("fmi2/Bad"), {.start_values = {{"deed", "error"}}});
  try {
    (void)system.run({.stop = 1, .step = 0.1});
    FAIL() << "it should have failed";
  } catch (const consort::FailedRun& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("bad"));
    EXPECT_GE(failure.result().time().size(), 4U);
    EXPECT_EQ(failure.result()["bad.y"].size(), failure.result().time().size());
  }
}

TEST(PublicSystem, RunsInSeveralThreadsAtOnce) {
  const auto car = quarter_car();
  const auto expected = car.run(short_run);
  std::vector<double> last(3);
  std::vector<std::thread> threads;
  for (auto& z : last) threads.emplace_back([&car, &z] { z = car.run(short_run)["chassis.z"].back(); });
  for (auto& t : threads) t.join();
  for (const double z : last) EXPECT_EQ(z, expected["chassis.z"].back());
}

// --- values by hand

class Values : public ::testing::Test {
 protected:
  Values() : simulation(consort::System("s").add("f", fmu("fmi3/Feedthrough")), {.stop = 1, .step = 0.1}) {}
  consort::Simulation simulation;
};

TEST_F(Values, PassThroughInEveryTypeExactly) {
  simulation.initialize();
  simulation.set("f.float64_in", 0.1);
  simulation.set("f.boolean_in", 1);
  simulation.set("f.int8_in", -128);
  const std::string large[] = {"9007199254740993"};  // 2^53 + 1 is no double
  simulation.set("f.int64_in", large);
  const std::string text[] = {"two words"};
  simulation.set("f.string_in", text);
  const std::string item[] = {"third"};
  simulation.set("f.enumeration_in", item);
  const double matrix[] = {6, 5, 4, 3, 2, 1};
  simulation.set("f.matrix_in", matrix);
  const std::string two[] = {"one of two", "two of two"};
  simulation.set("f.string_vector_in", two);
  simulation.step();
  EXPECT_EQ(simulation.value("f.float64_out"), 0.1);
  EXPECT_EQ(simulation.value("f.boolean_out"), 1);
  EXPECT_EQ(simulation.value("f.int8_out"), -128);
  EXPECT_THAT(simulation.texts("f.int64_out"), ElementsAre("9007199254740993"));
  EXPECT_THAT(simulation.texts("f.string_out"), ElementsAre("two words"));
  EXPECT_EQ(simulation.value("f.enumeration_out"), 3);
  EXPECT_THAT(simulation.values("f.matrix_out"), ElementsAre(6, 5, 4, 3, 2, 1));
  EXPECT_THAT(simulation.variable("f.matrix_out").shape, ElementsAre(2, 3));
  EXPECT_THAT(simulation.texts("f.string_vector_out"), ElementsAre("one of two", "two of two"));
}

TEST_F(Values, ThatDoNotFitAreRefusedNotChanged) {
  simulation.initialize();
  EXPECT_THAT(error_of([&] { simulation.set("f.int8_in", 128); }), HasSubstr("127"));
  EXPECT_THAT(error_of([&] { simulation.set("f.uint64_in", std::ldexp(1.0, 64)); }), HasSubstr("18446744073709551615"));
  EXPECT_THAT(error_of([&] { simulation.set("f.int64_in", std::numeric_limits<double>::quiet_NaN()); }),
              HasSubstr("whole number"));
  EXPECT_THAT(error_of([&] { simulation.set("f.int32_in", 0.5); }), HasSubstr("whole number"));
  EXPECT_THAT(error_of([&] { simulation.set("f.boolean_in", 2); }), HasSubstr("0 or 1"));
  EXPECT_THAT(error_of([&] { simulation.set("f.string_in", 2); }), HasSubstr("text"));
  const double three[] = {1, 2, 3};
  EXPECT_THAT(error_of([&] { simulation.set("f.float64_in", three); }), HasSubstr("1 value"));
  const std::string words[] = {"one", "2", "3"};
  EXPECT_THAT(error_of([&] { simulation.set("f.vector_in", words); }), HasSubstr("f.vector_in"));
  EXPECT_THAT(error_of([&] { (void)simulation.value("f.vector_in"); }), HasSubstr("array of 3"));
  EXPECT_THAT(error_of([&] { (void)simulation.values("f.string_in"); }), HasSubstr("text"));
  EXPECT_THAT(error_of([&] { simulation.set("f.fixed_parameter", 1); }), HasSubstr("cannot be set"));
}

TEST_F(Values, AreStartValuesBeforeInitialization) {
  EXPECT_THAT(error_of([&] { (void)simulation.value("f.fixed_parameter"); }), HasSubstr("initialize()"));
  EXPECT_THAT(error_of([&] { simulation.step(); }), HasSubstr("initialize()"));
  EXPECT_THAT(error_of([&] { simulation.set("f.n", 3); }), HasSubstr("sizes of arrays"));
  simulation.set("f.fixed_parameter", 5);
  simulation.initialize();
  EXPECT_EQ(simulation.value("f.fixed_parameter"), 5);
  EXPECT_THAT(error_of([&] { simulation.initialize(); }), HasSubstr("already"));
}

TEST(PublicSimulation, SetsTheSystemsOwnInputs) {
  auto system = consort::System("s").add("f", fmu("fmi3/Feedthrough"));
  system.connect("u", "f.float64_in");
  consort::Simulation simulation(system, {.stop = 1, .step = 0.1});
  EXPECT_EQ(simulation.names().front(), "u");
  EXPECT_EQ(simulation.variable("u").causality, "input");
  simulation.initialize();
  simulation.set("u", 7);
  EXPECT_EQ(simulation.value("u"), 7);
  simulation.step();
  EXPECT_EQ(simulation.value("f.float64_out"), 7);
  EXPECT_THAT(error_of([&] { simulation.set("f.float64_in", 1); }), HasSubstr("driven"));
}

}  // namespace
