#include "solve/solvers.hpp"

#include <array>
#include <memory>

#include "base/error.hpp"
#include "base/registry.hpp"

namespace consort::solve {

// The factories of the solvers, called only through the rows; each is defined in the file of its name.
std::unique_ptr<Solver> make_explicit_euler(const SolverRow& row, const Ode& ode, const SolverOptions& options);
std::unique_ptr<Solver> make_implicit_euler(const SolverRow& row, const Ode& ode, const SolverOptions& options);
std::unique_ptr<Solver> make_rk4(const SolverRow& row, const Ode& ode, const SolverOptions& options);
std::unique_ptr<Solver> make_rk34(const SolverRow& row, const Ode& ode, const SolverOptions& options);
std::unique_ptr<Solver> make_dopri5(const SolverRow& row, const Ode& ode, const SolverOptions& options);
std::unique_ptr<Solver> make_bdf(const SolverRow& row, const Ode& ode, const SolverOptions& options);
std::unique_ptr<Solver> make_cvode_bdf(const SolverRow& row, const Ode& ode, const SolverOptions& options);
std::unique_ptr<Solver> make_cvode_adams(const SolverRow& row, const Ode& ode, const SolverOptions& options);
std::unique_ptr<Solver> make_ida(const SolverRow& row, const Ode& ode, const SolverOptions& options);
std::unique_ptr<Solver> make_ida(const SolverRow& row, const Dae& dae, const SolverOptions& options);
// The row's name determines the pair: "arkode-erk-" or "arkode-dirk-", then SUNDIALS' name of the table.
std::unique_ptr<Solver> make_arkode(const SolverRow& row, const Ode& ode, const SolverOptions& options);

namespace {

constexpr Capabilities explicit_fixed(int order) {
  return {.min_order = order, .max_order = order, .adaptive = false, .exact_restart = true};
}

constexpr Capabilities explicit_pair(int order) {
  return {.min_order = order, .max_order = order, .exact_restart = true};
}

// The history of SUNDIALS is inaccessible: a restore reinitialises.
constexpr Capabilities cvode(int max_order, bool stiff) {
  return {.min_order = 1, .max_order = max_order, .stiff = stiff};
}

// Only tables of ARKODE without stages outside of the step: a step evaluates nothing beyond its limit.
constexpr SolverRow arkode(std::string_view name, std::string_view description, int order, bool stiff) {
  return {.name = name,
          .description = description,
          .capabilities = {.min_order = order, .max_order = order, .stiff = stiff},
          .for_ode = make_arkode};
}

constexpr std::array rows{
    SolverRow{.name = "explicit-euler",
              .description = "explicit Euler, order 1, fixed step",
              .capabilities = explicit_fixed(1),
              .for_ode = make_explicit_euler},
    SolverRow{.name = "implicit-euler",
              .description = "implicit Euler, order 1, fixed step, for stiff problems",
              .capabilities = {.min_order = 1, .max_order = 1, .adaptive = false, .stiff = true, .exact_restart = true},
              .for_ode = make_implicit_euler},
    SolverRow{.name = "rk4",
              .description = "the classical Runge-Kutta method, order 4, fixed step",
              .capabilities = explicit_fixed(4),
              .for_ode = make_rk4},
    SolverRow{.name = "rk34",
              .description = "Runge-Kutta of order 4 with an estimate of order 3",
              .capabilities = explicit_pair(4),
              .for_ode = make_rk34},
    SolverRow{
        .name = "dopri5",
        .description = "Dormand and Prince, order 5 with an estimate of order 4, the first choice without stiffness",
        .capabilities = explicit_pair(5),
        .for_ode = make_dopri5},
    SolverRow{.name = "bdf",
              .description = "BDF, orders 1 to 5, for stiff problems; its state can be saved and continued exactly",
              .capabilities = {.min_order = 1, .max_order = 5, .stiff = true, .exact_restart = true},
              .for_ode = make_bdf},
    SolverRow{.name = "cvode",
              .description = "CVODE of SUNDIALS: BDF, orders 1 to 5",
              .capabilities = cvode(5, true),
              .for_ode = make_cvode_bdf},
    SolverRow{.name = "cvode-bdf",
              .description = "the same as cvode",
              .capabilities = cvode(5, true),
              .for_ode = make_cvode_bdf},
    SolverRow{.name = "cvode-adams",
              .description = "CVODE of SUNDIALS: Adams-Moulton, orders 1 to 12",
              .capabilities = cvode(12, false),
              .for_ode = make_cvode_adams},
    SolverRow{.name = "ida",
              .description = "IDA of SUNDIALS: BDF for F(t, y, ydot) = 0, orders 1 to 5",
              .capabilities = {.min_order = 1, .max_order = 5, .stiff = true, .dae = true},
              .for_ode = make_ida,
              .for_dae = make_ida},
    arkode("arkode-erk-heun-euler-2-1-2", "ARKODE of SUNDIALS: Heun and Euler, order 2", 2, false),
    arkode("arkode-erk-bogacki-shampine-4-2-3", "ARKODE of SUNDIALS: Bogacki and Shampine, order 3", 3, false),
    arkode("arkode-erk-zonneveld-5-3-4", "ARKODE of SUNDIALS: Zonneveld, order 4", 4, false),
    arkode("arkode-erk-cash-karp-6-4-5", "ARKODE of SUNDIALS: Cash and Karp, order 5", 5, false),
    arkode("arkode-erk-dormand-prince-7-4-5", "ARKODE of SUNDIALS: Dormand and Prince, order 5", 5, false),
    arkode("arkode-erk-verner-8-5-6", "ARKODE of SUNDIALS: Verner, order 6", 6, false),
    arkode("arkode-erk-fehlberg-13-7-8", "ARKODE of SUNDIALS: Fehlberg, order 8", 8, false),
    arkode("arkode-dirk-sdirk-2-1-2", "ARKODE of SUNDIALS: singly diagonally implicit, order 2", 2, true),
    arkode("arkode-dirk-ark324l2sa-dirk-4-2-3", "ARKODE of SUNDIALS: Kennedy and Carpenter, order 3", 3, true),
    arkode("arkode-dirk-kvaerno-5-3-4", "ARKODE of SUNDIALS: Kvaerno, order 4", 4, true),
    arkode("arkode-dirk-ark436l2sa-dirk-6-3-4", "ARKODE of SUNDIALS: Kennedy and Carpenter, order 4", 4, true),
    arkode("arkode-dirk-esdirk547l2sa2-7-4-5",
           "ARKODE of SUNDIALS: Kennedy and Carpenter, explicit first stage, order 5", 5, true),
    arkode("arkode-dirk-ark548l2sa-dirk-8-4-5", "ARKODE of SUNDIALS: Kennedy and Carpenter, order 5", 5, true),
};

}  // namespace

std::span<const SolverRow> solvers() { return rows; }

std::string solver_names() { return names_of(rows); }

const SolverRow& find_solver(std::string_view name) { return find_row(rows, name, "solver", "", "solver"); }

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
