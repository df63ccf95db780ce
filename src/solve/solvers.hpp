// The table of solvers that can be selected by name.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "solve/problem.hpp"
#include "solve/solver.hpp"

namespace consort::solve {

// A row of the table. A new solver is ready to step from the problem's start. Errors in problem or options are thrown
// as Error (input). The row must outlive the solver, which may refer to its name and capabilities.
struct SolverRow {
  std::string_view name;
  std::string_view description;  // one line
  Capabilities capabilities;
  std::unique_ptr<Solver> (*for_ode)(const SolverRow&, const Ode&, const SolverOptions&) = nullptr;
  // Null: no support for a Dae.
  std::unique_ptr<Solver> (*for_dae)(const SolverRow&, const Dae&, const SolverOptions&) = nullptr;
};

[[nodiscard]] std::span<const SolverRow> solvers();
// Throws Error (input) with the available names if the name is unknown.
[[nodiscard]] const SolverRow& find_solver(std::string_view name);
// "bdf, dopri5, …" in the order of the table.
[[nodiscard]] std::string solver_names();

// The problem must outlive the solver.
[[nodiscard]] std::unique_ptr<Solver> make_solver(std::string_view name, const Ode& ode, const SolverOptions& options);
[[nodiscard]] std::unique_ptr<Solver> make_solver(std::string_view name, const Dae& dae, const SolverOptions& options);

}  // namespace consort::solve
