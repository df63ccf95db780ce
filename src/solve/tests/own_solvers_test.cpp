// Tests of properties of Consort's own solvers; the conformance suite tests common properties.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "solve/integrate.hpp"
#include "solve/own/bdf_coefficients.hpp"
#include "solve/solvers.hpp"
#include "solve/tests/allocations.hpp"
#include "solve/tests/problems.hpp"

namespace consort::solve {
namespace {

// --- dopri5

TEST(Dopri5, TakesTheStepsOfThePublishedCodeOnTheArenstorfOrbit) {
  const auto report = integrate(arenstorf(), "dopri5", {.rtol = 1e-7, .atol = {1e-7}}, {.stop = arenstorf_period});
  EXPECT_LE(report.statistics.evaluations, 1514U);  // 1.05 times 1442
  EXPECT_EQ(report.statistics.steps, 216U);
  EXPECT_NEAR(report.y[0], 0.994, 1e-4);  // a closed orbit, sensitive to any error
  EXPECT_NEAR(report.y[1], 0, 1e-3);
}

TEST(Dopri5, SpendsSixEvaluationsPerStep) {
  const Ode ode = oscillator();
  const auto solver = make_solver("dopri5", ode, {.initial_step = 0.01, .max_step = 0.01});
  run_to(*solver, 1);
  EXPECT_EQ(solver->statistics().evaluations, 1 + 6 * solver->statistics().steps);
}

TEST(Dopri5, RecoversItsStepAfterALimit) {
  const Ode ode = oscillator();
  const auto solver = make_solver("dopri5", ode, {.rtol = 1e-4});
  run_to(*solver, 3);
  const Duration before = solver->step(100).next;
  const auto cut = solver->step(solver->time() + 1e-6);
  EXPECT_NEAR(cut.to - cut.from, 1e-6, 1e-12);
  EXPECT_GE(cut.next, before * 0.99);
}

// --- bdf

TEST(Bdf, HasTheClassicalCoefficientsForEqualSteps) {
  StepHistory past;
  past.fill(0.1);
  double harmonic = 0;
  for (int q = 1; q <= bdf_max_order; ++q) {
    harmonic += 1.0 / q;
    const auto c = bdf_coefficients(q, 0.1, past);
    EXPECT_NEAR(c.leading, harmonic, 1e-14);
    // (1 + x)(1 + x/2)…(1 + x/q), whose value at x = -k is zero for k = 1 … q.
    for (int k = 1; k <= q; ++k) {
      double value = 0;
      for (int j = q; j >= 0; --j) value = value * -k + c.l[static_cast<std::size_t>(j)];
      EXPECT_NEAR(value, 0, 1e-12) << "order " << q << ", point " << k;
    }
    EXPECT_NEAR(c.error, 1 / (harmonic * (q + 1)), 1e-14);
    EXPECT_NEAR(c.error_upper, 1 / ((harmonic + 1.0 / (q + 1)) * (q + 2)), 1e-14);
  }
}

TEST(Bdf, ReproducesPolynomialsOfItsOrderOnUnequalSteps) {
  // The correction of a step vanishes for y = t^q: predictor and formula are both exact.
  const StepHistory past{0.1, 0.07, 0.11, 0.05, 0.08, 0.1, 0.1};
  for (int q = 1; q <= bdf_max_order; ++q) {
    const auto c = bdf_coefficients(q, 0.09, past);
    EXPECT_NEAR(c.l[1], c.leading, 1e-13);
    EXPECT_GT(c.error, 0);
  }
}

struct Comparison {
  const char* name;
  Ode ode;
  Time stop;
  double atol;  // in relative tolerances
};

TEST(Bdf, NeedsAtMostHalfAsManyEvaluationsMoreThanCvode) {
  const std::vector<Comparison> problems{{"Robertson", robertson(), 1e4, 1e-4},
                                         {"Van der Pol", stiff_van_der_pol(), 2, 1},
                                         {"Oregonator", oregonator(), 360, 1e-2},
                                         {"HIRES", hires(), 321.8122, 1e-3}};
  for (const double rtol : {1e-4, 1e-6}) {
    for (const auto& problem : problems) {
      const SolverOptions options{.rtol = rtol, .atol = {rtol * problem.atol}};
      const auto ours = integrate(problem.ode, "bdf", options, {.stop = problem.stop});
      const auto theirs = integrate(problem.ode, "cvode", options, {.stop = problem.stop});
      EXPECT_LE(static_cast<double>(ours.statistics.evaluations),
                1.5 * static_cast<double>(theirs.statistics.evaluations))
          << problem.name << " at " << rtol;
      for (std::size_t i = 0; i < ours.y.size(); ++i) {
        EXPECT_NEAR(ours.y[i], theirs.y[i], 300 * rtol * (std::abs(theirs.y[i]) + problem.atol)) << problem.name;
      }
    }
  }
}

TEST(Bdf, ReachesItsHighestOrderOnASmoothProblem) {
  const Ode ode = oscillator();
  const auto solver = make_solver("bdf", ode, {.rtol = 1e-9, .atol = {1e-9}});
  int highest = 0;
  while (solver->time() < 10) highest = std::max(highest, solver->step(10).order);
  EXPECT_EQ(highest, 5);
}

// Heat in a rod of n cells, tridiagonal; each form of the Jacobian gives the same solution.
Ode rod(std::size_t n) {
  Ode ode;
  ode.y0.assign(n, 0);
  ode.y0[n / 2] = 1;
  const double k = static_cast<double>(n * n);
  ode.rhs = [n, k](Time, ConstVector y, Vector dy) {
    for (std::size_t i = 0; i < n; ++i) {
      dy[i] = k * ((i > 0 ? y[i - 1] : 0) - 2 * y[i] + (i + 1 < n ? y[i + 1] : 0)) - y[i] * y[i];
    }
  };
  return ode;
}

Pattern tridiagonal(std::size_t n) {
  Pattern pattern;
  pattern.starts.push_back(0);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j == 0 ? 0 : j - 1; i <= std::min(j + 1, n - 1); ++i)
      pattern.rows.push_back(static_cast<int>(i));
    pattern.starts.push_back(static_cast<int>(pattern.rows.size()));
  }
  return pattern;
}

