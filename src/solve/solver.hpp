// One interface for every integration method: made for a problem, it goes from step to step.
//
// A solver is made from a row of the table (solve/solvers.hpp) for one problem, which must outlive it. It knows nothing
// of roots, time events and output; those are the driver's (solve/integrate.hpp). Its state is the problem's time,
// states and switches together with everything the method remembers.
//
// Failures are thrown as Error (run): the step size fell below its limit (with the component that limited it), the
// problem gave values that are not finite (with component and time), the step limit was reached, the problem is too
// stiff for the method. After one the solver stands at its last accepted step.
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
  automatic,  // sparse when there is a pattern and it pays, otherwise dense
  dense,
  sparse,
  krylov,
};

struct SolverOptions {
  double rtol = 1e-6;
  // Empty: the problem's own; where it has none, rtol / 100 of the nominals (1 where there are none). One value is for
  // all components.
  std::vector<double> atol{};
  Duration initial_step = 0;  // 0: chosen by the method. Methods without step size control take this step throughout
  Duration min_step = 0;      // 0: what rounding allows
  Duration max_step = std::numeric_limits<double>::infinity();
  std::uint64_t step_limit = 0;  // accepted steps in the life of the solver; 0: no limit
  int max_order = 0;             // 0: the method's
  LinearSolver linear = LinearSolver::automatic;
  bool correct_initial_values = false;  // Dae: make them consistent instead of failing with the residuals
  bool check_stiffness = true;          // explicit methods with step size control give up on a stiff problem
};

struct Capabilities {
  int min_order = 1;  // equal to max_order for methods of one order
  int max_order = 1;
  bool adaptive = true;  // controls its step; otherwise it needs SolverOptions::initial_step
  bool stiff = false;
  bool exact_restart = false;  // restore() and deserialise() continue bit for bit; otherwise they re-initialise
  bool ode = true;
  bool dae = false;
};

struct Statistics {
  std::uint64_t steps = 0;                // accepted
  std::uint64_t error_test_failures = 0;  // steps repeated because of the error estimate
  std::uint64_t convergence_failures =
      0;                          // steps repeated because Newton did not converge or the problem was not finite
  std::uint64_t evaluations = 0;  // of f or F, those for Jacobians included
  std::uint64_t jacobian_evaluations = 0;  // those of f or F that were spent on differences
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
  Duration next = 0;  // the step that it would like to take next
};

// A new start; the views may be of the solver's own state.
struct Restart {
  Time t = 0;
  ConstVector y;
  ConstVector ydot{};                  // Dae only; empty: as it is
  const Switches* switches = nullptr;  // null: as they are
  ConstVector absolute_tolerances{};   // empty: as they are
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

  // --- going on

  // One step of the method, which ends at `limit` at the latest (limit > time()) and evaluates nothing beyond it. A
  // step that would end just before the limit ends on it.
  virtual StepResult step(Time limit) = 0;
  // Drops what the method remembers of the solution; the statistics go on.
  virtual void reinitialise(const Restart& restart) = 0;

  // --- where it is

  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual Time time() const = 0;
  [[nodiscard]] virtual ConstVector state() const = 0;  // at time(); valid until the next call that changes it
  [[nodiscard]] virtual ConstVector state_derivative() const = 0;  // Dae: ẏ at time(); Ode: empty
  [[nodiscard]] virtual const Switches& switches() const = 0;
  [[nodiscard]] virtual ConstVector absolute_tolerances() const = 0;
  // Dense output anywhere in the last step: state() at its end, the state before to within the tolerance at its
  // beginning. After a new start there is only time() itself, and no derivative.
  virtual void interpolate(Time t, Vector y) const = 0;
  virtual void interpolate_derivative(Time t, Vector ydot) const = 0;

  [[nodiscard]] virtual const Statistics& statistics() const = 0;
  [[nodiscard]] virtual const Capabilities& capabilities() const = 0;
  [[nodiscard]] virtual std::string_view name() const = 0;

  // --- saving and going back

  // Into `reuse` when given (then without allocation), otherwise into a new one.
  [[nodiscard]] virtual std::unique_ptr<Snapshot> snapshot(std::unique_ptr<Snapshot> reuse = nullptr) const = 0;
  virtual void restore(const Snapshot& snapshot) = 0;
  // For checkpoints, between runs of the same program on machines of the same kind. deserialise() throws Error (input)
  // for bytes of another solver or problem size and for damaged ones, and leaves the solver as it was.
  [[nodiscard]] virtual std::vector<std::uint8_t> serialise() const = 0;
  virtual void deserialise(std::span<const std::uint8_t> bytes) = 0;

 protected:
  Solver() = default;
};

// The absolute tolerance of each of n components, by the rule of SolverOptions::atol. Throws Error (input) for sizes
// that do not fit and for values that are not positive.
[[nodiscard]] std::vector<double> absolute_tolerances(const SolverOptions& options, const Components& components,
                                                      std::size_t n);
// Throws Error (input) for options that no solver could follow, and for what this one cannot.
void check(const SolverOptions& options, std::string_view solver, const Capabilities& capabilities);

}  // namespace consort::solve
