// The interface of everything that can be stepped: a co-simulation FMU, a native model, a Model Exchange FMU with a
// solver, or the lambdas of a test.
//
// Call order: construct → set start values → enter_initialization → set / get → exit_initialization → step … →
// terminate. Values are passed in Columns laid out by a SignalSet, one column per type. If the unit fails, functions
// throw Error (run) that names the unit. Outcomes that the caller must handle are returned as a StepOutcome.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "base/value.hpp"
#include "describe/description.hpp"
#include "describe/signals.hpp"
#include "fmi/instance.hpp"

namespace consort::fleet {
class Exchange;
}

namespace consort::unit {

using fmi::Experiment;

inline constexpr Time never = std::numeric_limits<Time>::infinity();

enum class Why : std::uint8_t {
  completed,  // the whole step was done
  early,      // stopped before the end; can continue from there
  event,      // stopped at an event at or before the end: handle it, then continue
  discarded,  // the step failed; `reached` is the time that was reached
  terminate,  // requests to end the simulation here
};

struct StepOutcome {
  Time reached = 0;
  Why why = Why::completed;
  [[nodiscard]] bool completed() const { return why == Why::completed; }
};

struct StepRequest {
  Time t = 0;
  Duration h = 0;
  bool may_roll_back = false;  // a state from before t may be restored later
  // For units with Events: an event inside the step ends the step with Why::event before the event is handled.
  // Otherwise the unit handles the event inside the step.
  bool stop_at_event = false;
  bool may_discard = false;  // the caller repeats a discarded step, with all units; see fleet::Exchange
};

// Events inside a step.
struct StepEvents {
  std::uint32_t count = 0;
  Time first = never;
};

// --- capabilities ----------------------------------------------------------------------------------------------------

class Snapshot {
 public:
  virtual ~Snapshot() = default;
};

// Snapshots are independent of each other, can be restored any number of times, and must not outlive their unit. A
// restored unit repeats its results bit for bit, or within rounding errors if it is not complete. Such a unit may find
// out while it runs that it cannot go back: save() or restore() then throw Error (run) with the reason. Serialized
// bytes can be loaded into another unit of the same model, initialised or not. If bytes are not a complete state of
// this model, deserialize() or at the latest restore() throws Error (input) and leaves the unit unchanged. Exception: a
// co-simulation FMU reads the bytes itself; if it rejects them, Error (run) is thrown and the unit can no longer be
// used.
class Rollback {
 public:
  virtual ~Rollback() = default;
  virtual std::unique_ptr<Snapshot> save(std::unique_ptr<Snapshot> reuse = nullptr) = 0;
  virtual void restore(const Snapshot& snapshot) = 0;
  // True if a restored unit repeats its results bit for bit, as far as Consort can know.
  [[nodiscard]] virtual bool is_exact() const { return true; }
  // False if the unit cannot save its state, and only its time, continuous states and inputs are set back: see
  // set_back.hpp.
  [[nodiscard]] virtual bool is_complete() const { return true; }
  // False if an FMU saves the state: whether it restores all of it is then tested during the run.
  [[nodiscard]] virtual bool is_trusted() const { return true; }
  [[nodiscard]] virtual bool can_serialize() const = 0;
  [[nodiscard]] virtual std::vector<std::uint8_t> serialize(const Snapshot& snapshot) = 0;
  [[nodiscard]] virtual std::unique_ptr<Snapshot> deserialize(std::span<const std::uint8_t> bytes) = 0;
};

struct EventOutcome {
  bool repeat = false;
  bool terminate = false;
  std::optional<Time> next_event{};
};

// After exit_initialization(), a unit with event mode is in event mode, unless it handles events inside its steps. Call
// update() until the unit has settled, then leave_event_mode(). After a step that ended with Why::event, call
// enter_event_mode() first, then do the same.
class Events {
 public:
  virtual ~Events() = default;
  virtual void enter_event_mode() = 0;
  virtual EventOutcome update() = 0;
  virtual void leave_event_mode() = 0;
};

// Partial derivatives at the current communication point, with time and states held: sensitivity = ∂unknowns/∂knowns ·
// seed. Unknowns are Float64 outputs, knowns are continuous Float64 inputs. Also available in initialization mode,
// except in FMI 1.0, which has no such mode.
class Derivatives {
 public:
  virtual ~Derivatives() = default;
  virtual void directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                           std::span<const double> seed, std::span<double> sensitivity) = 0;
};

// Derivatives over the last step: sensitivity = ∂(unknowns at its end)/∂(knowns) · seed. A known is an input that is
// shifted by the same amount throughout the step. Unknowns are Float64 outputs. The unit is at the end of the step
// before and after the call. Throws Error (run) if no step was taken since the start or the last restore.
class StepDerivatives {
 public:
  virtual ~StepDerivatives() = default;
  virtual void step_directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                                std::span<const double> seed, std::span<double> sensitivity) = 0;
};

