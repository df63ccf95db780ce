// Problems apart from solvers: what is to be solved, in a few lines, without a word about how.
//
//   Ode ode{.y0 = {2, 0}, .rhs = [](double t, ConstVector y, Vector dy) { dy[0] = y[1]; dy[1] = -y[0]; }};
//
// A problem is const while it is solved and must outlive its solvers. What changes is handed in: time, states, and the
// switches, which change only at events. Every function may be written with or without the switches as its last
// argument. What a function throws ends the run and reaches the caller unchanged. A value that is not finite says "not
// here": solvers that can try a smaller step do so, and fail with the name of the component when that does not help.
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

// Of a number of size 1.
inline constexpr double rounding = std::numeric_limits<double>::epsilon();

using Vector = std::span<double>;
using ConstVector = std::span<const double>;
using Switches = std::vector<bool>;

inline constexpr Time never = std::numeric_limits<double>::infinity();

// --- functions of a problem

// A callable R(Args…) or R(Args…, const Switches&); empty by default. It is called with the switches always.
template <class R, class... Args>
class Function {
 public:
  Function() = default;
  template <class F>
  requires(!std::is_same_v<F, Function> &&
           (std::is_invocable_r_v<R, F&, Args..., const Switches&> || std::is_invocable_r_v<R, F&, Args...>))
      Function(F f) {  // NOLINT(google-explicit-constructor): lambdas stand where a Function is wanted
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

// --- what is known beyond the equations

// The places of a matrix that may be other than zero, by columns: rows[starts[j]] … rows[starts[j + 1] - 1] are the
// rows of column j, ascending. Empty: nothing is known.
struct Pattern {
  std::vector<int> starts{};  // n + 1
  std::vector<int> rows{};
  [[nodiscard]] bool empty() const { return starts.empty(); }
  [[nodiscard]] std::size_t count() const { return rows.size(); }
};

// ∂f/∂y of an Ode, in any of these forms; differences (coloured when there is a pattern) take the place of none.
struct OdeJacobian {
  Function<void, Time, ConstVector, Vector> dense{};   // (t, y, J): n·n values, column after column, all to be written
  Function<void, Time, ConstVector, Vector> sparse{};  // (t, y, values) in the order of `pattern`; needs it
  Function<void, Time, ConstVector, ConstVector, Vector> times{};  // (t, y, v, Jv)
  Pattern pattern{};
};

// ∂F/∂y + c · ∂F/∂ẏ of a Dae.
struct DaeJacobian {
  Function<void, Time, ConstVector, ConstVector, double, Vector> dense{};               // (t, y, ẏ, c, J)
  Function<void, Time, ConstVector, ConstVector, double, Vector> sparse{};              // (t, y, ẏ, c, values)
  Function<void, Time, ConstVector, ConstVector, double, ConstVector, Vector> times{};  // (t, y, ẏ, c, v, Jv)
  Pattern pattern{};  // of ∂F/∂y and ∂F/∂ẏ together
};

// Each may be empty.
struct Components {
  std::vector<std::string> names{};           // for messages
  std::vector<double> nominals{};             // typical magnitudes, > 0
  std::vector<double> absolute_tolerances{};  // > 0; SolverOptions::atol overrules them
};

// "'x'", or "component 3" (counted from 0) where there are no names.
[[nodiscard]] std::string component_text(const Components& components, std::size_t i);

// --- events

enum class Direction : std::uint8_t { both, rising, falling };

// Why there is an event. Several reasons may coincide.
struct EventInfo {
  Time t = 0;
  std::uint32_t iteration = 0;           // 0 at first, then counted while the handler asks for another
  std::span<const std::int8_t> roots{};  // one per root function: +1 it rose through zero, -1 it fell, 0 it did not
  bool time_event = false;
  bool step_event = false;
  [[nodiscard]] bool state_event() const {
    for (const auto root : roots) {
      if (root != 0) return true;
    }
    return false;
  }
};

// What a handler may change.
struct EventState {
  Vector y;
  Vector ydot;  // Dae only, otherwise empty
  Switches& switches;
  Vector absolute_tolerances;  // of the solver, for models whose nominals change
  bool again = false;          // asks for another iteration at the same time; cleared before each
  bool terminate = false;      // ends the run here
  bool restart = true;         // cleared by a handler that changed nothing at all, neither here nor in its model
  std::uint32_t rounds = 1;    // of superdense time that the iteration took: more where the model iterates by itself
};

// All may be left out. The functions are called only with states at which the solver has arrived or that it
// interpolates, never with the trial values of an iteration.
struct Events {
  std::size_t root_count = 0;
  Function<void, Time, ConstVector, Vector> roots{};  // (t, y, g): an event where one of g[0…root_count) crosses zero
  std::vector<Direction> directions{};                // of each root; empty: both
  std::vector<std::string> names{};                   // of each root, for the event log; may be empty
  Switches switches{};                                // at the start
  Function<Time, Time, ConstVector>
      next_time_event{};                           // (t, y): asked at the start and after each event; may be `never`
  Function<bool, Time, ConstVector> step_event{};  // (t, y): asked after each accepted step; true: an event is wanted
  std::function<void(const EventInfo&, EventState&)> handle{};  // called until it no longer asks for another iteration
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
  std::vector<bool> differential{};  // false for components whose ẏ does not occur; empty: all are differential
  DaeJacobian jacobian{};
  Events events{};
  Components components{};
};

// Throw Error (input): sizes that do not fit, a missing function, start values that are not finite, a bad pattern.
void check(const Ode& ode);
void check(const Dae& dae);

// F = ẏ - f(t, y), with consistent ẏ0, Jacobians and events taken along. The Ode must outlive the Dae.
[[nodiscard]] Dae as_dae(const Ode& ode);

}  // namespace consort::solve
