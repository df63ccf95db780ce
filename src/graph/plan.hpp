// A system compiled to indices, for the step loop. Const after compile().
//
// One Columns holds all outputs of all units, another one all connected inputs, with one contiguous column per type;
// each unit has a block in both. A route gives the source of an input element. The external signals, which drive the
// system's own input connectors, follow the outputs of the units.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/value.hpp"
#include "describe/description.hpp"
#include "describe/signals.hpp"
#include "describe/start_values.hpp"
#include "expr/program.hpp"
#include "graph/system.hpp"

namespace consort::graph {

using UnitId = std::uint32_t;
inline constexpr UnitId no_unit = std::numeric_limits<UnitId>::max();
inline constexpr std::uint32_t no_source = std::numeric_limits<std::uint32_t>::max();

using describe::Offsets;

struct PlannedUnit {
  std::string name;     // full path: "front.wheel"
  Component component;  // as written by the user
  const describe::Description* description = nullptr;
  describe::StartValues starts;
  bool is_whole = false;  // it stands for a system with a solver; paths of its variables do not begin with its name

  // "wheel.z"; "z" of a whole system.
  [[nodiscard]] std::string path_of(std::string_view variable) const {
    return is_whole ? std::string(variable) : name + "." + std::string(variable);
  }

  describe::SignalSet inputs;   // driven variables: connected, external, or targets of a scenario
  describe::SignalSet outputs;  // the wanted variables (CompileOptions), and all other sources of connections
  Offsets first_input{};
  Offsets first_output{};

  // Per driven input (in the order of `inputs`): the outputs (in the order of `outputs`) that depend on it directly.
  std::vector<std::vector<std::uint32_t>> feed_through;
  [[nodiscard]] bool has_feed_through() const {
    for (const auto& outputs_of : feed_through)
      if (!outputs_of.empty()) return true;
    return false;
  }
};

// Factor and offset of a route from Float64 to Float64, by far the most frequent kind. Unscaled routes need none.
struct Scaling {
  std::uint32_t input = 0;
  double factor = 1;
  double offset = 0;
};

// Every other route: between types, or with a mapping.
struct Conversion {
  Type from = Type::Float64;
  Type to = Type::Float64;
  std::uint32_t source = 0;  // element of the outputs' column of type `from`
  std::uint32_t input = 0;   // element of the inputs' column of type `to`
  double factor = 1;
  double offset = 0;
  std::vector<std::pair<Value, Value>> mapping;  // scalars, of the types `from` and `to`
  bool partial = false;                          // values missing from the mapping are converted without it
  UnitId unit = no_unit;                         // the unit of the input
  std::string connection;                        // "a.y → b.u", for messages
};

// A variable of a unit, or a range of its elements.
struct Elements {
  UnitId unit = no_unit;
  describe::VariableId variable = describe::no_variable;
  std::uint64_t first = 0;
  std::uint64_t count = 1;
};

// An input (or an output of the system) that takes the value of an expression.
struct Formula {
  // A variable that the expression reads, in the order of the program's slots: factor * value + offset.
  struct Operand {
    Type type = Type::Float64;
    std::uint32_t source = 0;  // element of the outputs' column of this type
    double factor = 1;
    double offset = 0;
    UnitId unit = no_unit;  // no_unit: external
  };
  std::shared_ptr<const expr::Program> program;
  std::vector<Operand> operands;
  // On the way from the expression to the input.
  double factor = 1;
  double offset = 0;
  Type to = Type::Float64;
  std::uint32_t input = 0;     // element of the inputs' column of type `to`
  UnitId unit = no_unit;       // the unit of the input
  std::uint32_t variable = 0;  // of the input, in the order of the unit's inputs
  std::string text;            // "'2 * k' → chassis.c (system.yaml:12:5)", for messages

