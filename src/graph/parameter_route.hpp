// Values passed to connected parameters: converted like signals, but only once and before the run.
#pragma once

#include "base/value.hpp"
#include "graph/flatten.hpp"
#include "graph/plan.hpp"

namespace consort::graph {

// Throws Error (input) if the numbers of elements differ, or if the types need a transformation and none is given.
void require_fit(const ParameterRoute& route, bool transformed, const Flat& flat);

// The values of the parameter's elements, computed from the value of the whole source variable. `to` describes the unit
// of the parameter. Throws Error (input) if the mapping lacks the value or the parameter cannot take it.
[[nodiscard]] Value taken(const ParameterRoute& route, const Value& source, const describe::Description& to);

}  // namespace consort::graph
