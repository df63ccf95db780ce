// The interface of a coupled system as steppers that look ahead see it: continuous Float64 inputs that other units
// drive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/plan.hpp"

namespace consort::step {

// From an element of the outputs' Float64 column to one of the inputs'.
struct Route {
  std::uint32_t input = 0;
  std::uint32_t source = 0;
  double factor = 1;
  double offset = 0;
  graph::UnitId from = graph::no_unit;
  graph::UnitId to = graph::no_unit;
  double nominal = 1;  // of the input; where it says nothing, of what it comes from
  std::string name{};  // of the input: "wheel.F"

  [[nodiscard]] double value(const std::vector<double>& outputs) const { return factor * outputs[source] + offset; }
};
// From units to units, in the order of inputs.
[[nodiscard]] std::vector<Route> continuous_routes(const graph::Plan& plan);

// Units that are stepped together. `inner` routes lead from one of them to one of them, `outer` ones into them from
// units of cycles before.
struct Cycle {
  std::vector<graph::UnitId> units;
  std::vector<Route> inner;
  std::vector<Route> outer;
};
// Units that depend on each other in a circle together, sources first; or all units in one.
[[nodiscard]] std::vector<Cycle> cycles_of(const graph::Plan& plan, bool whole);

// The units of a cycle in the order in which one evaluation steps them. Units of a wave go at the same time;
// `known` routes into them come from waves before. `unknowns` are the inner routes whose values nobody knows before.
struct Sweep {
  struct Wave {
    std::vector<graph::UnitId> units;
    std::vector<Route> known;
  };
  std::vector<Wave> waves;
  std::vector<Route> unknowns;
};
// Serial: in an order that leaves few unknowns. Parallel: one wave, and all inner routes are unknown.
[[nodiscard]] Sweep make_sweep(const Cycle& cycle, bool serial);

}  // namespace consort::step
