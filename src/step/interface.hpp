// The interface of a coupled system for steppers that look ahead: continuous Float64 inputs driven by other units.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/plan.hpp"

namespace consort::step {

// A route from an element of the outputs' Float64 column to an element of the inputs' column.
struct Route {
  std::uint32_t input = 0;
  std::uint32_t source = 0;
  double factor = 1;
  double offset = 0;
  graph::UnitId from = graph::no_unit;
  graph::UnitId to = graph::no_unit;
  double nominal = 1;  // of the input; if it declares none, of the source
  std::string name{};  // of the input: "wheel.F"

  [[nodiscard]] double value(const std::vector<double>& outputs) const { return factor * outputs[source] + offset; }
};
// Routes between units, in the order of inputs.
[[nodiscard]] std::vector<Route> continuous_routes(const graph::Plan& plan);

// Units that are stepped together. `inner` routes connect units of the cycle; `outer` routes come from units of earlier
// cycles.
struct Cycle {
  std::vector<graph::UnitId> units;
  std::vector<Route> inner;
  std::vector<Route> outer;
};
// Units that depend on each other form one cycle; sources come first. `whole`: all units in one cycle.
[[nodiscard]] std::vector<Cycle> cycles_of(const graph::Plan& plan, bool whole);

// Evaluation order of a cycle. Units of a wave are stepped in parallel. `known` routes into them come from earlier
// waves. `unknowns` are the inner routes whose values are not known before they are needed.
struct Sweep {
  struct Wave {
    std::vector<graph::UnitId> units;
    std::vector<Route> known;
  };
  std::vector<Wave> waves;
  std::vector<Route> unknowns;
};
// Serial: in an order that leaves few unknowns. Parallel: one wave, and all inner routes are unknowns.
[[nodiscard]] Sweep make_sweep(const Cycle& cycle, bool serial);

}  // namespace consort::step
