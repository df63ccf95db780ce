// Dependencies within one communication point: feed-through of units, algebraic loops, and the resulting orders.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/plan.hpp"

namespace consort::graph {

// Fills `feed_through` of a unit from its declared dependencies. An output without a declaration depends on all inputs.
void find_feed_through(PlannedUnit& unit);

// Fills loops, evaluation and order of a plan whose units and connections are complete.
void find_loops_and_order(Plan& plan);

// Strongly connected components of a directed graph in topological order (sources first). Vertices of a component are
// sorted by number. `edges[v]` holds the successors of v.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> components_in_order(
    const std::vector<std::vector<std::uint32_t>>& edges);

}  // namespace consort::graph
