// Variable communication steps together with other steppers, events of units, and units of measure.
#include <cmath>
#include <filesystem>
#include <string>
#include <tuple>

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "quarter_car.hpp"
#include "record/result.hpp"
#include "systems.hpp"

namespace consort::engine::control_combinations_test {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

const fs::path fmus = places::fmus();

SimulationOptions richardson(const std::string& stepper, int order, double tolerance) {
  auto o = controlled("richardson", order, tolerance);
  o.run.stepper = stepper;
  o.run.iteration.tolerance = 1e-3 * tolerance;
  return o;
}

struct Run {
  report::SystemReport report;
  record::Result result;
};

Run run(const graph::System& system, const SimulationOptions& o) {
  Run r;
  Simulation s(system, o, parts(chassis(), wheel()));
  record::MemorySink memory(r.result);
  record::Sink* const sinks[] = {&memory};
  r.report = s.run(sinks);
  return r;
}

// The car as one system: z and v of the chassis, z and v of the wheel.
LinearSystem whole(std::vector<double> start) {
  const double m = 400, n = 40, k = 15000, d = 1000, tyre = 150000, road = 0.1;
  return {{},
          {"zc", "vc", "zw", "vw"},
          std::move(start),
          {0, 1, 0, 0, -k / m, -d / m, k / m, d / m, 0, 0, 0, 1, k / n, d / n, -(k + tyre) / n, -d / n},
          {},
          {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
          {},
          {0, 0, 0, tyre * road / n}};
}

// The velocities after a step of the one system from row `i` of the result to the next row.
std::pair<double, double> exact_velocities(const record::Result& r, std::size_t i) {
  LinearUnit unit("whole", whole({r["chassis.z"].numbers[i], r["chassis.v"].numbers[i], r["wheel.z"].numbers[i],
                                  r["wheel.v"].numbers[i]}));
  unit.step({r.time[i], r.time[i + 1] - r.time[i], false});
  const std::vector<describe::VariableId> all{0, 1, 2, 3};
  const describe::SignalSet set(unit.description(), all);
  Columns columns = set.make_columns();
  unit.get(set, columns);
  return {columns.column<double>()[1], columns.column<double>()[3]};
}

// --- other steppers

class RichardsonOver : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(RichardsonOver, KeepsTheErrorWithinAHundredTolerances) {
  const auto& [stepper, order] = GetParam();
  double last = 1;
  for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
    // held inputs: the error is proportional to the root of the tolerance
    if (order == 0 && tolerance < 1e-4) continue;
    const auto r = run(car(), richardson(stepper, order, tolerance));
    const double error = error_at_end(r.result);
    EXPECT_LT(error, 100 * tolerance) << tolerance;
    EXPECT_LT(error, last);
    EXPECT_EQ(r.report.reached, 1);
    EXPECT_EQ(r.result.rows(), r.report.steps + 1);
    last = error;
  }
}

// Equal steps, as assumed by the divisor of steppers that use new values.
TEST_P(RichardsonOver, EstimatesTheErrorOfAStep) {
  const auto& [stepper, order] = GetParam();
  auto o = richardson(stepper, order, 1e9);
  o.run.iteration.tolerance = 1e-12;
  o.run.stop = 0.1;
  o.run.control.minimum = o.run.control.maximum = o.run.control.initial = 1e-3;
  o.run.record.variables = {"*"};
  const auto r = run(car(), o).result;
  double error = 0;
  double estimate = 0;
  for (std::size_t i = 20; i + 1 < r.rows(); ++i) {
    const auto [chassis, wheel] = exact_velocities(r, i);
    error += std::hypot(chassis - r["chassis.v"].numbers[i + 1], wheel - r["wheel.v"].numbers[i + 1]);
    estimate += std::hypot(r["trust.chassis.v"].numbers[i + 1], r["trust.wheel.v"].numbers[i + 1]);
  }
  EXPECT_NEAR(estimate / error, 1, 0.25);
}

INSTANTIATE_TEST_SUITE_P(All, RichardsonOver,
                         ::testing::Combine(::testing::Values("gauss-seidel", "iterated"), ::testing::Values(0, 1, 2)),
                         [](const auto& choice) {
                           return (std::get<0>(choice.param) == "iterated" ? "iterated_" : "gauss_seidel_") +
                                  std::to_string(std::get<1>(choice.param));
                         });

// --- outputs made consistent with inputs

// The wheel has feed-through: its output is the force of the spring between, so inputs change at communication points,
// too.
class ControlOfConsistentOutputs : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(ControlOfConsistentOutputs, EstimatesTheErrorOfAStep) {
  const auto& [controller, order] = GetParam();
  const double m = 400, n = 40, k = 15000, d = 1000, tyre = 150000, road = 0.1;
  const LinearSystem pushed{{"F"}, {"z", "v"}, {0, 0}, {0, 1, 0, 0}, {0, 1 / m}, {1, 0, 0, 1}};
  LinearSystem pushing = wheel();
  pushing.outputs = {"F", "z", "v"};
  pushing.a = {0, 1, -(k + tyre) / n, -d / n};
  pushing.c = {k, d, 1, 0, 0, 1};
  pushing.d = {-k, -d, 0, 0, 0, 0};
  pushing.offset = {0, tyre * road / n};
  pushing.answers_at_once = true;
  graph::System s;
  s.name = "car by force";
  s.add("chassis", "model:first");
  s.add("wheel", "model:second");
  s.connect("wheel.F", "chassis.F");
  s.connect("chassis.z", "wheel.z_c");
  s.connect("chassis.v", "wheel.v_c");
  auto o = controlled(controller, order, 1e9);
  o.run.stop = 0.1;
  o.run.control.minimum = o.run.control.maximum = o.run.control.initial = 1e-3;
  o.run.record.variables = {"*"};
  record::Result r;
  Simulation simulation(s, o, parts(pushed, pushing));
  record::MemorySink memory(r);
  record::Sink* const sinks[] = {&memory};
  static_cast<void>(simulation.run(sinks));
  double error = 0, estimate = 0;              // of the chassis' velocity
  double force_error = 0, force_estimate = 0;  // mostly that of the damper
  for (std::size_t i = 20; i + 1 < r.rows(); ++i) {
    const auto [chassis, wheel] = exact_velocities(r, i);
    const double missing = chassis - r["chassis.v"].numbers[i + 1];
    error += std::abs(missing);
    estimate += std::abs(r["trust.chassis.v"].numbers[i + 1]);
    force_error += std::abs(d * (wheel - r["wheel.v"].numbers[i + 1] - missing));
    force_estimate += std::abs(r["trust.wheel.F"].numbers[i + 1]);
  }
  EXPECT_NEAR(estimate / error, 1, 0.25);
  EXPECT_NEAR(force_estimate / force_error, 1, 0.25);
}

INSTANTIATE_TEST_SUITE_P(All, ControlOfConsistentOutputs,
                         ::testing::Combine(::testing::Values("richardson", "modified"), ::testing::Values(0, 1, 2)),
                         [](const auto& choice) {
                           return std::get<0>(choice.param) + "_" + std::to_string(std::get<1>(choice.param));
                         });

// --- iterations that do not converge

SimulationOptions impatient() {
  auto o = richardson("iterated", 1, 1e-2);
  o.run.control.absolute = 10;  // so that steps are rejected only because of the iteration
  o.run.iteration.method = "fixed-point";
  o.run.iteration.tolerance = 1e-8;
  o.run.iteration.max_iterations = 6;
  o.run.control.initial = 0.5;
  return o;
}

TEST(RichardsonOverIterated, TakesAStepThatDoesNotConvergeBack) {
  Simulation first(car(), impatient(), parts(chassis(), wheel()));
  first.initialize();
  first.step();
  ASSERT_GT(first.report().rejected, 0U);
  ASSERT_FALSE(first.report().iterations.empty());
  EXPECT_GT(first.report().iterations.front().failures, 0U);

  auto same = impatient();
  same.run.control.initial = first.time();
  Simulation second(car(), same, parts(chassis(), wheel()));
  second.initialize();
  second.step();
  EXPECT_EQ(second.report().rejected, 0U);
  for (int i = 0; i < 5; ++i) {
    for (const char* const path : {"chassis.z", "chassis.v", "wheel.z", "wheel.v"})
      EXPECT_EQ(number(first, path), number(second, path)) << path << i;
    EXPECT_EQ(first.time(), second.time());
    first.step();
    second.step();
  }
}

TEST(RichardsonOverIterated, ForgetsWhatRejectedStepsTaughtTheIteration) {
  auto o = richardson("iterated", 1, 1e-5);
  o.run.iteration.method = "iqn-ils";
  o.run.iteration.reuse = 3;
  o.run.control.initial = 0.3;
  Simulation first(car(), o, parts(chassis(), wheel()));
  first.initialize();
  first.step();
  ASSERT_GT(first.report().rejected, 0U);
  o.run.control.initial = first.time();
  Simulation second(car(), o, parts(chassis(), wheel()));
  second.initialize();
  second.step();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(number(first, "wheel.v"), number(second, "wheel.v")) << i;
    first.step();
    second.step();
  }
}

