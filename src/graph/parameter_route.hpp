// Values on their way to parameters that are connected: converted as signals are, but once and before the run.
#pragma once

#include "base/value.hpp"
#include "graph/flatten.hpp"
#include "graph/plan.hpp"

namespace consort::graph {

// Throws Error (input) when the numbers of elements differ, or the types do and nobody said how to convert them.
void require_fit(const ParameterRoute& route, bool transformed, const Flat& flat);

// What the parameter's elements get, from the value of the whole source variable; `to` describes the unit that has the
// parameter. Throws Error (input): a value that the mapping does not have, or the parameter cannot take.
[[nodiscard]] Value taken(const ParameterRoute& route, const Value& source, const describe::Description& to);

}  // namespace consort::graph
