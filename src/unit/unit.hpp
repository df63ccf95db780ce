// One thing that can be stepped: a co-simulation FMU, a native model, a Model Exchange FMU with a solver, a test's
// lambdas.
//
// Life of a unit: made → set start values → enter_initialization → set / get → exit_initialization → step … →
// terminate. Values cross its boundary in Columns laid out by a SignalSet, one column per type. Functions throw Error
// (run) that names the unit when it fails; what a caller has to deal with comes back as a StepOutcome.
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
  completed,  // the whole step
  early,      // stopped before its end, and may go on from there
  event,      // at the end or before it: handle events, then go on
  discarded,  // could not do it; `reached` says how far it came
  terminate,  // wants the simulation to end here
};

struct StepOutcome {
  Time reached = 0;
  Why why = Why::completed;
  [[nodiscard]] bool completed() const { return why == Why::completed; }
};

struct StepRequest {
  Time t = 0;
  Duration h = 0;
  bool may_roll_back = false;  // whether a state from before t may be restored later
  // Whether an event inside of the step ends it there, before it is handled, with Why::event; for units with event
  // verbs. Otherwise it is handled where it happens.
  bool stop_at_event = false;
};

// What happened inside of a step.
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
// restored unit repeats what it did bit for bit. Bytes are for another unit of the same model, initialised or not.
// deserialize(), or at the latest restore() of what it returned, throws Error (input) for bytes that are not a whole
// state of this model, and leaves the unit as it was; only a co-simulation FMU reads them itself, so that its refusal
// is an Error (run) after which it cannot be used.
class Rollback {
 public:
  virtual ~Rollback() = default;
  virtual std::unique_ptr<Snapshot> save(std::unique_ptr<Snapshot> reuse = nullptr) = 0;
  virtual void restore(const Snapshot& snapshot) = 0;
  // Whether a restored unit repeats what it did bit for bit, as far as that can be known.
  [[nodiscard]] virtual bool is_exact() const { return true; }
  [[nodiscard]] virtual bool can_serialize() const = 0;
  [[nodiscard]] virtual std::vector<std::uint8_t> serialize(const Snapshot& snapshot) = 0;
  [[nodiscard]] virtual std::unique_ptr<Snapshot> deserialize(std::span<const std::uint8_t> bytes) = 0;
};

struct EventOutcome {
  bool repeat = false;
  bool terminate = false;
  std::optional<Time> next_event{};
};

// exit_initialization() leaves a unit with event mode in it, unless it handles events inside of its steps: update until
// it settles, then leave. In the same way after a step that ended with Why::event, from enter_event_mode() on.
class Events {
 public:
  virtual ~Events() = default;
  virtual void enter_event_mode() = 0;
  virtual EventOutcome update() = 0;
  virtual void leave_event_mode() = 0;
};

// Partial derivatives at the present communication point, time and states held: sensitivity = ∂unknowns/∂knowns · seed.
// Unknowns are Float64 outputs, knowns continuous Float64 inputs. In initialization mode, too, other than in FMI 1.0,
// which has none.
class Derivatives {
 public:
  virtual ~Derivatives() = default;
  virtual void directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                           std::span<const double> seed, std::span<double> sensitivity) = 0;
};

// What the last step would have ended with: sensitivity = ∂(unknowns at its end)/∂(knowns) · seed, where a known is an
// input's value that is shifted by the same amount throughout the step. Unknowns are Float64 outputs. The unit stands
// at the end of the step before and after. Throws Error (run) when no step has been taken since the start or the last
// restore.
class StepDerivatives {
 public:
  virtual ~StepDerivatives() = default;
  virtual void step_directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                                std::span<const double> seed, std::span<double> sensitivity) = 0;
};

// --- the unit --------------------------------------------------------------------------------------------------------

// What has a name, a description and values: a unit, or the instance inside of one.
class Variables {
 public:
  virtual ~Variables() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual const describe::Description& description() const = 0;
  virtual void get(const describe::SignalSet& signals, Columns& values) = 0;
  // `values` is not changed; it is not const because negated aliases are turned around in place and back.
  virtual void set(const describe::SignalSet& signals, Columns& values) = 0;
  // FMI 3.0: sets structural parameters; false when there is no configuration mode.
  virtual bool configure(const describe::SignalSet&, Columns&) { return false; }
};

class Unit : public Variables {
 public:
  [[nodiscard]] virtual bool variable_step() const = 0;

  virtual void enter_initialization(const Experiment& experiment) = 0;
  virtual void exit_initialization() = 0;
  virtual void terminate() = 0;

  // Inputs as polynomials. The highest derivative of continuous Float64 inputs that the unit takes; 0: values only.
  [[nodiscard]] virtual int input_order() const { return 0; }
  // Derivatives at the beginning of the next step, for that step only, after set() has given the values there: one
  // (input, order) pair per value, 1 <= order <= input_order(). What is not named has none. Scalars only. At most once
  // per step.
  virtual void set_input_derivatives(std::span<const ValueReference>, std::span<const std::int32_t>,
                                     std::span<const double>) {}

  virtual StepOutcome step(const StepRequest& request) = 0;
  // Whether a discarded step may be tried again at once, as if it had not been tried; otherwise a state saved before it
  // has to be restored first.
  [[nodiscard]] virtual bool can_reject_steps() const { return false; }

  // As get() and set(), where the values are a part of larger columns that begins at `at`. They go through a copy
  // unless a unit knows better.
  virtual void get_part(const describe::SignalSet& signals, Columns& values, const describe::Offsets& at);
  virtual void set_part(const describe::SignalSet& signals, Columns& values, const describe::Offsets& at);

  // The highest time derivative of Float64 outputs that the unit tells at the end of a step, 1 <= order <=
  // output_order(); 0: none.
  [[nodiscard]] virtual int output_order() const { return 0; }
  virtual void get_output_derivatives(std::span<const ValueReference>, std::span<const std::int32_t>,
                                      std::span<double>) {}

  // Whether outputs follow newly set inputs without a step. Where not, what get() tells after set() belongs to the end
  // of the last step (FMI 2.0 and 3.0, 4.2).
  [[nodiscard]] virtual bool responds_without_step() const { return false; }

  // Whether it has events of its own inside of its steps and handles them there, where the request is not to stop at
  // them. Jumps of inputs between steps are none.
  [[nodiscard]] virtual bool handles_events_inside() const { return false; }
  // Of such units: what happened in the last step, and the time of the next event that they know of.
  [[nodiscard]] virtual StepEvents events_in_step() const { return {}; }
  [[nodiscard]] virtual Time next_event() const { return never; }

  // Null where the unit cannot; what it can, it can all its life.
  [[nodiscard]] virtual Rollback* rollback() { return nullptr; }
  [[nodiscard]] virtual Events* events() { return nullptr; }
  [[nodiscard]] virtual Derivatives* derivatives() { return nullptr; }
  [[nodiscard]] virtual StepDerivatives* step_derivatives() { return nullptr; }

 private:
  friend class fleet::Exchange;
  // A short cut for the step loop: the instance that set(), step() and get() do no more than pass values to, or null.
  [[nodiscard]] virtual fmi::CoSimulation* instance() { return nullptr; }

  Columns part_;  // room for the copies
};

}  // namespace consort::unit
