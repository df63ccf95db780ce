// Flattens nested systems: units with full paths, and wires between their ports and the connectors of systems.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "expr/syntax.hpp"
#include "graph/compile.hpp"
#include "graph/indices.hpp"
#include "graph/plan.hpp"
#include "graph/system.hpp"

namespace consort::graph {

// Either a connector of a unit, or a connector of a (nested) system.
struct Port {
  UnitId unit = no_unit;
  std::uint32_t node = no_source;        // index into Flat::nodes if `unit` is no_unit
  std::string_view connector;            // name in the unit
  std::vector<std::uint64_t> indices{};  // element of a system's array connector; empty: all of it
};

// A variable that an expression reads.
struct Operand {
  std::string name;            // as in the expression
  std::optional<Port> port{};  // nullopt: there is no such variable
};

struct FlatExpression {
  expr::Tree tree;
  std::vector<Operand> operands;
  const System* system = nullptr;  // whose names it uses
  std::string text;                // "the connection '2 * k' → chassis.c (system.yaml:12:5)", for messages
};

struct Wire {
  Port from;  // of a wire with an expression: neither a unit nor a node
  Port to;
  const Connection* connection = nullptr;
  const System* system = nullptr;  // contains the connection
  std::shared_ptr<const FlatExpression> expression{};
};

struct FlatEvent {
  std::string name;
  const SystemEvent* event = nullptr;
  std::shared_ptr<const FlatExpression> when;
  struct Action {
    const EventAction* action = nullptr;
    Port target{};                                  // not for `stop`
    std::shared_ptr<const FlatExpression> value{};  // for `set` and `pulse`
  };
  std::vector<Action> actions;
};

// A connector of a system.
struct Node {
  std::string path;  // "front.speed"; "speed" for the root
  const Connector* connector = nullptr;
  const System* system = nullptr;
  bool root = false;
  std::uint32_t driver = no_source;              // wire to the whole connector
  std::vector<std::uint32_t> element_drivers{};  // wires to single elements, if no wire drives the whole connector
  std::vector<std::uint32_t> leaving;            // wires that start here
};

struct FlatUnit {
  std::string path;
  const Component* component = nullptr;
  std::vector<const System*> systems;  // enclosing systems, the root first
  const describe::Description* description = nullptr;
};

struct Flat {
  std::vector<FlatUnit> units;
  std::vector<Node> nodes;
  std::vector<Wire> wires;
  std::vector<FlatEvent> events;
  std::deque<Component> groups;   // made of nested systems with a solver; units point to these
  std::deque<Endpoint> ends;      // of expressions; ports refer to their texts
  std::deque<Connection> shared;  // between signal dictionaries and references to them; wires point to these
  std::vector<std::optional<double>> parameter_values;  // by node; of parameters that are numbers, in the node's unit
  std::unordered_map<std::string, UnitId> unit_by_path;
  std::unordered_map<std::string, std::uint32_t> node_by_path;

  ProblemSink problems;                    // see CompileOptions
  std::unordered_set<std::string> broken;  // paths of units without a description, after a problem
  // True if the path is that of a broken unit or of one of its variables.
  [[nodiscard]] bool is_broken(std::string_view path) const;

  // Runs `body`; hands an Error (input) to `problems` if somebody takes it.
  template <class F>
  void attempt(const std::string& where, F&& body) const {
    if (!problems) return body();
    try {
      body();
    } catch (const Error& problem) {
      if (problem.fault() != Fault::input) throw;
      problems(where, problem);
    }
  }
};

// The system must outlive the result. `last`: settings that override those of the system; groups take theirs.
[[nodiscard]] Flat flatten(const System& system, const Catalogue& catalogue, std::span<const Setting> last = {},
                           const ProblemSink& problems = {});

// "wheel.x → chassis.x_w" or "'2 * k' → chassis.c": a connection in messages.
[[nodiscard]] std::string connection_text(const Connection& connection);
// "wheel.x" or "'2 * k'".
[[nodiscard]] std::string source_text(const Connection& connection);
// "chassis.F": the port as users write it.
[[nodiscard]] std::string port_text(const Flat& flat, const Port& port);
// " (system.yaml:12:3)"; empty if `where` is empty.
[[nodiscard]] std::string where_text(std::string_view where);

}  // namespace consort::graph