TEST(RichardsonOverIterated, SaysSoWhenNoStepConverges) {
  auto o = impatient();
  o.run.iteration.max_iterations = 1;
  o.run.control.minimum = 1e-3;
  try {
    (void)run(car(), o);
    FAIL() << "a run without convergence came to its end";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("does not converge"), HasSubstr("smallest step (0.001 s)")));
  }
}

// --- events announced by units

class ControlWithEvents : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(ControlWithEvents, LandsOnThem) {
  const auto& [controller, stepper] = GetParam();
  auto system = car();
  system.add("stair", fmus / "fmi3/Stair.fmu");
  auto o = controlled(controller, 1, 1e-3);
  o.run.stepper = stepper;
  o.run.stop = 3.5;
  const auto [report, r] = run(system, o);
  int landed = 0;
  for (std::size_t i = 0; i < r.rows(); ++i) {
    const double nearest = std::round(r.time[i]);
    if (nearest >= 1 && std::abs(r.time[i] - nearest) < 1e-9) ++landed;
    EXPECT_EQ(r["stair.counter"].numbers[i], 1 + std::floor(r.time[i] + 1e-9)) << r.time[i];
  }
  EXPECT_EQ(landed, 3);
  EXPECT_EQ(report.reached, 3.5);
}

INSTANTIATE_TEST_SUITE_P(All, ControlWithEvents,
                         ::testing::Values(std::tuple("richardson", "jacobi"), std::tuple("modified", "jacobi"),
                                           std::tuple("richardson", "gauss-seidel"),
                                           std::tuple("richardson", "iterated")));

