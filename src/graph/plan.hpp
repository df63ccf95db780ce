// A system compiled to indices: what the step loop runs on. Const after compile().
//
// All outputs of all units sit in one Columns, all connected inputs in another, one contiguous column per type; a unit
// has a block of each. A route says where an element of the inputs comes from. Behind the outputs of the units follow
// the external signals: what drives the system's own input connectors.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/value.hpp"
#include "describe/description.hpp"
#include "describe/signals.hpp"
#include "describe/start_values.hpp"
#include "graph/system.hpp"

namespace consort::graph {

using UnitId = std::uint32_t;
inline constexpr UnitId no_unit = std::numeric_limits<UnitId>::max();
inline constexpr std::uint32_t no_source = std::numeric_limits<std::uint32_t>::max();

using describe::Offsets;

struct PlannedUnit {
  std::string name;     // full path: "front.wheel"
  Component component;  // as it was written
  const describe::Description* description = nullptr;
  describe::StartValues starts;

  describe::SignalSet inputs;   // what is driven: connected, external, or the target of a scenario
  describe::SignalSet outputs;  // all of them, and whatever else is connected from
  Offsets first_input{};
  Offsets first_output{};

  // Per driven input (in the order of `inputs`): outputs (in the order of `outputs`) that follow it directly.
  std::vector<std::vector<std::uint32_t>> feed_through;
  [[nodiscard]] bool has_feed_through() const {
    for (const auto& outputs_of : feed_through)
      if (!outputs_of.empty()) return true;
    return false;
  }
};

// Float64 to Float64, by far the most: sources per element of the input column, and what is scaled on the way.
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
  bool partial = false;                          // what the mapping does not list is converted as without one
  UnitId unit = no_unit;                         // whose input it is
  std::string connection;                        // "a.y → b.u", for messages
};

// An algebraic loop: inputs that depend on each other without a delay, all within one step of the graph.
struct Loop {
  struct Input {
    UnitId unit = no_unit;
    std::uint32_t input = 0;  // in the order of the unit's inputs
  };
  std::vector<Input> inputs;
  std::vector<UnitId> units;           // sorted, each once
  std::vector<std::string> variables;  // "wheel.F → wheel.x", for people, in the order of the cycle
};

// How consistent values are found without stepping: refresh units in this order (gather inputs, set, get outputs); a
// loop is solved as one.
struct Evaluation {
  UnitId unit = no_unit;
  std::uint32_t loop = no_source;  // into Plan::loops instead
};

// A variable of a unit, or some of its elements.
struct Elements {
  UnitId unit = no_unit;
  describe::VariableId variable = describe::no_variable;
  std::uint64_t first = 0;
  std::uint64_t count = 1;
};

// A fixed parameter that takes what another unit has calculated by then: passed on in initialization mode and never
// again, see graph/parameter_route.hpp.
struct ParameterRoute {
  Elements from;
  Elements to;
  double factor = 1;
  double offset = 0;
  std::vector<std::pair<std::string, std::string>> mapping{};  // after factor and offset
  bool partial = false;                                        // of the mapping
  std::string text{};  // "the connection a.y → b.p (plant.yaml:3)", for messages
};

struct ExternalSignal {
  std::string name;  // of the system's connector
  Type type = Type::Float64;
  std::uint32_t element = 0;  // in the outputs' column of its type
  std::uint32_t count = 1;
  std::string unit;
  std::string description;
  bool discrete = false;
};

// An output connector of the root system, or any output that has a name of its own: for recording.
struct NamedSignal {
  std::string name;
  Type type = Type::Float64;
  std::uint32_t element = 0;
  double factor = 1;
  double offset = 0;
};

struct ConnectionInfo {      // one per routed variable, for reports, drawings and error estimates
  UnitId from = no_unit;     // no_unit: external
  std::uint32_t output = 0;  // in the order of the source's outputs
  UnitId to = no_unit;
  std::uint32_t input = 0;
  std::uint32_t count = 1;         // elements
  std::uint32_t output_first = 0;  // of them in the output, and in the input
  std::uint32_t input_first = 0;
  double factor = 1;  // what changes on the way; a mapping does not show here
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

  // Routes. sources<T>()[i] is the element of the outputs' column that input element i takes, for equal types;
  // no_source where nothing is connected or a Conversion is.
  std::array<std::vector<std::uint32_t>, type_count> sources;
  std::vector<Scaling> scalings;        // sorted by input
  std::vector<Conversion> conversions;  // sorted by unit

  std::vector<ParameterRoute> parameters;

  std::vector<Loop> loops;
  std::vector<Evaluation> evaluation;
  // Units in feed-through order, members of a loop side by side: what Gauss–Seidel uses by default.
  std::vector<UnitId> order;

  // What was assumed where nobody said.
  std::vector<std::string> notes;

  [[nodiscard]] std::vector<UnitId> all_units() const;  // by id
  [[nodiscard]] Columns make_inputs() const;
  [[nodiscard]] Columns make_outputs() const;
  // How an element of the inputs' Float64 column changes on its way; factor 1 and offset 0 where it does not.
  [[nodiscard]] Scaling scaling_of(std::uint32_t input) const;
  [[nodiscard]] UnitId find_unit(std::string_view path) const;     // no_unit when there is none
  [[nodiscard]] UnitId require_unit(std::string_view path) const;  // throws Error (input) with the nearest names
  // The unit, and the variable's name in it, of a path; throws Error (input).
  [[nodiscard]] std::pair<UnitId, describe::VariableId> require_variable(std::string_view path) const;
};

}  // namespace consort::graph
