// Tests of properties of the SUNDIALS solvers; the conformance suite tests common properties.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "solve/solvers.hpp"
#include "solve/sundials/sundials_jacobian.hpp"
#include "solve/sundials/sundials_stiffness.hpp"

namespace consort::solve::sundials_test {
namespace {

using testing::HasSubstr;

const std::vector<std::string> ode_solvers{"cvode",
                                           "cvode-adams",
                                           "ida",
                                           "arkode-erk-dormand-prince-7-4-5",
                                           "arkode-erk-fehlberg-13-7-8",
                                           "arkode-dirk-sdirk-2-1-2",
                                           "arkode-dirk-esdirk547l2sa2-7-4-5"};

Ode oscillator() {
  return {.y0 = {1, 0}, .rhs = [](Time, ConstVector y, Vector dy) {
            dy[0] = y[1];
            dy[1] = -y[0];
          }};
}

void advance_to(Solver& solver, Time stop) {
  while (solver.time() < stop) solver.step(stop);
}

std::string failure_of(Solver& solver, Time stop) {
  try {
    advance_to(solver, stop);
  } catch (const Error& error) {
    return error.what();
  }
  return "no failure";
}

// A rod that conducts heat: tridiagonal, stiff, with a known slowest mode.
Ode rod(std::size_t n) {
  Ode ode;
  ode.y0.resize(n);
  const double dx = 1.0 / static_cast<double>(n + 1);
  for (std::size_t i = 0; i < n; ++i) ode.y0[i] = std::sin(std::numbers::pi * static_cast<double>(i + 1) * dx);
  ode.rhs = [n, dx](Time, ConstVector y, Vector dy) {
    for (std::size_t i = 0; i < n; ++i) {
      const double left = i == 0 ? 0 : y[i - 1];
      const double right = i + 1 == n ? 0 : y[i + 1];
      dy[i] = (left - 2 * y[i] + right) / (dx * dx);
    }
  };
  return ode;
}

double rod_decay(std::size_t n, Time t) {
  const double dx = 1.0 / static_cast<double>(n + 1);
  const double s = std::sin(std::numbers::pi * dx / 2);
  return std::exp(-4 * s * s / (dx * dx) * t);
}

Pattern tridiagonal(std::size_t n) {
  Pattern pattern;
  pattern.starts.push_back(0);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j == 0 ? 0 : j - 1; i < std::min(j + 2, n); ++i) pattern.rows.push_back(static_cast<int>(i));
    pattern.starts.push_back(static_cast<int>(pattern.rows.size()));
  }
  return pattern;
}

struct LinearCase {
  const char* name;
  LinearSolver linear;
  bool dense = false, sparse = false, times = false, pattern = false;
};

class LinearSolvers : public testing::TestWithParam<std::tuple<std::string, LinearCase>> {};