// --- events inside steps that are not announced

class ControlOverEvents : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

// The ball bounces at its own times in its own steps: the car's control must neither fail there nor change them.
TEST_P(ControlOverEvents, GoesOn) {
  const auto& [controller, order] = GetParam();
  auto system = car();
  system.add("ball", fmus / "fmi3/BouncingBall.fmu");
  auto o = controlled(controller, order, 1e-4);
  o.run.stop = 3;
  const auto [report, r] = run(system, o);
  EXPECT_EQ(report.reached, 3);
  EXPECT_GT(report.rejected, 0U);
  EXPECT_LT(r["ball.h"].numbers.back(), 0.01);
  const auto alone = run(system, options(3, 1e-2));
  EXPECT_NEAR(r["ball.h"].numbers.back(), alone.result["ball.h"].numbers.back(), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(All, ControlOverEvents,
                         ::testing::Combine(::testing::Values("richardson", "modified"), ::testing::Values(0, 1, 3)),
                         [](const auto& choice) {
                           return std::get<0>(choice.param) + "_" + std::to_string(std::get<1>(choice.param));
                         });

// --- units of measure of bonds

graph::System by_force() {
  graph::System s("quarter car by force");
  s.add("chassis", fmus / "fmi2/QuarterCarChassis.fmu");
  s.add("wheel", fmus / "fmi2/QuarterCarWheelForce.fmu");
  s.connect("wheel.z", "chassis.z_wheel");
  s.connect("wheel.v", "chassis.v_wheel");
  s.connect("chassis.force", "wheel.force");
  return s;
}

TEST(PowerBondsOfFmus, MustMakeAPowerByTheirUnitsOfMeasure) {
  auto o = options(0.1, 1e-3);
  o.run.bonds = {{"chassis.force", "wheel.z", "car.yaml:7:5"}};
  try {
    const Simulation s(by_force(), o);
    FAIL() << "a force times a displacement was taken for a power";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("car.yaml:7:5"), HasSubstr("'chassis.force' in N"),
                                HasSubstr("'wheel.z' in m is not a power")));
  }
  o.run.bonds = {{"chassis.force", "wheel.v", "car.yaml:7:5"}};
  Simulation s(by_force(), o);
  const auto report = s.run({});
  ASSERT_EQ(report.bonds.size(), 1U);
  EXPECT_GT(report.bonds[0].carried, 1);
  EXPECT_LT(report.bonds[0].lost_or_made, report.bonds[0].carried);
}

}  // namespace
}  // namespace consort::engine::control_combinations_test
