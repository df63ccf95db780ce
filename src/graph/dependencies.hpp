// What follows what without a step: feed-through of units, algebraic loops, and the orders that come of them.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/plan.hpp"

namespace consort::graph {

// Fills `feed_through` of a unit from its declared dependencies: all inputs for an output without a declaration.
void find_feed_through(PlannedUnit& unit);

// Fills loops, evaluation and order of a plan whose units and connections are complete.
void find_loops_and_order(Plan& plan);

// Strongly connected components of a directed graph in topological order (sources first); within a component in the
// order of the vertices. `edges[v]` are the vertices that v leads to.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> components_in_order(
    const std::vector<std::vector<std::uint32_t>>& edges);

}  // namespace consort::graph