TEST_P(LinearSolvers, SolveTheRodWithEveryFormOfJacobian) {
  const auto& [name, setting] = GetParam();
  constexpr std::size_t n = 60;
  const double k = (n + 1) * (n + 1);
  int used = 0;
  auto ode = rod(n);
  if (setting.pattern) ode.jacobian.pattern = tridiagonal(n);
  if (setting.dense) {
    ode.jacobian.dense = [k, &used](Time, ConstVector y, Vector J) {
      ++used;
      std::fill(J.begin(), J.end(), 0.0);
      for (std::size_t j = 0; j < y.size(); ++j) {
        J[j * y.size() + j] = -2 * k;
        if (j > 0) J[j * y.size() + j - 1] = k;
        if (j + 1 < y.size()) J[j * y.size() + j + 1] = k;
      }
    };
  }
  if (setting.sparse) {
    ode.jacobian.sparse = [k, &used, pattern = tridiagonal(n)](Time, ConstVector y, Vector values) {
      ++used;
      for (std::size_t j = 0; j < y.size(); ++j) {
        for (auto p = static_cast<std::size_t>(pattern.starts[j]); p < static_cast<std::size_t>(pattern.starts[j + 1]);
             ++p) {
          values[p] = static_cast<std::size_t>(pattern.rows[p]) == j ? -2 * k : k;
        }
      }
    };
  }
  if (setting.times) {
    ode.jacobian.times = [&used, rhs = ode.rhs](Time t, ConstVector, ConstVector v, Vector Jv,
                                                const Switches& switches) {
      ++used;
      rhs(t, v, Jv, switches);  // the problem is linear
    };
  }
  const auto solver = make_solver(name, ode, {.rtol = 1e-7, .linear = setting.linear});
  advance_to(*solver, 0.1);
  // The tolerance per step times a large number of steps.
  EXPECT_NEAR(solver->state()[n / 2] / ode.y0[n / 2], rod_decay(n, 0.1), 1e-4);
  EXPECT_EQ(used > 0, setting.dense || setting.sparse || setting.times);
  const auto& statistics = solver->statistics();
  if (setting.linear != LinearSolver::krylov) {
    EXPECT_GT(statistics.jacobians, 0U);
    EXPECT_GE(statistics.factorisations, statistics.jacobians);
    const std::uint64_t each = used > 0 ? 0 : setting.pattern ? 3 : n;
    EXPECT_EQ(statistics.jacobian_evaluations, each * statistics.jacobians);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sundials, LinearSolvers,
    testing::Combine(testing::Values("cvode", "ida", "arkode-dirk-kvaerno-5-3-4"),
                     testing::Values(LinearCase{"DenseDifferences", LinearSolver::dense},
                                     LinearCase{"DenseFunction", LinearSolver::dense, true},
                                     LinearCase{"DenseFromSparse", LinearSolver::dense, false, true, false, true},
                                     LinearCase{"DenseColoured", LinearSolver::dense, false, false, false, true},
                                     LinearCase{"SparseFunction", LinearSolver::sparse, false, true, false, true},
                                     LinearCase{"SparseColoured", LinearSolver::sparse, false, false, false, true},
                                     LinearCase{"AutomaticColoured", LinearSolver::automatic, false, false, false,
                                                true},
                                     LinearCase{"KrylovDifferences", LinearSolver::krylov},
                                     LinearCase{"KrylovProducts", LinearSolver::krylov, false, false, true})),
    [](const auto& test) {
      auto name = std::get<0>(test.param) + "_" + std::get<1>(test.param).name;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(LinearPart, RefusesTheSparseSolverWithoutAPattern) {
  const auto ode = oscillator();
  try {
    (void)make_solver("cvode", ode, {.linear = LinearSolver::sparse});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no sparsity pattern"));
  }
}

TEST(LinearPart, AddsAMissingDiagonal) {
  // ∂f/∂y of the oscillator has no diagonal, but the Newton matrix has one.
  auto ode = oscillator();
  ode.jacobian.pattern = {.starts = {0, 1, 2}, .rows = {1, 0}};
  for (const auto* name : {"cvode", "ida", "arkode-dirk-kvaerno-5-3-4"}) {
    const auto solver = make_solver(name, ode, {.rtol = 1e-8, .linear = LinearSolver::sparse});
    advance_to(*solver, 1);
    EXPECT_NEAR(solver->state()[0], std::cos(1), 1e-5) << name;
  }
}

TEST(ColouredDifferences, NeedThreeColoursForThreeDiagonals) {
  EXPECT_EQ(ColouredDifferences(tridiagonal(50)).colours(), 3U);
  EXPECT_EQ(ColouredDifferences(Pattern{.starts = {0, 0, 0}, .rows = {}}).colours(), 1U);
}

TEST(StabilityInterval, IsThatOfTheTextbooks) {
  const auto of = [](const char* name) {
    const auto table = ARKodeButcherTable_LoadERKByName(name);
    const double interval = stability_interval(*table);
    ARKodeButcherTable_Free(table);
    return interval;
  };
  EXPECT_NEAR(of("ARKODE_HEUN_EULER_2_1_2"), 2, 0.02);
  EXPECT_NEAR(of("ARKODE_BOGACKI_SHAMPINE_4_2_3"), 2.51, 0.02);
  EXPECT_NEAR(of("ARKODE_DORMAND_PRINCE_7_4_5"), 3.31, 0.02);
}

// --- failures

class Sundials : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Solvers, Sundials, testing::ValuesIn(ode_solvers), [](const auto& test) {
  auto name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(Sundials, LetsExceptionsOfTheProblemThroughUnchanged) {
  struct Own {
    int number;
  };
  auto ode = oscillator();
  ode.rhs = [](Time t, ConstVector y, Vector dy) {
    if (t > 0.5) throw Own{42};
    dy[0] = y[1];
    dy[1] = -y[0];
  };
  const auto solver = make_solver(GetParam(), ode, {});
  testing::internal::CaptureStderr();
  int caught = 0;
  try {
    advance_to(*solver, 1);
  } catch (const Own& own) {
    caught = own.number;
  } catch (const std::exception& other) {
    ADD_FAILURE() << other.what();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(caught, 42);
  EXPECT_LE(solver->time(), 0.5);
  EXPECT_NEAR(solver->state()[0], std::cos(solver->time()), 1e-3);
}

TEST_P(Sundials, NamesTheComponentThatIsNotANumberAndPrintsNothing) {
  auto ode = oscillator();
  ode.components.names = {"x", "v"};
  ode.rhs = [](Time t, ConstVector y, Vector dy) {
    dy[0] = y[1];
    dy[1] = t > 0.5 ? std::numeric_limits<double>::quiet_NaN() : -y[0];
  };
  testing::internal::CaptureStderr();
  const auto solver = make_solver(GetParam(), ode, {});
  const auto text = failure_of(*solver, 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT(text, HasSubstr("'v' is not a finite number"));
  EXPECT_THAT(text, HasSubstr("'" + GetParam() + "'"));
  EXPECT_LE(solver->time(), 0.5);
}

// SUNDIALS 7 prints warnings to stdout, where the caller's table may be.
TEST_P(Sundials, PrintsNoWarningWhenAStepIsLostInRounding) {
  auto ode = oscillator();
  ode.t0 = 1e15;
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  const auto solver = make_solver(GetParam(), ode, {.initial_step = 1e-3, .max_step = 1e-2, .step_limit = 20});
  const auto text = failure_of(*solver, never);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_NE(text, "no failure");
}

TEST_P(Sundials, EndsWhereTheSolutionDoes) {
  const Ode ode{.y0 = {1}, .rhs = [](Time, ConstVector y, Vector dy) { dy[0] = y[0] * y[0]; }};
  const auto solver = make_solver(GetParam(), ode, {.step_limit = 100'000});
  const auto text = failure_of(*solver, 2);
  EXPECT_TRUE(text.find("fell below") != std::string::npos || text.find("not a finite number") != std::string::npos)
      << text;
  EXPECT_NEAR(solver->time(), 1, 1e-3);
}

TEST_P(Sundials, SaysThatTheStepFellBelowTheSmallestOneAllowed) {
  Ode ode{.y0 = {0, 1, 0}, .rhs = [](Time, ConstVector y, Vector dy) {
            dy[0] = 0;
            dy[1] = 1e5 * y[2];
            dy[2] = -1e5 * y[1];
          }};
  ode.components.names = {"quiet", "loud 1", "loud 2"};
  const auto solver = make_solver(GetParam(), ode, {.rtol = 1e-8, .atol = {1e-10}, .min_step = 1e-3});
  const auto text = failure_of(*solver, 10);
  EXPECT_THAT(text, HasSubstr("fell below 0.001 s"));
  EXPECT_THAT(text, HasSubstr("'loud "));
}

TEST_P(Sundials, StopsAtTheStepLimit) {
  const auto ode = oscillator();
  const auto solver = make_solver(GetParam(), ode, {.step_limit = 5});
  EXPECT_THAT(failure_of(*solver, 100), HasSubstr("after 5 steps"));
  EXPECT_EQ(solver->statistics().steps, 5U);
}

TEST_P(Sundials, RefusesProblemsThatDoNotFit) {
  auto ode = oscillator();
  ode.components.absolute_tolerances = {1e-6};
  EXPECT_THROW((void)make_solver(GetParam(), ode, {}), Error);
  EXPECT_THROW((void)make_solver(GetParam(), Ode{.y0 = {1}}, {}), Error);
}

// --- limits

TEST_P(Sundials, TakesLimitsOfEverySize) {
  const auto ode = oscillator();
  const auto solver = make_solver(GetParam(), ode, {});
  Time limit = 0;
  const double eps = std::numeric_limits<double>::epsilon();
  for (const double gap : {eps, 1e-300, 1e-9, eps * 4, 1.0, eps * 2, 1e-12, 0.5}) {
    limit = std::max(limit + gap, std::nextafter(limit, never));
    while (solver->time() < limit) {
      const auto done = solver->step(limit);
      ASSERT_LE(done.to, limit);
    }
    ASSERT_EQ(solver->time(), limit);
    ASSERT_NEAR(solver->state()[0], std::cos(limit), 1e-3);
  }
  for (int i = 0; i < 3; ++i) solver->step(never);
  EXPECT_GT(solver->time(), limit);
}

TEST_P(Sundials, EvaluatesNothingBeyondTheLimit) {
  Time last = 0;
  auto ode = oscillator();
  ode.rhs = [&](Time t, ConstVector y, Vector dy) {
    last = std::max(last, t);
    dy[0] = y[1];
    dy[1] = -y[0];
  };
  const auto solver = make_solver(GetParam(), ode, {});
  for (const Time limit : {0.001, 0.1, 0.3, 2.0}) {
    advance_to(*solver, limit);
    EXPECT_LE(last, limit);
  }
}

TEST_P(Sundials, GoesThroughTimeWithoutStates) {
  const Ode ode{.rhs = [](Time, ConstVector, Vector) {}};
  const auto solver = make_solver(GetParam(), ode, {.max_step = 0.25});
  advance_to(*solver, 1);
  EXPECT_EQ(solver->time(), 1);
  EXPECT_EQ(solver->statistics().steps, 4U);
  solver->interpolate(0.9, {});
  const auto saved = solver->snapshot();
  advance_to(*solver, 2);
  solver->restore(*saved);
  EXPECT_EQ(solver->time(), 1);
}

// --- saving

TEST_P(Sundials, StartsAnewFromASavedStateAndSaysSo) {
  const auto ode = oscillator();
  const auto solver = make_solver(GetParam(), ode, {});
  EXPECT_FALSE(solver->capabilities().exact_restart);
  advance_to(*solver, 1);
  const auto saved = solver->snapshot();
  const auto bytes = solver->serialise();
  const double x = solver->state()[0];
  advance_to(*solver, 2);
  solver->restore(*saved);
  EXPECT_EQ(solver->time(), 1);
  EXPECT_EQ(solver->state()[0], x);
  EXPECT_EQ(solver->statistics().restarts, 1U);

  const auto fresh = make_solver(GetParam(), ode, {});
  fresh->deserialise(bytes);
  EXPECT_EQ(fresh->time(), 1);
  EXPECT_EQ(fresh->state()[0], x);
  advance_to(*fresh, 2);
  advance_to(*solver, 2);
  EXPECT_EQ(fresh->state()[0], solver->state()[0]);
}

TEST_P(Sundials, RefusesBytesOfAnotherSolverOrProblemOrNone) {
  const auto ode = oscillator();
  const auto solver = make_solver(GetParam(), ode, {});
  advance_to(*solver, 1);
  auto bytes = solver->serialise();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(solver->deserialise(std::span(bytes).first(size)), Error);
  }
  const auto other = make_solver(GetParam() == "cvode" ? "ida" : "cvode", ode, {});
  EXPECT_THROW(other->deserialise(bytes), Error);
  const Ode small{.y0 = {1}, .rhs = [](Time, ConstVector, Vector dy) { dy[0] = 0; }};
  EXPECT_THROW(make_solver(GetParam(), small, {})->deserialise(bytes), Error);
  EXPECT_EQ(solver->time(), 1);
}

TEST_P(Sundials, UsesNewTolerancesAndSwitchesAfterARestart) {
  Ode ode{.y0 = {0}, .rhs = [](Time, ConstVector, Vector dy, const Switches& on) { dy[0] = on[0] ? 2 : 1; }};
  ode.events.switches = {false};
  const auto solver = make_solver(GetParam(), ode, {});
  advance_to(*solver, 1);
  const Switches on{true};
  const std::vector<double> atol{1e-3};
  solver->reinitialise({.t = 1, .y = solver->state(), .switches = &on, .absolute_tolerances = atol});
  advance_to(*solver, 2);
  EXPECT_NEAR(solver->state()[0], 3, 1e-3);
  EXPECT_EQ(solver->absolute_tolerances()[0], 1e-3);
  const std::vector<double> bad{std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(solver->reinitialise({.t = 2, .y = bad}), Error);
  EXPECT_THROW(solver->reinitialise({.t = 2, .y = solver->state(), .absolute_tolerances = bad}), Error);
}

// --- stiffness

TEST(Arkode, GivesUpOnAStiffProblemUnlessToldNotTo) {
  const Ode ode{.y0 = {2}, .rhs = [](Time t, ConstVector y, Vector dy) { dy[0] = -1e6 * (y[0] - std::cos(t)); }};
  for (const auto* name : {"arkode-erk-bogacki-shampine-4-2-3", "arkode-erk-dormand-prince-7-4-5",
                           "arkode-erk-fehlberg-13-7-8", "arkode-erk-verner-8-5-6"}) {
    const auto solver = make_solver(name, ode, {});
    EXPECT_THAT(failure_of(*solver, 1), HasSubstr("too stiff"));
    EXPECT_LT(solver->statistics().steps, 5000U) << name;
    const auto stubborn = make_solver(name, ode, {.step_limit = 5000, .check_stiffness = false});
    EXPECT_THAT(failure_of(*stubborn, 1), HasSubstr("step limit")) << name;
  }
}

TEST(Arkode, DoesNotCallALongRunStiff) {
  const auto ode = oscillator();
  for (const auto* name :
       {"arkode-erk-heun-euler-2-1-2", "arkode-erk-dormand-prince-7-4-5", "arkode-erk-fehlberg-13-7-8"}) {
    const auto solver = make_solver(name, ode, {.rtol = 1e-3, .max_step = 0.5});
    advance_to(*solver, 2000);
    EXPECT_GT(solver->statistics().steps, 3000U) << name;
  }
}

// --- IDA

// Cartesian pendulum in index 1: the second derivative of the constraint gives the force.
Dae pendulum() {
  return {.y0 = {1, 0, 0, 0, 0},
          .ydot0 = {0, 0, 0, -9.81, 0},
          .residual =
              [](Time, ConstVector y, ConstVector ydot, Vector r) {
                r[0] = ydot[0] - y[2];
                r[1] = ydot[1] - y[3];
                r[2] = ydot[2] + y[4] * y[0];
                r[3] = ydot[3] + y[4] * y[1] + 9.81;
                r[4] = y[2] * y[2] + y[3] * y[3] - y[4] * (y[0] * y[0] + y[1] * y[1]) - 9.81 * y[1];
              },
          .differential = {true, true, true, true, false}};
}

TEST(Ida, SwingsThePendulumInIndexOne) {
  const auto dae = pendulum();
  const auto solver = make_solver("ida", dae, {.rtol = 1e-9, .atol = {1e-10}});
  // Released horizontally: the quarter period is K(1/2)·sqrt(l/g), K(1/2) = 1.854074677301372.
  const double quarter = 1.854074677301372 / std::sqrt(9.81);
  advance_to(*solver, quarter);
  EXPECT_NEAR(solver->state()[0], 0, 1e-6);
  EXPECT_NEAR(solver->state()[1], -1, 1e-6);
  EXPECT_NEAR(solver->state()[2], -std::sqrt(2 * 9.81), 1e-5);
  EXPECT_NEAR(solver->state()[4], 3 * 9.81, 1e-4);
  EXPECT_NEAR(solver->state_derivative()[2], 0, 1e-3);
  advance_to(*solver, 4 * quarter);
  EXPECT_NEAR(solver->state()[0], 1, 1e-5);
}

TEST(Ida, ReportsInconsistentValuesWithTheirResiduals) {
  auto dae = pendulum();
  dae.ydot0[3] = 0;
  dae.components.names = {"x", "y", "u", "v", "force"};
  try {
    (void)make_solver("ida", dae, {});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("residual 3 ('v') is 9.81"));
    EXPECT_THAT(error.what(), HasSubstr("correct_initial_values"));
  }
}

TEST(Ida, CorrectsInconsistentValuesOnRequest) {
  auto dae = pendulum();
  dae.y0 = {0.6, -0.8, 0, 0, 7};
  dae.ydot0 = {0, 0, 0, 0, 0};
  const auto solver = make_solver("ida", dae, {.rtol = 1e-8, .correct_initial_values = true});
  EXPECT_EQ(solver->state()[0], 0.6);
  EXPECT_NEAR(solver->state()[4], 9.81 * 0.8, 1e-6);
  EXPECT_NEAR(solver->state_derivative()[2], -9.81 * 0.8 * 0.6, 1e-6);
}

TEST(Ida, FindsConsistentValuesAfterARestart) {
  const auto dae = pendulum();
  const auto solver = make_solver("ida", dae, {.rtol = 1e-8});
  advance_to(*solver, 0.1);
  const std::vector<double> y{0, -1, 2, 0, 0};
  solver->reinitialise({.t = 0.1, .y = y});
  EXPECT_NEAR(solver->state()[4], 4 + 9.81, 1e-6);
  EXPECT_NEAR(solver->state_derivative()[0], 2, 1e-9);
}

TEST(Ida, SaysSoWhenNothingIsConsistent) {
  const Dae dae{.y0 = {0},
                .ydot0 = {0},
                .residual = [](Time, ConstVector y, ConstVector, Vector r) { r[0] = y[0] * y[0] + 1; },
                .differential = {false}};
  for (const bool correct : {false, true}) {
    try {
      (void)make_solver("ida", dae, {.correct_initial_values = correct});
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("residual 0 (component 0) is 1"));
    }
  }
}

Ode robertson() {
  return {.y0 = {1, 0, 0}, .rhs = [](Time, ConstVector y, Vector dy) {
            dy[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
            dy[2] = 3e7 * y[1] * y[1];
            dy[1] = -dy[0] - dy[2];
          }};
}

TEST(Ida, SolvesRobertsonWithItsConstraint) {
  Dae dae{.y0 = {1, 0, 0},
          .ydot0 = {-0.04, 0.04, 0},
          .residual =
              [](Time, ConstVector y, ConstVector ydot, Vector r) {
                const double first = -0.04 * y[0] + 1e4 * y[1] * y[2];
                r[0] = ydot[0] - first;
                r[1] = ydot[1] + first + 3e7 * y[1] * y[1];
                r[2] = y[0] + y[1] + y[2] - 1;
              },
          .differential = {true, true, false}};
  const auto solver = make_solver("ida", dae, {.rtol = 1e-8, .atol = {1e-10, 1e-14, 1e-10}});
  advance_to(*solver, 40);
  // Reference: CVODE with a tolerance of 1e-13.
  EXPECT_NEAR(solver->state()[0], 0.7158270688, 1e-7);
  EXPECT_NEAR(solver->state()[1], 9.185534765e-6, 1e-11);
  EXPECT_NEAR(solver->state()[0] + solver->state()[1] + solver->state()[2], 1, 1e-12);
}

TEST(Cvode, SolvesRobertsonOverElevenDecades) {
  const auto ode = robertson();
  for (const auto* name : {"cvode", "ida", "arkode-dirk-ark548l2sa-dirk-8-4-5"}) {
    const auto solver = make_solver(name, ode, {.rtol = 1e-6, .atol = {1e-8, 1e-14, 1e-6}});
    advance_to(*solver, 4e10);
    EXPECT_NEAR(solver->state()[0], 5.2e-8, 2e-8) << name;
    EXPECT_NEAR(solver->state()[2], 1, 1e-5) << name;
    EXPECT_LT(solver->statistics().steps, 10'000U) << name;
  }
}

TEST(Cvode, SolvesVanDerPolAtItsStiffest) {
  const Ode ode{.y0 = {2, -0.6}, .rhs = [](Time, ConstVector y, Vector dy) {
                  dy[0] = y[1];
                  dy[1] = 1e6 * ((1 - y[0] * y[0]) * y[1] - y[0]);
                }};
  for (const auto* name : {"cvode", "ida", "arkode-dirk-esdirk547l2sa2-7-4-5", "arkode-dirk-ark436l2sa-dirk-6-3-4"}) {
    const auto solver = make_solver(name, ode, {.rtol = 1e-6});
    advance_to(*solver, 2);
    // Hairer and Wanner, Solving Ordinary Differential Equations II, IV.10: y(2) for y(0) = (2, 0) is 1.70616773217.
    EXPECT_NEAR(solver->state()[0], 1.70616773, 1e-3) << name;
    EXPECT_LT(solver->statistics().evaluations, 40'000U) << name;
  }
}

}  // namespace
}  // namespace consort::solve::sundials_test
