// How a system is run: everything that a system file says beside the units and their connections. The same names are
// keys of system files, fields here, keyword arguments in Python, and options of the command line. docs/settings.md
// lists them with ranges and defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace consort {

// The order of units in the stepper `scheduled`: a unit by its path, or a group of entries. In a serial group, each
// member sees what the members before it computed in the same step; in a parallel group, no member sees another's.
struct ScheduleEntry {
  enum class Kind : std::uint8_t { unit, serial, parallel };
  Kind kind = Kind::unit;
  std::string unit{};
  std::vector<ScheduleEntry> members{};
};

// Fault injection and manoeuvres: at the time `at`, `target` (an input or a tunable parameter, by path) …
struct ScenarioAction {
  enum class Kind : std::uint8_t {
    set,      // takes `value` and keeps it, whatever is connected
    hold,     // keeps its present value
    ramp,     // moves from its present value to `value` within `duration` and keeps it
    release,  // follows its connection again
  };
  Kind kind = Kind::set;
  double at = 0;
  std::string target;
  std::string value{};
  double duration = 0;
  std::string where{};  // place in a file, for messages
};

// Power that two units exchange: outputs whose product it is, each connected to the other unit.
struct PowerBond {
  std::string effort;   // "chassis.F"
  std::string flow;     // "wheel.v"
  std::string where{};  // place in a file, for messages
};

// How algebraic loops are solved: couple/consistency.
struct LoopSettings {
  std::string method = "newton";
  double tolerance = 1e-8;
  int max_iterations = 100;

  bool operator==(const LoopSettings&) const = default;
};

// How the stepper `iterated` finds inputs that agree with the outputs at the end of a step: step/iterated_stepper.
struct IterationSettings {
  enum class Jacobian : std::uint8_t { automatic, derivatives, differences };
  enum class Scope : std::uint8_t { components, whole };
  enum class Sweep : std::uint8_t { automatic, serial, parallel };
  enum class IfNotConverged : std::uint8_t { error, go_on };

  std::string method = "iqn-ils";
  double tolerance = 1e-6;
  int max_iterations = 50;
  std::optional<double> relaxation{};
  std::optional<int> depth{};
  int reuse = 0;
  double filter = 1e-6;
  Jacobian jacobian = Jacobian::automatic;
  Scope scope = Scope::components;
  Sweep sweep = Sweep::automatic;
  IfNotConverged if_not_converged = IfNotConverged::error;

  bool operator==(const IterationSettings&) const = default;
};

// How long communication steps are: step/step_size and the controllers.
struct StepControl {
  enum class Rule : std::uint8_t { elementary, pi };
  enum class Norm : std::uint8_t { root_mean_square, root_mean };
  enum class Divisor : std::uint8_t { history, equal_steps };
  enum class ToleranceFor : std::uint8_t { step, run };

  std::string controller{};  // empty: fixed steps
  std::optional<double> tolerance{};
  std::optional<double> absolute{};
  std::optional<double> initial{};
  std::optional<double> minimum{};
  std::optional<double> maximum{};
  double safety = 0.9;
  double shrink = 0.2;
  double grow = 5;
  Rule rule = Rule::elementary;
  Norm norm = Norm::root_mean_square;
  Divisor divisor = Divisor::history;
  ToleranceFor tolerance_for = ToleranceFor::step;

  bool operator==(const StepControl&) const = default;
};

// What is written to the result: engine/system_recorder.
struct RecordSettings {
  std::vector<std::string> variables{};  // paths, with * and ? as wildcards; empty: all outputs
  std::uint32_t every = 1;               // of the communication points
  std::string file{};
  int compression = 0;
  bool substeps = false;

  bool operator==(const RecordSettings&) const = default;
};

// Whether outputs are made consistent with inputs at communication points, if units respond without a step.
enum class Consistency : std::uint8_t { automatic, always, never };

// Who handles events inside steps. `together`: steps end at events, and all units settle them together. `alone`: each
// unit handles its own, and others see the result at the next communication point. `automatic`: together if the system
// has events of its own or a discrete output drives a discrete input, and all units can roll back and take any step.
enum class EventSettling : std::uint8_t { automatic, together, alone };

struct RunSettings {
  // `experiment` in a system file; times in seconds.
  std::optional<double> start{};
  std::optional<double> stop{};
  std::optional<double> step{};
  std::optional<double> output_interval{};
  std::optional<double> tolerance{};

  // `run`
  std::string stepper{};            // empty: chosen from the graph
  std::string extrapolation = "0";  // a name, or the order of a polynomial
  std::vector<std::string> order{};
  std::vector<ScheduleEntry> schedule{};
  std::string host{};  // empty: threads of this process
  std::optional<std::uint32_t> threads{};
  Consistency consistent = Consistency::automatic;
  EventSettling events = EventSettling::automatic;
  std::optional<double> real_time{};
  std::string input_file{};
  LoopSettings loops{};
  IterationSettings iteration{};
  StepControl control{};

  RecordSettings record{};
  std::vector<PowerBond> bonds{};
  std::vector<ScenarioAction> scenario{};
};

}  // namespace consort
