// Describes problems independently of solvers.
//
//   Ode ode{.y0 = {2, 0}, .rhs = [](double t, ConstVector y, Vector dy) { dy[0] = y[1]; dy[1] = -y[0]; }};
//
// A problem is const while it is solved and must outlive its solvers. Changing data are arguments: time, states, and
// the switches, which change only at events. Every function may be written with or without the switches as its last
// argument. An exception of a function ends the run and reaches the caller unchanged. A value that is not finite
// rejects a trial point: solvers with step size control try a smaller step, and fail with the name of the component if
// that does not help.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/time.hpp"

namespace consort::solve {

// The rounding error of a number of size 1.
inline constexpr double rounding = std::numeric_limits<double>::epsilon();

using Vector = std::span<double>;
using ConstVector = std::span<const double>;
using Switches = std::vector<bool>;

inline constexpr Time never = std::numeric_limits<double>::infinity();

// --- functions of a problem

// A callable R(Args…) or R(Args…, const Switches&); empty by default. The switches are always passed to its call
// operator.
template <class R, class... Args>
class Function {
 public:
  Function() = default;
  template <class F>
  requires(!std::is_same_v<F, Function> &&
           (std::is_invocable_r_v<R, F&, Args..., const Switches&> || std::is_invocable_r_v<R, F&, Args...>))
      Function(F f) {  // NOLINT(google-explicit-constructor): lets a lambda be used as a Function
    if constexpr (std::is_invocable_r_v<R, F&, Args..., const Switches&>) {
      call_ = std::move(f);
    } else {
      call_ = [g = std::move(f)](Args... args, const Switches&) mutable -> R { return g(std::forward<Args>(args)...); };
    }
  }

  R operator()(Args... args, const Switches& switches) const { return call_(std::forward<Args>(args)..., switches); }
  explicit operator bool() const { return static_cast<bool>(call_); }

 private:
  std::function<R(Args..., const Switches&)> call_;
};

// --- additional information about the equations

// The entries of a matrix that may be nonzero, by columns: rows[starts[j]] … rows[starts[j + 1] - 1] are the rows of
// column j, ascending. Empty: the pattern is unknown.
struct Pattern {
  std::vector<int> starts{};  // n + 1
  std::vector<int> rows{};
  [[nodiscard]] bool empty() const { return starts.empty(); }
  [[nodiscard]] std::size_t count() const { return rows.size(); }
};

// ∂f/∂y of a right-hand side f(t, y, u) whose inner unknowns u follow from 0 = h(t, y, u), as the matrix
// [∂f/∂y ∂f/∂u; ∂h/∂y ∂h/∂u]. Newton's matrix is then formed and factorised with the inner unknowns, so that no inverse
// of ∂h/∂u is needed.
struct BorderedJacobian {
  std::size_t inner = 0;                               // number of inner unknowns
  Pattern pattern{};                                   // of the matrix; empty: there is no such form
  Function<void, Time, ConstVector, Vector> values{};  // (t, y, values) in the order of the pattern
};

// ∂f/∂y of an Ode, in any of these forms. If all are empty, differences are used (coloured if there is a pattern).
// Methods that can make use of the bordered form prefer it; the others need one of the rest (solve/bordered.hpp).
struct OdeJacobian {
  Function<void, Time, ConstVector, Vector> dense{};   // (t, y, J): n·n values, column after column; must write all
  Function<void, Time, ConstVector, Vector> sparse{};  // (t, y, values) in the order of `pattern`, which is required
  Function<void, Time, ConstVector, ConstVector, Vector> times{};  // (t, y, v, Jv)
  Pattern pattern{};
  BorderedJacobian bordered{};
};

// ∂F/∂y + c · ∂F/∂ẏ of a Dae.
struct DaeJacobian {
  Function<void, Time, ConstVector, ConstVector, double, Vector> dense{};               // (t, y, ẏ, c, J)
  Function<void, Time, ConstVector, ConstVector, double, Vector> sparse{};              // (t, y, ẏ, c, values)
  Function<void, Time, ConstVector, ConstVector, double, ConstVector, Vector> times{};  // (t, y, ẏ, c, v, Jv)
  Pattern pattern{};  // of ∂F/∂y and ∂F/∂ẏ together
};

// Each member may be empty.
struct Components {
  std::vector<std::string> names{};           // for messages
  std::vector<double> nominals{};             // typical magnitudes, > 0
  std::vector<double> absolute_tolerances{};  // > 0; SolverOptions::atol overrides them
};

// "'x'", or "component 3" (counted from 0) if there are no names.
[[nodiscard]] std::string component_text(const Components& components, std::size_t i);

// --- events

enum class Direction : std::uint8_t { both, rising, falling };

// The causes of an event; several may coincide.
struct EventInfo {
  Time t = 0;
  std::uint32_t iteration = 0;           // 0 at first, then counts the repetitions that the handler requests
  std::span<const std::int8_t> roots{};  // one per root function: +1 rising, -1 falling, 0 no crossing
  bool time_event = false;
  bool step_event = false;
  [[nodiscard]] bool state_event() const {
    for (const auto root : roots) {
      if (root != 0) return true;
    }
    return false;
  }
};

// The values that a handler may change.
struct EventState {
  Vector y;
  Vector ydot;  // Dae only, otherwise empty
  Switches& switches;
  Vector absolute_tolerances;  // of the solver, for models whose nominals change
  bool again = false;          // requests another iteration at the same time; cleared before each
  bool terminate = false;      // ends the run here
  bool restart = true;         // a handler clears it if it changed nothing, neither here nor in its model
  std::uint32_t rounds = 1;    // of superdense time in this iteration; more than 1 if the model iterates itself
};

// All members are optional. The functions are called only with states that the solver has reached or that it
// interpolates, never with the trial values of an iteration.
struct Events {
  std::size_t root_count = 0;
  Function<void, Time, ConstVector, Vector> roots{};  // (t, y, g): an event when one of g[0…root_count) crosses zero
  std::vector<Direction> directions{};                // of each root; empty: both
  std::vector<std::string> names{};                   // of each root, for the event log; may be empty
  bool apart_after_events =
      false;            // after an event the model keeps its root functions away from zero (FMI requires it)
  Switches switches{};  // at the start
  Function<Time, Time, ConstVector>
      next_time_event{};  // (t, y): called at the start and after each event; may return `never`
  Function<bool, Time, ConstVector> step_event{};  // (t, y): called after each accepted step; true requests an event
  std::function<void(const EventInfo&, EventState&)> handle{};  // called until it no longer requests another iteration
};

// --- problems

// ẏ = f(t, y)
struct Ode {
  Time t0 = 0;
  std::vector<double> y0{};
  Function<void, Time, ConstVector, Vector> rhs{};  // (t, y, dy)
  OdeJacobian jacobian{};
  Events events{};
  Components components{};
};

// F(t, y, ẏ) = 0
struct Dae {
  Time t0 = 0;
  std::vector<double> y0{};
  std::vector<double> ydot0{};
  Function<void, Time, ConstVector, ConstVector, Vector> residual{};  // (t, y, ẏ, r)
  std::vector<bool> differential{};  // false: the component's ẏ does not occur; empty: all are differential
  DaeJacobian jacobian{};
  Events events{};
  Components components{};
};

// Throw Error (input) for sizes that do not match, a missing function, start values that are not finite, an invalid
// pattern.
void check(const Ode& ode);
void check(const Dae& dae);

// F = ẏ - f(t, y), with consistent ẏ0 and the Ode's Jacobians and events. The Ode must outlive the Dae.
[[nodiscard]] Dae as_dae(const Ode& ode);

}  // namespace consort::solve
