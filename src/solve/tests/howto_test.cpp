// The code of the pages about solvers, compiled; the solver of docs/howto/add_a_solver.md is also run.
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/tests/howto_page.hpp"
#include "solve/solvers.hpp"
#include "solve/tests/problems.hpp"

namespace consort::solve {

std::unique_ptr<Solver> make_heun(const SolverRow& row, const Ode& ode, const SolverOptions& options);

namespace howto_test {
namespace {

constexpr Capabilities explicit_fixed(int order) {
  return {.min_order = order, .max_order = order, .adaptive = false, .exact_restart = true};
}

constexpr std::array rows{
    SolverRow{.name = "heun",
              .description = "Heun's method, order 2, fixed step",
              .capabilities = explicit_fixed(2),
              .for_ode = make_heun},
};

double error_with(Duration h) {
  const Ode ode = forced_oscillator();
  const auto solver = rows[0].for_ode(rows[0], ode, {.initial_step = h});
  run_to(*solver, 2);
  return std::abs(solver->state()[0] - forced_solution(2));
}

TEST(HowToSolveAProblem, QuotesTheExampleThatIsCompiled) {
  howto_page::expect_compiled("docs/howto/solve_a_problem.md", {"examples/solve_a_problem/main.cpp"}, 7);
}

TEST(HowToAddASolver, ShowsCodeThatIsCompiled) {
  howto_page::expect_compiled("docs/howto/add_a_solver.md",
                              {"src/solve/tests/howto_heun.cpp", "src/solve/tests/howto_test.cpp"}, 3);
}

TEST(HowToAddASolver, HasOrder2) {
  // Computed independently: 4.003.
  EXPECT_NEAR(error_with(0.02) / error_with(0.01), 4, 0.2);
}

TEST(HowToAddASolver, NeedsTwoEvaluationsPerStep) {
  const Ode ode = oscillator();
  const auto solver = rows[0].for_ode(rows[0], ode, {.initial_step = 0.125});
  run_to(*solver, 1);
  EXPECT_EQ(solver->statistics().steps, 8U);
  EXPECT_EQ(solver->statistics().evaluations, 1U + 2 * 8);
  EXPECT_EQ(solver->name(), "heun");
}

TEST(HowToAddASolver, RepeatsStepsExactly) {
  const Ode ode = oscillator();
  const auto solver = rows[0].for_ode(rows[0], ode, {.initial_step = 0.1});
  run_to(*solver, 1);
  const auto here = solver->snapshot();
  run_to(*solver, 2);
  const std::vector<double> first(solver->state().begin(), solver->state().end());
  solver->restore(*here);
  run_to(*solver, 2);
  EXPECT_EQ(std::vector<double>(solver->state().begin(), solver->state().end()), first);
}

}  // namespace
}  // namespace howto_test
}  // namespace consort::solve
