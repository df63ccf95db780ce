// A running instance of an FMU, independent of the version, in the terms of FMI 3.0. FMI 1.0 and 2.0 are mapped to it.
//
// Call order: instantiate (Fmu) → set start values → enter_initialization → set / get → exit_initialization → run →
// terminate → destroy. FMI 1.0 initialises in one call, which exit_initialization() makes; it uses all values set
// before.
//
// When the FMU reports an error, every function throws Error (run) with the instance, the call, the time and the FMU's
// messages. A feature that the version or the FMU lacks is a null capability, never a function that fails.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/time.hpp"
#include "base/value.hpp"
#include "describe/description.hpp"
#include "fmi/binaries.hpp"

namespace consort::fmi {

// Thrown when a Model Exchange instance discards a trial point (FMI 2.0, 2.1.3). The caller tries a point nearer to the
// last one.
class Discarded : public Error {
 public:
  using Error::Error;
};

// Thrown when an instance refuses a call that is not essential. The caller can go on without it.
class Refused : public Error {
 public:
  using Error::Error;
};

// Thrown if an instance refuses such a call with a fatal error, after which no call is allowed.
class FatalRefusal : public Error {
 public:
  using Error::Error;
};

// --- capabilities ----------------------------------------------------------------------------------------------------

// A saved state; freed with the object, which must not outlive its instance.
class SavedState {
 public:
  virtual ~SavedState() = default;
};

class StateSaving {
 public:
  virtual ~StateSaving() = default;
  // Saves into `reuse` if given (without allocation if the FMU supports that), otherwise into a new object.
  virtual std::unique_ptr<SavedState> save(std::unique_ptr<SavedState> reuse = nullptr) = 0;
  virtual void restore(const SavedState& state) = 0;
  [[nodiscard]] virtual bool can_serialize() const = 0;
  [[nodiscard]] virtual std::vector<std::uint8_t> serialize(
      const SavedState& state) = 0;  // Error (input) unless can_serialize()
  [[nodiscard]] virtual std::unique_ptr<SavedState> deserialize(std::span<const std::uint8_t> bytes) = 0;
};

class DirectionalDerivatives {
 public:
  virtual ~DirectionalDerivatives() = default;
  // sensitivity = ∂unknowns/∂knowns · seed, at the current point.
  virtual void directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                           std::span<const double> seed, std::span<double> sensitivity) = 0;
};

class AdjointDerivatives {
 public:
  virtual ~AdjointDerivatives() = default;
  // sensitivity = seedᵀ · ∂unknowns/∂knowns.
  virtual void adjoint(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                       std::span<const double> seed, std::span<double> sensitivity) = 0;
};

// FMI 1.0 and 2.0: derivatives of continuous inputs over the next step, one (reference, order) pair per value. Throws
// Refused if the FMU does not take them without objection.
class InputDerivatives {
 public:
  virtual ~InputDerivatives() = default;
  virtual void set_input_derivatives(std::span<const ValueReference> references, std::span<const std::int32_t> orders,
                                     std::span<const double> values) = 0;
};

class OutputDerivatives {
 public:
  virtual ~OutputDerivatives() = default;
  virtual void output_derivatives(std::span<const ValueReference> references, std::span<const std::int32_t> orders,
                                  std::span<double> values) = 0;
};

// Event iteration. Model Exchange always has it; Co-Simulation in FMI 3.0 has it if the FMU supports it and it was
// requested.
struct DiscreteUpdate {
  bool repeat = false;  // discreteStatesNeedUpdate
  bool terminate = false;
  bool nominals_changed = false;
  bool states_changed = false;
  std::optional<Time> next_event;
};

class EventMode {
 public:
  virtual ~EventMode() = default;
  virtual void enter_event_mode() = 0;
  // An event that an earlier update announced remains announced if the FMU does not write it and it still lies ahead:
  // some tools write only what has changed. The other results begin as false in every update.
  virtual DiscreteUpdate update_discrete_states() = 0;
  // Returns to step mode (Co-Simulation) or continuous-time mode (Model Exchange).
  virtual void leave_event_mode() = 0;
};

