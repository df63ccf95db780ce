#include "solve/solvers.hpp"

#include <array>

#include "base/error.hpp"
#include "solve/own_solvers.hpp"

namespace consort::solve {
namespace {

constexpr Capabilities explicit_fixed(int order) {
  return {.min_order = order, .max_order = order, .adaptive = false, .exact_restart = true};
}

constexpr std::array rows{
    SolverRow{.name = "explicit-euler",
              .description = "explicit Euler, order 1, fixed step",
              .capabilities = explicit_fixed(1),
              .for_ode = make_explicit_euler},
    SolverRow{.name = "rk4",
              .description = "the classical Runge-Kutta method, order 4, fixed step",
              .capabilities = explicit_fixed(4),
              .for_ode = make_rk4},
};

}  // namespace

std::span<const SolverRow> solvers() { return rows; }

std::string solver_names() {
  std::string names;
  for (const auto& row : rows) {
    if (!names.empty()) names += ", ";
    names += row.name;
  }
  return names;
}

const SolverRow& find_solver(std::string_view name) {
  for (const auto& row : rows) {
    if (row.name == name) return row;
  }
  throw input_error("there is no solver '{}'; available: {}", name, solver_names());
}

std::unique_ptr<Solver> make_solver(std::string_view name, const Ode& ode, const SolverOptions& options) {
  const auto& row = find_solver(name);
  CONSORT_ASSERT(row.for_ode != nullptr);
  return row.for_ode(row, ode, options);
}

std::unique_ptr<Solver> make_solver(std::string_view name, const Dae& dae, const SolverOptions& options) {
  const auto& row = find_solver(name);
  if (row.for_dae == nullptr) {
    std::string able;
    for (const auto& other : rows) {
      if (other.for_dae == nullptr) continue;
      able += able.empty() ? "" : ", ";
      able += other.name;
    }
    throw input_error("solver '{}' solves explicit equations only, not F(t, y, ydot) = 0; choose one of: {}", name,
                      able.empty() ? "none in this build" : able);
  }
  return row.for_dae(row, dae, options);
}

}  // namespace consort::solve
