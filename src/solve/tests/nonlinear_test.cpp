#include "solve/nonlinear.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace consort::solve {

namespace {

// F = k (x - 1), x = a F + 1e-3: a force that follows a position and a position that follows a force, in SI units.
FixedPoint stiff_pair(double k, double a) {
  FixedPoint p;
  p.size = 2;
  p.g = [=](std::span<const double> x, std::span<double> image) {
    image[0] = k * (x[1] - 1);
    image[1] = a * x[0] + 1e-3;
  };
  p.jacobian = [=](std::span<const double>, std::span<double> j) {
    j[0] = 0;
    j[1] = a;
    j[2] = k;
    j[3] = 0;
    return true;
  };
  return p;
}

TEST(Newton, SolvesLoopsWhoseUnknownsAreOfVeryDifferentSizes) {
  for (const double k : {1e3, 1e6, 1e9, 1e12}) {
    const double a = -0.5 / k;
    std::vector<double> x{0, 0};
    const auto outcome = find_nonlinear_method("newton").solve(stiff_pair(k, a), {1e-8, 20}, x);
    const double force = k * (1e-3 - 1) / (1 - k * a);
    EXPECT_TRUE(outcome.converged) << k;
    EXPECT_NEAR(x[0] / force, 1, 1e-12) << k;
  }
}

TEST(Newton, FindsOutThatALoopOfGainOneHasNoSolutionWhateverItsUnits) {
  for (const double k : {1.0, 1e6, 1e12}) {
    std::vector<double> x{0, 0};
    EXPECT_FALSE(find_nonlinear_method("newton").solve(stiff_pair(k, 1 / k), {1e-8, 20}, x).converged) << k;
  }
}

TEST(Newton, GetsOverAPointWhereNothingDependsOnAnUnknown) {
  FixedPoint p;  // x = 1e6 (1 - y), y = x² / 1e12: at x = 0 y depends on nothing
  p.size = 2;
  p.g = [](std::span<const double> x, std::span<double> image) {
    image[0] = 1e6 * (1 - x[1]);
    image[1] = x[0] * x[0] / 1e12;
  };
  std::vector<double> x{0, 0};
  EXPECT_TRUE(find_nonlinear_method("newton").solve(p, {1e-8, 50}, x).converged);
  EXPECT_NEAR(x[1], (3 - std::sqrt(5.0)) / 2, 1e-6);
}

}  // namespace

}  // namespace consort::solve
