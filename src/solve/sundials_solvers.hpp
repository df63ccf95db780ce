// The makers of SUNDIALS' solvers, for the rows of the table: CVODE in cvode.cpp, IDA in ida.cpp, ARKODE in arkode.cpp.
#pragma once

#include <memory>

#include "solve/problem.hpp"
#include "solve/solver.hpp"
#include "solve/solvers.hpp"

namespace consort::solve {

std::unique_ptr<Solver> make_cvode_bdf(const SolverRow& row, const Ode& ode, const SolverOptions& options);
std::unique_ptr<Solver> make_cvode_adams(const SolverRow& row, const Ode& ode, const SolverOptions& options);
std::unique_ptr<Solver> make_ida(const SolverRow& row, const Ode& ode, const SolverOptions& options);
std::unique_ptr<Solver> make_ida(const SolverRow& row, const Dae& dae, const SolverOptions& options);
// Which pair follows from the row's name: "arkode-erk-" or "arkode-dirk-", then SUNDIALS' name of the table.
std::unique_ptr<Solver> make_arkode(const SolverRow& row, const Ode& ode, const SolverOptions& options);

}  // namespace consort::solve