// FMI 3.0: in configuration mode structural parameters may be set, before initialization or (tunable ones) at an event.
class Configuration {
 public:
  virtual ~Configuration() = default;
  virtual void enter_configuration() = 0;
  virtual void exit_configuration() = 0;
};

// FMI 3.0 clocks. Ticks themselves are values of type Clock.
struct ClockInterval {
  double interval = 0;
  enum class Qualifier : std::uint8_t { not_yet_known, unchanged, changed } qualifier = Qualifier::not_yet_known;
};

class Clocks {
 public:
  virtual ~Clocks() = default;
  [[nodiscard]] virtual ClockInterval interval(ValueReference clock) = 0;
  virtual void set_interval(ValueReference clock, double interval) = 0;
  [[nodiscard]] virtual double shift(ValueReference clock) = 0;
  virtual void set_shift(ValueReference clock, double shift) = 0;
};

// --- the instance ----------------------------------------------------------------------------------------------------

struct Experiment {
  Time start = 0;
  std::optional<Time> stop{};
  std::optional<double> tolerance{};
};

class Instance {
 public:
  virtual ~Instance() = default;

  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual const describe::Interface& interface() const = 0;

  virtual void set_debug_logging(bool on, std::span<const std::string> categories) = 0;
  virtual void enter_initialization(const Experiment& experiment) = 0;
  virtual void exit_initialization() = 0;
  virtual void terminate() = 0;  // does nothing after an error that forbids it
  virtual void reset() = 0;      // back to the state after instantiation; throws Error (run) after a fatal error

  // Values of one type. `values` holds the elements of all references in sequence; an array (FMI 3.0) has several
  // elements.
  template <class T>
  void get(std::span<const ValueReference> references, std::span<T> values) {
    read(type_of<T>, references, values.data(), values.size());
  }
  template <class T>
  void set(std::span<const ValueReference> references, std::span<const T> values) {
    write(type_of<T>, references, values.data(), values.size());
  }

  // Calls `reads`, which reads values that are not essential. If it fails, throws Refused, and the instance stays
  // usable unless the status is fatal.
  virtual void tolerate(const std::function<void()>& reads);

  // Null if the version, the FMU's flags or its binary lack the capability; missing() gives the reason.
  [[nodiscard]] virtual StateSaving* state_saving() { return nullptr; }
  [[nodiscard]] virtual DirectionalDerivatives* directional_derivatives() { return nullptr; }
  [[nodiscard]] virtual AdjointDerivatives* adjoint_derivatives() { return nullptr; }
  [[nodiscard]] virtual EventMode* event_mode() { return nullptr; }
  [[nodiscard]] virtual Configuration* configuration() { return nullptr; }
  [[nodiscard]] virtual Clocks* clocks() { return nullptr; }
  // "unit 'wheel' (FMI 1.0) cannot save its state: …": the text of an Error (input) for a capability that is null.
  [[nodiscard]] virtual std::string missing(std::string_view capability) const = 0;

 protected:
  virtual void read(Type type, std::span<const ValueReference> references, void* values, std::size_t count) = 0;
  virtual void write(Type type, std::span<const ValueReference> references, const void* values, std::size_t count) = 0;
};

struct StepReport {
  enum class End : std::uint8_t { completed, early, discarded };
  End end = End::completed;
  Time reached = 0;           // time that the unit reached
  bool event_needed = false;  // FMI 3.0: enter event mode before the next step
  bool terminate = false;     // the unit requests the end of the simulation
};

// References of Float64 variables, with the total number of their elements.
struct RealPorts {
  std::span<const ValueReference> inputs{};
  std::span<const ValueReference> outputs{};
  std::size_t input_elements = 0;
  std::size_t output_elements = 0;
};

