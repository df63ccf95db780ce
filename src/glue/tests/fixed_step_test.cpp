#include "solve/fixed_step.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace consort::solve {
namespace {

// x' = cos(t) x, whose solution is exp(sin(t)).
struct System {
  std::vector<double> x{1.0};
  double fail_after = 1e9;
  [[nodiscard]] std::size_t size() const { return x.size(); }
  void read(double* to) const { to[0] = x[0]; }
  void write(const double* from) { x[0] = from[0]; }
  void rates(double t, double* dx) {
    if (t > fail_after) throw std::runtime_error("as demanded");
    dx[0] = std::cos(t) * x[0];
  }
};

double error_with(FixedStep method, int steps) {
  System system;
  std::vector<double> work(step_work);
  const double h = 1.0 / steps;
  for (int i = 0; i < steps; ++i) fixed_step(method, system, i * h, h, work.data());
  return std::abs(system.x[0] - std::exp(std::sin(1.0)));
}

// Halving the step divides the error by two to the order; the tolerance allows for higher-order terms.
void expect_order(FixedStep method, double order) {
  const double observed = std::log2(error_with(method, 20) / error_with(method, 40));
  EXPECT_NEAR(observed, order, 0.2);
}

TEST(FixedStep, HasTheOrderOfItsMethod) {
  expect_order(FixedStep::euler, 1);
  expect_order(FixedStep::heun, 2);
  expect_order(FixedStep::rk4, 4);
}

TEST(FixedStep, LeavesTheStatesItStartedFromInItsWorkWhenTheSystemThrows) {
  for (const FixedStep method : {FixedStep::heun, FixedStep::rk4}) {
    System system;
    system.x[0] = 3.5;
    system.fail_after = 0.01;
    std::vector<double> work(step_work);
    EXPECT_THROW(fixed_step(method, system, 0, 0.1, work.data()), std::runtime_error);
    EXPECT_EQ(work[0], 3.5);
  }
}

TEST(Bisect, EndsJustAfterTheChange) {
  for (const double change : {1e-9, 0.3, 0.5, 1.0}) {
    const double found = bisect([&](double part) { return part >= change; }, 1e-12);
    EXPECT_GE(found, change);
    EXPECT_LE(found - change, 1e-12);
  }
}

}  // namespace
}  // namespace consort::solve
