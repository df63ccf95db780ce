// Start values as a compiled plan has them.
#pragma once

#include "graph/plan.hpp"
#include "graph/system.hpp"

namespace consort::engine {

// Replaces the values of all levels, with their units, prefixes and mappings, by start values of the units, in the
// units of measure of their variables. `plan` is the plan of the system.
void settle(graph::System& system, const graph::Plan& plan);

}  // namespace consort::engine