class CoSimulation : public Instance {
 public:
  // set(), do_step() and, if the step was completed, get(), in one call for the step loop. True: all calls succeeded
  // and there is nothing to report. False: last_report() describes the step.
  virtual bool exchange(const RealPorts& ports, const double* in, double* out, Time t, Duration h, bool may_roll_back);
  [[nodiscard]] const StepReport& last_report() const { return last_report_; }

  // `may_roll_back`: true if a state from before `t` may still be restored.
  virtual StepReport do_step(Time t, Duration h, bool may_roll_back = false) = 0;
  [[nodiscard]] virtual InputDerivatives* input_derivatives() { return nullptr; }
  [[nodiscard]] virtual OutputDerivatives* output_derivatives() { return nullptr; }

 protected:
  StepReport last_report_;
};

// The Jacobian of an instance that is made of others. With values u that the instance computes from others of them
// beside the states x, f(x, u) the derivatives of the states and 0 = h(x, u), the matrix [∂f/∂x ∂f/∂u; ∂h/∂x ∂h/∂u].
class BorderedJacobian {
 public:
  virtual ~BorderedJacobian() = default;
  [[nodiscard]] virtual std::size_t inner_unknowns() const = 0;  // number of u
  // The entries that may be nonzero, by columns: rows()[starts()[j]] … rows()[starts()[j + 1] - 1], ascending.
  [[nodiscard]] virtual std::span<const int> starts() const = 0;
  [[nodiscard]] virtual std::span<const int> rows() const = 0;
  // At the current point, in the order of the pattern.
  virtual void evaluate(std::span<double> values) = 0;
};

struct IntegratorStep {
  bool enter_event_mode = false;
  bool terminate = false;
};

class ModelExchange : public Instance, public EventMode {
 public:
  [[nodiscard]] EventMode* event_mode() override { return this; }
  [[nodiscard]] virtual std::size_t continuous_states() = 0;
  [[nodiscard]] virtual std::size_t event_indicators() = 0;
  virtual void set_time(Time t) = 0;
  virtual void set_states(std::span<const double> x) = 0;
  virtual void get_states(std::span<double> x) = 0;
  virtual void get_derivatives(std::span<double> dx) = 0;
  // The three of them in turn: set_time, set_states, get_derivatives. Cheaper if another program executes the calls.
  virtual void get_derivatives_at(Time t, std::span<const double> x, std::span<double> dx) {
    set_time(t);
    set_states(x);
    get_derivatives(dx);
  }
  virtual void get_event_indicators(std::span<double> z) = 0;
  virtual void get_nominals(std::span<double> x) = 0;
  virtual IntegratorStep completed_integrator_step(bool may_roll_back = false) = 0;
  // Null unless the instance is made of others. The pattern is fixed from the first event iteration on.
  [[nodiscard]] virtual BorderedJacobian* bordered_jacobian() { return nullptr; }
};

class ScheduledExecution : public Instance {
 public:
  // Runs the model partition of an input clock.
  virtual void activate(ValueReference clock, Time t) = 0;
};

// --- how an instance is made -----------------------------------------------------------------------------------------

// FMI 3.0, 4.2.2: the arguments and results of the intermediate update.
struct IntermediatePoint {
  Time t = 0;
  bool set_requested = false;
  bool get_allowed = false;
  bool step_finished = false;
  bool can_return_early = false;
};
struct IntermediateAnswer {
  bool return_early = false;
  Time early_return_time = 0;
};

struct InstanceOptions {
  std::string name = "unit";
  bool visible = false;
  bool logging = false;                           // the FMU's own debug logging
  LogSink log{};                                  // its messages; empty: they appear only in exceptions
  std::function<void(std::string_view)> trace{};  // receives a line for every call
  bool use_event_mode = false;                    // FMI 3.0 Co-Simulation, if the FMU supports it
  bool allow_early_return = false;                // FMI 3.0 Co-Simulation
  std::vector<ValueReference> intermediate_variables{};
  std::function<IntermediateAnswer(const IntermediatePoint&)> intermediate_update{};
  std::optional<Platform> platform{};  // of the binary; nullopt: that of the OpenOptions
};

}  // namespace consort::fmi
