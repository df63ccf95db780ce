// The interface of all integration methods. A solver is made for a problem and advances step by step.
//
// A solver is made from a row of the table (solve/solvers.hpp) for one problem, which must outlive it. Roots, time
// events and output are handled by the driver (solve/integrate.hpp). The solver's state consists of the problem's time,
// states and switches and of the method's history.
//
// Failures are thrown as Error (run): the step size fell below its limit (with the component that limited it), the
// problem gave values that are not finite (with component and time), the step limit was reached, the problem is too
// stiff for the method. After a failure the solver is at its last accepted step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "solve/problem.hpp"

namespace consort::solve {

enum class LinearSolver : std::uint8_t {
  automatic,  // sparse if there is a pattern and it is faster, otherwise dense
  dense,
  sparse,
  krylov,
};

struct SolverOptions {
  double rtol = 1e-6;
  // Empty: the problem's own tolerances; if it has none, rtol / 100 of the nominals (1 without nominals). A single
  // value applies to all components.
  std::vector<double> atol{};
  Duration initial_step = 0;  // 0: chosen by the method. Methods without step size control always take this step
  Duration min_step = 0;      // 0: limited by rounding only
  Duration max_step = std::numeric_limits<double>::infinity();
  std::uint64_t step_limit = 0;  // accepted steps in the life of the solver; 0: no limit
  int max_order = 0;             // 0: the method's maximum
  LinearSolver linear = LinearSolver::automatic;
  bool correct_initial_values = false;  // Dae: make them consistent instead of failing with the residuals
  bool check_stiffness = true;          // explicit methods with step size control give up on a stiff problem
};

struct Capabilities {
  int min_order = 1;  // equal to max_order for methods of one order
  int max_order = 1;
  bool adaptive = true;  // controls its step size; false: needs SolverOptions::initial_step
  bool stiff = false;
  bool exact_restart = false;  // restore() and deserialise() continue bit for bit; false: they reinitialise
  bool ode = true;
  bool dae = false;
};

struct Statistics {
  std::uint64_t steps = 0;                 // accepted
  std::uint64_t error_test_failures = 0;   // steps repeated because of the error estimate
  std::uint64_t convergence_failures = 0;  // steps repeated: Newton did not converge or a value was not finite
  std::uint64_t evaluations = 0;           // of f or F, including those for Jacobians
  std::uint64_t jacobian_evaluations = 0;  // evaluations of f or F for differences
  std::uint64_t jacobians = 0;
  std::uint64_t factorisations = 0;
  std::uint64_t newton_iterations = 0;
  std::uint64_t restarts = 0;  // reinitialise() and restores that are not exact
  friend bool operator==(const Statistics&, const Statistics&) = default;
};

struct StepResult {
  Time from = 0;
  Time to = 0;
  int order = 0;      // of the method in this step
  Duration next = 0;  // proposed size of the next step
};

// The data of a restart; the views may refer to the solver's own state.
struct Restart {
  Time t = 0;
  ConstVector y;
  ConstVector ydot{};                  // Dae only; empty: unchanged
  const Switches* switches = nullptr;  // null: unchanged
  ConstVector absolute_tolerances{};   // empty: unchanged
};

// A solver's state in memory, for solvers of the same row made for the same problem with the same options.
class Snapshot {
 public:
  virtual ~Snapshot() = default;
};

class Solver {
 public:
  virtual ~Solver() = default;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  // --- stepping

  // Takes one step, which ends at or before `limit` (limit > time()) and evaluates nothing beyond it. A step that would
  // end just before the limit ends on it.
  virtual StepResult step(Time limit) = 0;
  // Drops the method's history; the statistics continue.
  virtual void reinitialise(const Restart& restart) = 0;

  // --- current state

  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual Time time() const = 0;
  [[nodiscard]] virtual ConstVector state() const = 0;  // at time(); valid until the next call that changes it
  [[nodiscard]] virtual ConstVector state_derivative() const = 0;  // Dae: ẏ at time(); Ode: empty
  [[nodiscard]] virtual const Switches& switches() const = 0;
  [[nodiscard]] virtual ConstVector absolute_tolerances() const = 0;
  // Dense output within the last step: equals state() at the end, and the earlier state within the tolerance at the
  // beginning. After a restart only time() itself is valid, and there is no derivative.
  virtual void interpolate(Time t, Vector y) const = 0;
  virtual void interpolate_derivative(Time t, Vector ydot) const = 0;

  [[nodiscard]] virtual const Statistics& statistics() const = 0;
  [[nodiscard]] virtual const Capabilities& capabilities() const = 0;
  [[nodiscard]] virtual std::string_view name() const = 0;

  // --- saving and restoring

  // Saves into `reuse` if given (without allocation), otherwise into a new object.
  [[nodiscard]] virtual std::unique_ptr<Snapshot> snapshot(std::unique_ptr<Snapshot> reuse = nullptr) const = 0;
  virtual void restore(const Snapshot& snapshot) = 0;
  // For checkpoints between runs of the same program on the same kind of machine. deserialise() throws Error (input)
  // for damaged bytes and for those of another solver or problem size; the solver is then unchanged.
  [[nodiscard]] virtual std::vector<std::uint8_t> serialise() const = 0;
  virtual void deserialise(std::span<const std::uint8_t> bytes) = 0;

 protected:
  Solver() = default;
};

// The absolute tolerance of each of n components, by the rule of SolverOptions::atol. Throws Error (input) for sizes
// that do not match and for values that are not positive.
[[nodiscard]] std::vector<double> absolute_tolerances(const SolverOptions& options, const Components& components,
                                                      std::size_t n);
// Throws Error (input) for invalid options, and for options that this solver does not support.
void check(const SolverOptions& options, std::string_view solver, const Capabilities& capabilities);

}  // namespace consort::solve