TEST(ImplicitSolvers, TakeTheJacobianInEveryForm) {
  const std::size_t n = 30;
  const double k = 900;
  const auto dense = [k](Time, ConstVector y, Vector J) {
    std::fill(J.begin(), J.end(), 0.0);
    for (std::size_t j = 0; j < n; ++j) {
      if (j > 0) J[j * n + j - 1] = k;
      J[j * n + j] = -2 * k - 2 * y[j];
      if (j + 1 < n) J[j * n + j + 1] = k;
    }
  };
  const auto sparse = [k](Time, ConstVector y, Vector values) {
    std::size_t at = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (j > 0) values[at++] = k;
      values[at++] = -2 * k - 2 * y[j];
      if (j + 1 < n) values[at++] = k;
    }
  };
  const auto times = [k](Time, ConstVector y, ConstVector v, Vector Jv) {
    for (std::size_t i = 0; i < n; ++i) {
      Jv[i] = k * ((i > 0 ? v[i - 1] : 0) - 2 * v[i] + (i + 1 < n ? v[i + 1] : 0)) - 2 * y[i] * v[i];
    }
  };
  for (const std::string name : {"bdf", "implicit-euler"}) {
    const SolverOptions base{.rtol = 1e-7, .atol = {1e-9}, .initial_step = name == "bdf" ? 0 : 1e-4};
    const auto solve = [&](OdeJacobian jacobian, LinearSolver linear) {
      Ode ode = rod(n);
      ode.jacobian = std::move(jacobian);
      auto options = base;
      options.linear = linear;
      return integrate(ode, name, options, {.stop = 0.02});
    };
    const auto plain = solve({}, LinearSolver::automatic);
    const auto check = [&](const RunReport& report, std::uint64_t evaluations_per_jacobian, const char* form) {
      EXPECT_EQ(report.statistics.jacobian_evaluations, evaluations_per_jacobian * report.statistics.jacobians)
          << name << ", " << form;
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(report.y[i], plain.y[i], 1e-6) << name << ", " << form;
    };
    const auto pattern = tridiagonal(n);
    check(plain, n, "differences");
    check(solve({.pattern = pattern}, LinearSolver::automatic), 3, "coloured differences, sparse");
    check(solve({.pattern = pattern}, LinearSolver::dense), 3, "coloured differences, dense");
    check(solve({.dense = dense}, LinearSolver::automatic), 0, "dense");
    check(solve({.dense = dense, .pattern = pattern}, LinearSolver::sparse), 0, "dense, solved sparse");
    check(solve({.sparse = sparse, .pattern = pattern}, LinearSolver::automatic), 0, "sparse");
    check(solve({.sparse = sparse, .pattern = pattern}, LinearSolver::dense), 0, "sparse, solved dense");
    check(solve({.times = times}, LinearSolver::automatic), 0, "products");
    check(solve({.times = times, .pattern = pattern}, LinearSolver::sparse), 0, "products, sparse");
  }
}

TEST(ImplicitSolvers, ContinueExactlyWithASparseMatrix) {
  Ode ode = rod(40);
  ode.jacobian.pattern = tridiagonal(40);
  const SolverOptions options{.linear = LinearSolver::sparse};
  const auto solver = make_solver("bdf", ode, options);
  for (int k = 0; k < 23; ++k) solver->step(1);
  const auto bytes = solver->serialise();
  for (int k = 0; k < 40; ++k) solver->step(1);
  const auto other = make_solver("bdf", ode, options);
  other->deserialise(bytes);
  for (int k = 0; k < 40; ++k) other->step(1);
  EXPECT_EQ(solver->time(), other->time());
  EXPECT_TRUE(std::equal(solver->state().begin(), solver->state().end(), other->state().begin()));
}

TEST(ImplicitEuler, HalvesStepsWhereNewtonDoesNotConverge) {
  // The right-hand side is defined only for y > 0; a whole step would leave this range.
  const Ode ode{.y0 = {1}, .rhs = [](Time, ConstVector y, Vector dy) { dy[0] = -std::sqrt(y[0]) * 5; }};
  const auto solver = make_solver("implicit-euler", ode, {.initial_step = 0.3});
  solver->step(0.3);
  EXPECT_EQ(solver->time(), 0.3);
  EXPECT_GT(solver->state()[0], 0);
}

// --- no allocation

TEST(OwnSolvers, AllocateNothingInASteadyStep) {
  for (const std::string name : {"explicit-euler", "implicit-euler", "rk4", "rk34", "dopri5", "bdf"}) {
    const Ode ode = van_der_pol(5);
    const auto solver = make_solver(name, ode, {.rtol = 1e-5, .initial_step = 1e-3});
    for (int k = 0; k < 50; ++k) solver->step(1000);
    auto saved = solver->snapshot();
    std::vector<double> y(2);
    const auto before = allocations();
    for (int k = 0; k < 2000; ++k) {
      const auto step = solver->step(1000);
      solver->interpolate((step.from + step.to) / 2, y);
    }
    EXPECT_EQ(allocations() - before, 0U) << name;
    saved = solver->snapshot(std::move(saved));
    solver->restore(*saved);
    EXPECT_EQ(allocations() - before, 0U) << name << ", snapshot and restore";
  }
}

}  // namespace
}  // namespace consort::solve
