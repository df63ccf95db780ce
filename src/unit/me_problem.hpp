// Presents a Model Exchange instance as a problem for any solver: states, derivatives, event indicators and events.
//
// Construct it after exit_initialization(). begin() runs the first event iteration and leaves the instance in
// continuous-time mode. From then on, only the problem may drive the instance. Every function sets time, inputs and
// states before it evaluates anything, so values can be read at any point of the solution after set_point().
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

// Source of the inputs of a Model Exchange instance during integration.
class MeInputs {
 public:
  virtual ~MeInputs() = default;
  // Sets the continuous inputs at t. `after`: if an input jumps at t, use its value right after the jump.
  virtual void set_continuous(Time t, bool after) = 0;
  // Sets all inputs to their values right after t. Called in event mode.
  virtual void set_all(Time t) = 0;
  // Returns the next time after t at which an input jumps, or solve::never.
  [[nodiscard]] virtual Time next_event_after(Time t) const = 0;
};

class MeProblem {
 public:
  // State between steps in addition to the state of the instance.
  struct Memory {
    Time next_event = solve::never;
    Time last_event = -solve::never;
    std::uint64_t events = 0;  // number of events handled so far
    bool ended = false;        // the instance has requested to end
  };

  // `inputs` may be null (no inputs). All arguments must outlive the problem.
  MeProblem(fmi::ModelExchange& instance, const describe::Description& description, MeInputs* inputs);
  MeProblem(const MeProblem&) = delete;
  MeProblem& operator=(const MeProblem&) = delete;

  // Runs the first event iteration at t and fills the start values of the problem. Returns false if the instance
  // requests to end at t.
  [[nodiscard]] bool begin(Time t);
  // Call instead of begin() if the state of the instance was restored in continuous-time mode at t.
  void resume(Time t, const Memory& memory);

  // Valid after begin(). An instance without states gets one constant state of 0, so that every solver can run it.
  [[nodiscard]] const solve::Ode& ode() const { return ode_; }
  // Sets the instance to a point of the solution. Does nothing after the instance has requested to end, because the
  // instance is then in event mode and may only be read.
  void set_point(Time t, solve::ConstVector y);
  // Evaluates the model at the point that was set, whose time is t. Call it before variables are read. With some tools
  // (OpenModelica up to 1.12), functions that read variables return the values of the last evaluation of derivatives or
  // event indicators. Others (OpenModelica from 1.13 on) take all variables for current after such an evaluation, even
  // those that it does not need.
  void evaluate(Time t);
  // Runs the event iteration at t. The iteration may change `y`. Returns false if the instance requests to end.
  [[nodiscard]] bool handle_event(Time t, solve::Vector y, solve::Vector absolute_tolerances, double rtol);
  // handle_event() in parts, for callers that settle several instances together: enter event mode at (t, y); set inputs
  // and update as often as needed; leave event mode, unless the instance has requested to end.
  void enter_event(Time t, solve::ConstVector y);
  [[nodiscard]] EventOutcome update(Time t);
  void leave_event(solve::Vector y, solve::Vector absolute_tolerances, double rtol);
  // True if the last completed integrator step requested to end. This is not an event; the instance has then ended.
  [[nodiscard]] bool end_if_requested() { return memory_.ended = memory_.ended || end_requested_; }
  void set_tolerance(double rtol) { rtol_ = rtol; }
  // Says whether a state from before the current point may be restored later. Passed to the instance after each step.
  void set_may_roll_back(bool may) { may_roll_back_ = may; }

  // The first sign since begin() that the instance has events other than those of its inputs. Not part of the memory: a
  // restore does not undo it.
  struct Sign {
    enum class Kind : std::uint8_t {
      none,
      time_event,  // announced for t
      step_event,  // requested by the completed step to t
      end,         // requested by an event at t
    };
    Kind kind = Kind::none;
    Time t = 0;
  };
  [[nodiscard]] const Sign& sign_of_events() const { return sign_; }

  // first_event() returns the time of the first event handled after this call, or `never`.
  void watch_for_events() { first_event_ = solve::never; }
  [[nodiscard]] Time first_event() const { return first_event_; }

  [[nodiscard]] const Memory& memory() const { return memory_; }
  void restore(const Memory& memory) {
    memory_ = memory;
    end_requested_ = false;
  }

 private:
  [[nodiscard]] fmi::DiscreteUpdate update_instance();
  // Updates until the instance has settled. It is in event mode before and in continuous-time mode after the call.
  Settled settle(Time t);
  void remember(const Settled& settled, Time t);
  void note_sign(Sign::Kind kind, Time t) {
    if (sign_.kind == Sign::Kind::none) sign_ = {kind, t};
  }
  // Applies the changes that an event made to states and tolerances. They are read, because not every tool flags them.
  void take_up(solve::Vector y, solve::Vector absolute_tolerances, double rtol);
  void fill_ode(Time t);
  void fill_events();
  void describe_states();
  void describe_jacobian();
  void describe_bordered(fmi::BorderedJacobian& own);
  void read_nominals(std::vector<double>& to);

  fmi::ModelExchange& instance_;
  const describe::Description& description_;
  MeInputs* inputs_;
  solve::Ode ode_;
  std::size_t states_ = 0;
  double rtol_ = 1e-6;
  bool may_roll_back_ = false;
  bool end_requested_ = false;  // by completedIntegratorStep; not an event
  Memory memory_;
  Sign sign_;
  std::vector<double> evaluated_;  // scratch of evaluate()
  Settled so_far_;                 // accumulated outcome of an event that is handled in parts
  std::uint32_t rounds_ = 0;       // number of updates in the last event
  Time first_event_ = solve::never;
  std::vector<double> nominals_before_, nominals_;  // the last event
  std::vector<ValueReference> state_references_, derivative_references_;
  std::vector<ValueReference> column_rows_;  // scratch of the sparse Jacobian
};

}  // namespace consort::unit