// --- the unit --------------------------------------------------------------------------------------------------------

// An object with a name, a description and values: a unit, or the instance inside a unit.
class Variables {
 public:
  virtual ~Variables() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual const describe::Description& description() const = 0;
  virtual void get(const describe::SignalSet& signals, Columns& values) = 0;
  // `values` is unchanged afterwards. It is not const because the sign of negated aliases is flipped in place during
  // the call.
  virtual void set(const describe::SignalSet& signals, Columns& values) = 0;
  // As get(), for values that are not essential. Returns the reason if the unit refuses to tell them; the values are
  // then undefined, and the unit stays usable. Throws Error (run) if the unit cannot continue.
  [[nodiscard]] virtual std::string try_get(const describe::SignalSet& signals, Columns& values);
  // FMI 3.0: sets structural parameters. Returns false if the unit has no configuration mode.
  virtual bool configure(const describe::SignalSet&, Columns&) { return false; }
  // Before initialization: returns to the state after instantiation, also after an error. Values and structural
  // parameters are lost. Returns false if that is not possible; the unit can then no longer be used.
  [[nodiscard]] virtual bool reset() { return false; }
};

class Unit : public Variables {
 public:
  [[nodiscard]] virtual bool variable_step() const = 0;

  virtual void enter_initialization(const Experiment& experiment) = 0;
  virtual void exit_initialization() = 0;
  virtual void terminate() = 0;

  // Highest derivative of continuous Float64 inputs that the unit accepts (inputs as polynomials); 0: values only.
  [[nodiscard]] virtual int input_order() const { return 0; }
  // Sets input derivatives at the beginning of the next step, for that step only. Call after set() has set the input
  // values, at most once per step. One (input, order) pair per value, 1 <= order <= input_order(), in ascending order.
  // Derivatives that are not listed are 0. Scalar inputs only. Throws fmi::Refused if an FMU does not accept the
  // highest of these orders; then set the input values again, and lower orders only.
  virtual void set_input_derivatives(std::span<const ValueReference>, std::span<const std::int32_t>,
                                     std::span<const double>) {}

  virtual StepOutcome step(const StepRequest& request) = 0;
  // True if a discarded step can be retried at once. If false, a state saved before the step must be restored first.
  [[nodiscard]] virtual bool can_reject_steps() const { return false; }

  // Like get() and set(), but the values are the part of larger columns that begins at `at`. The default implementation
  // copies the values; units may override it.
  virtual void get_part(const describe::SignalSet& signals, Columns& values, const describe::Offsets& at);
  virtual void set_part(const describe::SignalSet& signals, Columns& values, const describe::Offsets& at);

  // Highest time derivative of Float64 outputs that the unit provides at the end of a step; 0: no derivatives. For
  // get_output_derivatives(), 1 <= order <= output_order().
  [[nodiscard]] virtual int output_order() const { return 0; }
  virtual void get_output_derivatives(std::span<const ValueReference>, std::span<const std::int32_t>,
                                      std::span<double>) {}

  // True if outputs respond to newly set inputs without a step. If false, get() after set() returns the outputs at the
  // end of the last step (FMI 2.0 and 3.0, 4.2).
  [[nodiscard]] virtual bool responds_without_step() const { return false; }

  // True if set() also takes a continuous state, alone, between steps or in event mode: the unit goes on from there.
  // Call update() in event mode afterwards, as after any event.
  [[nodiscard]] virtual bool takes_states() const { return false; }

  // True if the unit has its own events inside steps and handles them there, unless the request has stop_at_event.
  // Jumps of inputs between steps do not count as such events.
  [[nodiscard]] virtual bool handles_events_inside() const { return false; }
  // For such units: the events in the last step, and the time of the next known event.
  [[nodiscard]] virtual StepEvents events_in_step() const { return {}; }
  [[nodiscard]] virtual Time next_event() const { return never; }

  // Capabilities; null: not supported. The answer never changes during the lifetime of the unit.
  [[nodiscard]] virtual Rollback* rollback() { return nullptr; }
  // If rollback() is null: why it would not be enough to set back continuous states and inputs, as a clause ("it has
  // event indicators"). Empty: does not apply.
  [[nodiscard]] virtual std::string why_no_rollback() const { return {}; }
  [[nodiscard]] virtual Events* events() { return nullptr; }
  [[nodiscard]] virtual Derivatives* derivatives() { return nullptr; }
  [[nodiscard]] virtual StepDerivatives* step_derivatives() { return nullptr; }

 private:
  friend class fleet::Exchange;
  // Shortcut for the step loop: the instance, if set(), step() and get() only pass values on to it; otherwise null.
  [[nodiscard]] virtual fmi::CoSimulation* instance() { return nullptr; }

  Columns part_;  // scratch for the copies
};

}  // namespace consort::unit
