// How a system is run, by names: what files (YAML, annotations of SSP) and the command line say beside the system.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.hpp"
#include "graph/sheet.hpp"
#include "graph/system.hpp"

namespace consort::graph {

// Who goes before whom: a unit by its path, or a group of such. In a serial group, each member sees what the members
// before it computed in the same step; in a parallel group, none sees another's.
struct ScheduleEntry {
  enum class Kind : std::uint8_t { unit, serial, parallel };
  Kind kind = Kind::unit;
  std::string unit{};
  std::vector<ScheduleEntry> members{};
};

// Fault injection and manoeuvres: at `at`, `target` (an input or a tunable parameter, by path) …
struct ScenarioAction {
  enum class Kind : std::uint8_t {
    set,      // takes `value` and keeps it, whatever is connected
    hold,     // keeps the value that it has
    ramp,     // moves from the value it has to `value` within `duration`, and keeps it
    release,  // follows its connection again
  };
  Kind kind = Kind::set;
  Time at = 0;
  std::string target;
  std::string value{};
  Duration duration = 0;
  std::string where{};
};

struct LoopSettings {
  std::string method = "newton";  // a name of solve/nonlinear.hpp
  double tolerance = 1e-8;        // of the residual, relative to max(1, |value|)
  int iterations = 100;
};

// How the stepper `iterated` finds inputs that agree with the outputs at the end of a step.
struct IterationSettings {
  enum class Jacobian : std::uint8_t { automatic, derivatives, differences };
  enum class Scope : std::uint8_t { components, whole };  // what is iterated on its own: cycles of units, or everything
  // Units of a cycle one after another, with few unknowns, or all at once; automatic: serial, but for Newton's method.
  enum class Sweep : std::uint8_t { automatic, serial, parallel };

  std::string method = "iqn-ils";      // a name of couple/accelerator.hpp
  double tolerance = 1e-6;             // of every input, relative to the larger of its nominal value and itself
  int most = 50;                       // evaluations per step
  std::optional<double> relaxation{};  // the method's own
  std::optional<int> depth{};          // iterations remembered by `anderson` and `iqn-ils`
  int reuse = 0;                       // past steps that `iqn-ils` and `broyden` learn from
  double filter = 1e-6;                // what `iqn-ils` takes for noise, relative
  Jacobian jacobian = Jacobian::automatic;
  Scope scope = Scope::components;
  Sweep sweep = Sweep::automatic;
  bool fails = true;  // a step that does not converge is an error; otherwise it is counted and the run goes on

  bool operator==(const IterationSettings&) const = default;
};

// Whether outputs are made consistent with inputs at communication points, where units answer without a step.
enum class Consistency : std::uint8_t { automatic, always, never };

// How long communication steps are: a controller of step/controllers.cpp, and what it is told.
struct StepControl {
  enum class Norm : std::uint8_t {
    root_mean_square,
    root_mean,  // the root of the mean of absolute values, as some experiments in the literature have it
  };
  enum class Divisor : std::uint8_t {
    history,      // follows from the steps that were taken
    equal_steps,  // as if all of them had been equal
  };
  enum class ToleranceFor : std::uint8_t {
    step,  // the error that one step makes
    run,   // what the steps add up to: each may make the part of it that it is of the run
  };
  std::string controller{};           // empty: fixed
  std::optional<double> tolerance{};  // of the coupling error, relative; none: the tolerance of the run
  std::optional<double> absolute{};   // times the nominal value of each output; none: as the relative one
  std::optional<Duration> initial{};  // none: the communication step
  std::optional<Duration> minimum{};
  std::optional<Duration> maximum{};
  double safety = 0.9;
  double shrink = 0.2;  // the least factor from a step to the next
  double grow = 5;      // the largest
  bool pi = false;      // a proportional-integral controller instead of an elementary one
  Norm norm = Norm::root_mean_square;
  Divisor divisor = Divisor::history;
  ToleranceFor tolerance_for = ToleranceFor::step;

  bool operator==(const StepControl&) const = default;
};

// Power that two units exchange: outputs whose product it is, each connected to the other one's unit.
struct PowerBond {
  std::string effort;  // "chassis.F"
  std::string flow;    // "wheel.v"
  std::string where{};
};

struct RunSettings {
  std::optional<Time> start{};
  std::optional<Time> stop{};
  std::optional<Duration> step{};
  std::optional<Duration> output_interval{};
  std::optional<double> tolerance{};

  std::string stepper{};            // empty: chosen from the graph
  std::string extrapolation = "0";  // how inputs move within a step: a name of couple/approximation.hpp, or its order
  std::vector<ScheduleEntry> schedule{};  // for the stepper `scheduled`: its serial members
  std::vector<std::string> order{};       // for `gauss-seidel`: paths of units; empty: from the graph
  std::string host{};  // of units that do not say another: a name of host/hosts.hpp; empty: threads of this process
  std::optional<std::uint32_t> threads{};
  Consistency consistency = Consistency::automatic;
  LoopSettings loops{};
  IterationSettings iteration{};
  StepControl control{};
  std::vector<PowerBond> bonds{};

  std::vector<std::string> record{};  // paths, with * and ? as wildcards; empty: all outputs
  std::uint32_t record_every = 1;     // of the communication points
  std::string result_file{};
  int compression = 0;  // of formats that have it, 0 to 9
  bool record_substeps = false;

  std::vector<ScenarioAction> scenario{};
  std::string input_file{};           // CSV for the system's own input connectors
  std::optional<double> real_time{};  // factor: 1 runs as fast as the clock
};

// A system file as a whole.
struct Document {
  System system;
  RunSettings run;
  std::shared_ptr<const Sheet> sheet{};  // where things are drawn, when the file says so
};

}  // namespace consort::graph
