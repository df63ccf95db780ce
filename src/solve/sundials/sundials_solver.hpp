// Shared by the solvers of SUNDIALS: single steps, dense output, conversion of failures, statistics across restarts,
// and saving.
//
// The library's history is private: only the problem's state can be saved, and restoring restarts the method. Two
// buffers alternate as the target of a step, so that the states at both ends of the last step are available without
// copies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "solve/problem.hpp"
#include "solve/solver.hpp"
#include "solve/solvers.hpp"
#include "solve/sundials/sundials_support.hpp"

namespace consort::solve {

class SundialsSolver : public Solver {
 public:
  StepResult step(Time limit) final;
  void reinitialise(const Restart& restart) final;

  [[nodiscard]] std::size_t size() const final { return state_.y.size(); }
  [[nodiscard]] Time time() const final { return state_.t; }
  [[nodiscard]] ConstVector state() const final { return const_view(now_.get()); }
  [[nodiscard]] ConstVector state_derivative() const final { return state_.ydot; }
  [[nodiscard]] const Switches& switches() const final { return state_.switches; }
  [[nodiscard]] ConstVector absolute_tolerances() const final { return state_.atol; }
  void interpolate(Time t, Vector y) const final;
  void interpolate_derivative(Time t, Vector ydot) const final;
  [[nodiscard]] const Statistics& statistics() const final;
  [[nodiscard]] const Capabilities& capabilities() const final { return row_.capabilities; }
  [[nodiscard]] std::string_view name() const final { return row_.name; }

  [[nodiscard]] std::unique_ptr<Snapshot> snapshot(std::unique_ptr<Snapshot> reuse) const final;
  void restore(const Snapshot& snapshot) final;
  [[nodiscard]] std::vector<std::uint8_t> serialise() const final;
  void deserialise(std::span<const std::uint8_t> bytes) final;

 protected:
  // The saved data. `y` is the memory of one of the two buffers; it holds the state only in a copy made by saved().
  struct State {
    Time t = 0;
    std::vector<double> y{};
    std::vector<double> ydot{};  // Dae only
    std::vector<double> atol{};
    Switches switches{};

    template <class Archive>
    void fields(Archive& archive) {
      archive(t, y, ydot, atol, switches);
    }
  };
  struct Problem {  // common to an Ode and a Dae
    Time t0;
    const std::vector<double>& y0;
    const Events& events;
    const Components& components;
  };
  struct Advance {  // result of the library's step
    int flag = 0;   // negative: failure
    Time reached = 0;
    int order = 0;
    Duration next = 0;
    bool stiff = false;  // too stiff for the method; the caller must stop
  };

  SundialsSolver(const SolverRow& row, const Problem& problem, const SolverOptions& options);

  // --- calls of the library; never made for a problem without states

  // Takes one step and writes the state to now().
  virtual Advance advance(Time limit) = 0;
  // Starts at time() from now(), with the current tolerances. May change now() and ydot if the problem allows it.
  virtual void start() = 0;
  // The k-th derivative of the last step's polynomial.
  virtual int polynomial(Time t, int k, N_Vector out) const = 0;
  // The first derivative at time() before the first step.
  virtual void first_derivative(Vector out) const = 0;
  // Adds the library's counts since start().
  virtual void add_counters(Statistics& statistics) const = 0;
  // Estimated local errors times their weights in the last attempt.
  virtual bool weighted_errors(N_Vector errors, N_Vector weights) const = 0;
  // "derivative" or "residual": the value of the problem's function, for messages.
  [[nodiscard]] virtual std::string_view function_text() const { return "derivative"; }
  [[nodiscard]] virtual Duration attempted_step() const = 0;

  // --- for the methods

  [[nodiscard]] N_Vector now() const { return now_.get(); }
  [[nodiscard]] N_Vector before() const { return before_.get(); }  // at from(), where the last step began
  [[nodiscard]] Time from() const { return from_; }
  [[nodiscard]] SUNContext context() const { return context_; }
  [[nodiscard]] const Components& components() const { return components_; }
  [[nodiscard]] bool one_tolerance_for_all() const;
  // Throws the Error for a failure in the library or in the problem's functions.
  [[noreturn]] void fail(int flag) const;

  // NOLINTBEGIN(cppcoreguidelines-non-private-member-variables-in-classes): the methods work on them
  const SolverRow& row_;
  SolverOptions options_;
  State state_;
  mutable CallbackTrouble trouble_;
  mutable std::uint64_t evaluations_ = 0;             // counted at each call of the problem
  mutable std::uint64_t difference_evaluations_ = 0;  // for Consort's own (coloured) differences
  // NOLINTEND(cppcoreguidelines-non-private-member-variables-in-classes)

 private:
  struct Saved : Snapshot {
    State state;
  };

  [[nodiscard]] Statistics library_counters() const;  // of all starts
  [[nodiscard]] N_Vector around(Vector memory) const;
  void save_to(State& state) const;
  void go_to(const State& state);
  void check_limit(Time limit) const;
  StepResult step_without_states(Time limit);
  Advance guarded_advance(Time limit);
  [[noreturn]] void fail_step_size() const;
  [[noreturn]] void fail_not_finite() const;
  [[noreturn]] void fail_stiff(Duration h) const;

  const Components& components_;
  SundialsContext context_;
  std::vector<double> other_;  // the second buffer; the first is state_.y
  NVector now_;                // at time()
  NVector before_;             // at from_
  Time from_ = 0;
  bool stepped_ = false;  // since the last start
  std::uint64_t steps_ = 0;
  std::uint64_t restarts_ = 0;
  Statistics earlier_;        // the library's counts before the last start
  mutable Statistics shown_;  // computed on request
  mutable NVector out_;       // lent to the library around the caller's memory
};

}  // namespace consort::solve
