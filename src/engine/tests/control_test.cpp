// Variable communication steps: counts of the quarter car, orders of estimates, and what units cannot do.
#include <cmath>
#include <memory>

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "record/result.hpp"
#include "systems.hpp"
#include "unit/linear_unit.hpp"

namespace consort::engine {
namespace {

using testing::options;
using unit::LinearSystem;
using unit::LinearUnit;

// methods.md, A-5.3: chassis and wheel, coupled by displacements and velocities.
LinearSystem chassis() {
  const double m = 400, k = 15000, d = 1000;
  return {{"z_w", "v_w"}, {"z", "v"}, {0, 0}, {0, 1, -k / m, -d / m}, {0, 0, k / m, d / m}, {1, 0, 0, 1}};
}
LinearSystem wheel() {
  const double m = 40, k = 15000, d = 1000, tyre = 150000, road = 0.1;
  return {{"z_c", "v_c"},       {"z", "v"},   {0, 0}, {0, 1, -(k + tyre) / m, -d / m},
          {0, 0, k / m, d / m}, {1, 0, 0, 1}, {},     {0, tyre * road / m}};
}

std::shared_ptr<Library> parts(LinearSystem first, LinearSystem second) {
  auto all = std::make_shared<Library>();
  all->add("first", [first](const std::string& name) { return std::make_unique<LinearUnit>(name, first); });
  all->add("second", [second](const std::string& name) { return std::make_unique<LinearUnit>(name, second); });
  return all;
}

graph::System car() {
  graph::System s;
  s.name = "quarter car";
  s.add("chassis", "model:first");
  s.add("wheel", "model:second");
  s.connect("wheel.z", "chassis.z_w");
  s.connect("wheel.v", "chassis.v_w");
  s.connect("chassis.z", "wheel.z_c");
  s.connect("chassis.v", "wheel.v_c");
  return s;
}

SimulationOptions controlled(const std::string& controller, int order, double tolerance) {
  auto o = options(1, 1e-3);
  o.run.extrapolation = order;
  o.run.control.controller = controller;
  o.run.control.tolerance = tolerance;
  return o;
}

struct Counts {
  std::uint64_t accepted, rejected;
};

SystemReport run(const SimulationOptions& o, record::Result* result = nullptr) {
  Simulation s(car(), o, parts(chassis(), wheel()));
  record::Result unused;
  record::MemorySink memory(result != nullptr ? *result : unused);
  record::Sink* const sinks[] = {&memory};
  return s.run(sinks);
}

class QuarterCar : public ::testing::TestWithParam<std::pair<int, Counts>> {};

TEST_P(QuarterCar, TakesTheStepsOfTheReferenceScheme) {
  const auto [order, expected] = GetParam();
  auto o = controlled("richardson", order, 1e-4);
  o.run.control.divisor = graph::StepControl::Divisor::equal_steps;
  const auto report = run(o);
  EXPECT_NEAR(static_cast<double>(report.steps), static_cast<double>(expected.accepted),
              0.05 * static_cast<double>(expected.accepted));
  EXPECT_NEAR(static_cast<double>(report.rejected), static_cast<double>(expected.rejected),
              0.05 * static_cast<double>(expected.rejected));
}
INSTANTIATE_TEST_SUITE_P(Orders, QuarterCar,
                         ::testing::Values(std::pair(0, Counts{363, 14}), std::pair(1, Counts{98, 12}),
                                           std::pair(2, Counts{59, 7})));

}  // namespace
}  // namespace consort::engine
