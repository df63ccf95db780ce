// Nested systems made flat: units with full paths, and wires between their ports and the connectors of systems.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/compile.hpp"
#include "graph/indices.hpp"
#include "graph/plan.hpp"
#include "graph/system.hpp"

namespace consort::graph {

// Either a connector of a unit, or a connector of a (nested) system.
struct Port {
  UnitId unit = no_unit;
  std::uint32_t node = no_source;        // when `unit` is none
  std::string_view connector;            // of the unit
  std::vector<std::uint64_t> indices{};  // of an element of the system's connector, which is an array; else empty
};

struct Wire {
  Port from;
  Port to;
  const Connection* connection = nullptr;
  const System* system = nullptr;  // that it is drawn in
};

struct Node {
  std::string path;  // "front.speed"; "speed" for the root
  const Connector* connector = nullptr;
  const System* system = nullptr;
  bool root = false;
  std::uint32_t driver = no_source;              // wire
  std::vector<std::uint32_t> element_drivers{};  // wires to elements of it, when there is no driver of all
  std::vector<std::uint32_t> leaving;
};

struct FlatUnit {
  std::string path;
  const Component* component = nullptr;
  std::vector<const System*> systems;  // that it is in, the root first
  const describe::Description* description = nullptr;
};

struct Flat {
  std::vector<FlatUnit> units;
  std::vector<Node> nodes;
  std::vector<Wire> wires;
  std::deque<Connection> shared;  // between dictionaries of signals and references to them; wires point here
  std::unordered_map<std::string, UnitId> unit_by_path;
  std::unordered_map<std::string, std::uint32_t> node_by_path;
};

// The system must outlive the result.
[[nodiscard]] Flat flatten(const System& system, const Catalogue& catalogue);

// "chassis.F (system.yaml:12:3)": a port as people know it.
[[nodiscard]] std::string port_text(const Flat& flat, const Port& port);
// " (system.yaml:12:3)" or nothing.
[[nodiscard]] std::string where_text(std::string_view where);

}  // namespace consort::graph
