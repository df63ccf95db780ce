// A Model Exchange instance as a problem for any solver: its states, derivatives, event indicators and events.
//
// Made after exit_initialization(); begin() does the first event iteration and leaves the instance in continuous-time
// mode. From there on the instance belongs to the problem: every function of the problem sets time, inputs and states
// before it asks for something, so values may be read at any point of the solution after set_point().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "describe/description.hpp"
#include "fmi/instance.hpp"
#include "solve/problem.hpp"
#include "unit/settle.hpp"

namespace consort::unit {

// Where the inputs of a Model Exchange instance come from while it is integrated.
class MeInputs {
 public:
  virtual ~MeInputs() = default;
  // Continuous inputs at t; `after`: right after t, where they jump.
  virtual void set_continuous(Time t, bool after) = 0;
  // Everything right after t; in event mode.
  virtual void set_all(Time t) = 0;
  // The next time after t at which something jumps, or solve::never.
  [[nodiscard]] virtual Time next_event_after(Time t) const = 0;
};

class MeProblem {
 public:
  // What it remembers between steps beside the instance itself.
  struct Memory {
    Time next_event = solve::never;
    Time last_event = -solve::never;
    std::uint64_t events = 0;  // handled so far
    bool ended = false;        // the instance has asked to end
  };

  // `inputs` may be null. All must outlive the problem.
  MeProblem(fmi::ModelExchange& instance, const describe::Description& description, MeInputs* inputs);
  MeProblem(const MeProblem&) = delete;
  MeProblem& operator=(const MeProblem&) = delete;

  // The first event iteration at t; fills the problem's start values. False when the instance asks to end right there.
  [[nodiscard]] bool begin(Time t);
  // Instead of begin() for an instance whose state was restored in continuous-time mode at t.
  void resume(Time t, const Memory& memory);

  // Ready after begin(). An instance without states gets one that stays 0, so that every solver can run it.
  [[nodiscard]] const solve::Ode& ode() const { return ode_; }
  // Puts the instance at a point of the solution; does nothing once the instance has asked to end, because it is in
  // event mode then, where it may only be read.
  void set_point(Time t, solve::ConstVector y);
  // Event iteration at t with these states, which it may change; false when the instance asks to end.
  [[nodiscard]] bool handle_event(Time t, solve::Vector y, solve::Vector absolute_tolerances, double rtol);
  // The same in parts, for whoever settles several instances together: into event mode at (t, y); inputs and one
  // update, as often as wanted; out of event mode, unless the instance has asked to end.
  void enter_event(Time t, solve::ConstVector y);
  [[nodiscard]] EventOutcome update(Time t);
  void leave_event(solve::Vector y, solve::Vector absolute_tolerances, double rtol);
  // Whether the last completed integrator step asked to end, which is not an event: the instance has ended then.
  [[nodiscard]] bool end_if_requested() { return memory_.ended = memory_.ended || end_requested_; }
  void set_tolerance(double rtol) { rtol_ = rtol; }
  // Whether a state from before the present point may be restored later; the instance is told after each step.
  void set_may_roll_back(bool may) { may_roll_back_ = may; }

  // The first event that is handled from now on, never where there is none.
  void watch_for_events() { first_event_ = solve::never; }
  [[nodiscard]] Time first_event() const { return first_event_; }

  [[nodiscard]] const Memory& memory() const { return memory_; }
  void restore(const Memory& memory) {
    memory_ = memory;
    end_requested_ = false;
  }

 private:
  // Until the instance is settled; it is in event mode before and in continuous-time mode after.
  Settled settle(Time t);
  void remember(const Settled& settled, Time t);
  // What an event changed.
  void take_up(const Settled& settled, solve::Vector y, solve::Vector absolute_tolerances, double rtol);
  void fill_ode(Time t);
  void fill_events();
  void describe_states();
  void describe_jacobian();
  [[nodiscard]] std::vector<double> nominals();

  fmi::ModelExchange& instance_;
  const describe::Description& description_;
  MeInputs* inputs_;
  solve::Ode ode_;
  std::size_t states_ = 0;
  double rtol_ = 1e-6;
  bool may_roll_back_ = false;
  bool end_requested_ = false;  // by completedIntegratorStep, which is not an event
  Memory memory_;
  Settled so_far_;            // of an event that is handled in parts
  std::uint32_t rounds_ = 0;  // updates of the last event
  Time first_event_ = solve::never;
  std::vector<ValueReference> state_references_, derivative_references_;
  std::vector<ValueReference> column_rows_;  // scratch of the sparse Jacobian
};

}  // namespace consort::unit
