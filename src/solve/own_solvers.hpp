// The makers of our own solvers, for the rows of the table; each stands in the file of its name.
#pragma once

#include <memory>

#include "solve/problem.hpp"
#include "solve/solver.hpp"
#include "solve/solvers.hpp"

namespace consort::solve {

std::unique_ptr<Solver> make_explicit_euler(const SolverRow& row, const Ode& ode, const SolverOptions& options);
std::unique_ptr<Solver> make_implicit_euler(const SolverRow& row, const Ode& ode, const SolverOptions& options);
std::unique_ptr<Solver> make_rk4(const SolverRow& row, const Ode& ode, const SolverOptions& options);
std::unique_ptr<Solver> make_rk34(const SolverRow& row, const Ode& ode, const SolverOptions& options);
std::unique_ptr<Solver> make_dopri5(const SolverRow& row, const Ode& ode, const SolverOptions& options);
std::unique_ptr<Solver> make_bdf(const SolverRow& row, const Ode& ode, const SolverOptions& options);

}  // namespace consort::solve