  static constexpr std::size_t most_operands = 256;
};

// An event of the system: see SystemEvent.
struct PlannedEvent {
  std::string name;
  Formula when;
  struct Action {
    EventAction::Kind kind = EventAction::Kind::set;
    Elements target{};      // one element
    bool is_state = false;  // of a Model Exchange unit
    Type type = Type::Float64;
    std::uint32_t input = no_source;  // element of the inputs' column of this type, unless it is a state
    Formula value{};
    std::string text{};  // of `stop`
  };
  std::vector<Action> actions;
};

// An algebraic loop: inputs that depend on each other without a delay.
struct Loop {
  struct Input {
    UnitId unit = no_unit;
    std::uint32_t input = 0;  // in the order of the unit's inputs
  };
  std::vector<Input> inputs;
  std::vector<UnitId> units;           // sorted, each once
  std::vector<std::string> variables;  // "wheel.F", "chassis.x", …: for messages, in the order of the cycle
};

// One item of the order in which units are refreshed (gather inputs, set, get outputs) to get consistent values without
// stepping. A loop is solved as a whole.
struct Evaluation {
  UnitId unit = no_unit;
  std::uint32_t loop = no_source;  // index into Plan::loops; no_source: refresh `unit`
};

// An input that takes its value at ticks from the start of the run on, and holds it between them.
struct Sampling {
  UnitId unit = no_unit;
  Type type = Type::Float64;
  std::uint32_t input = 0;  // first element of the inputs' column of its type
  std::uint32_t count = 1;
  Duration period = 0;
  std::string text{};  // "the connection a.y → b.u (system.yaml:12:5)", for messages
};

// A fixed parameter that takes a value calculated by another unit. The value is passed once, in initialization mode;
// see graph/parameter_route.hpp.
struct ParameterRoute {
  Elements from;
  Elements to;
  double factor = 1;
  double offset = 0;
  std::vector<std::pair<std::string, std::string>> mapping{};  // after factor and offset
  bool partial = false;                                        // Mapping::partial
  std::string text{};  // "the connection a.y → b.p (plant.yaml:3)", for messages
};

struct ExternalSignal {
  std::string name;  // of the system's connector
  Type type = Type::Float64;
  std::uint32_t element = 0;  // first element in the outputs' column of its type
  std::uint32_t count = 1;
  std::string unit;
  std::string description;
  bool discrete = false;
  std::string table{};   // file of the table that gives the values; empty: they come from outside
  std::string column{};  // name of the signal there
  [[nodiscard]] std::string_view element_path() const {  // of the table
    return table.empty() ? std::string_view() : std::string_view(name).substr(0, name.size() - column.size() - 1);
  }
};

// An element of an output connector of the root system, for recording.
struct NamedSignal {
  std::string name;
  Type type = Type::Float64;
  std::uint32_t element = 0;
  double factor = 1;
  double offset = 0;
  std::string unit{};                        // of measure; empty: unknown
  std::shared_ptr<const Formula> formula{};  // instead of `element`; its value is Float64
};

// One per routed variable, for reports, drawings and error estimates.
struct ConnectionInfo {
  UnitId from = no_unit;     // no_unit: external
  std::uint32_t output = 0;  // in the order of the source's outputs
  UnitId to = no_unit;
  std::uint32_t input = 0;
  std::uint32_t count = 1;            // elements
  std::uint32_t output_first = 0;     // first element within the output
  std::uint32_t input_first = 0;      // first element within the input
  double factor = 1;                  // of the conversion; 1 if there is a mapping or a formula
  std::uint32_t formula = no_source;  // index into Plan::formulas: the output is one of its operands
};

class Plan {
 public:
  std::string name;
  ExperimentSettings experiment;
  std::vector<PlannedUnit> units;
  std::unordered_map<std::string, UnitId> unit_by_path;  // for find_unit()
  std::vector<ExternalSignal> externals;
  std::vector<NamedSignal> connectors;  // the system's own output connectors
  std::vector<ConnectionInfo> connections;

  // Sizes of the global columns.
  std::array<std::uint32_t, type_count> input_count{};
  std::array<std::uint32_t, type_count> output_count{};

  // Routes between equal types: sources[type][i] is the element of the outputs' column that input element i takes;
  // no_source if element i is not connected or has a Conversion or a Formula.
  std::array<std::vector<std::uint32_t>, type_count> sources;
  std::vector<Scaling> scalings;        // sorted by input
  std::vector<Conversion> conversions;  // sorted by unit
  std::vector<Formula> formulas;

  std::vector<Sampling> samplings;
  std::vector<ParameterRoute> parameters;
  std::vector<PlannedEvent> events;  // in the order of declaration, those of nested systems first

  std::vector<Loop> loops;
  std::vector<Evaluation> evaluation;
  // Units in feed-through order, members of a loop next to each other. Gauss–Seidel uses it by default.
  std::vector<UnitId> order;

  // Assumptions made while reading and compiling, for the report.
  std::vector<std::string> notes;
  // Deviations of the system from its standard that were repaired.
  std::vector<std::string> warnings;

  [[nodiscard]] std::vector<UnitId> all_units() const;  // by id
  [[nodiscard]] Columns make_inputs() const;
  [[nodiscard]] Columns make_outputs() const;
  // Scaling of an element of the inputs' Float64 column; factor 1 and offset 0 if it is not scaled.
  [[nodiscard]] Scaling scaling_of(std::uint32_t input) const;
  [[nodiscard]] UnitId find_unit(std::string_view path) const;     // no_unit if it does not exist
  [[nodiscard]] UnitId require_unit(std::string_view path) const;  // throws Error (input) with the nearest names
  // The unit and the variable that a path names. Throws Error (input) with the nearest names.
  [[nodiscard]] std::pair<UnitId, describe::VariableId> require_variable(std::string_view path) const;
};

}  // namespace consort::graph
