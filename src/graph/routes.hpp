// Links into blocks and routes: where every element sits, and where every driven element comes from.
#pragma once

#include <span>

#include "graph/compile.hpp"
#include "graph/links.hpp"
#include "graph/plan.hpp"

namespace consort::graph {

// `targets`: slots that are not connected but driven by something else (scenario).
// `wants`: empty: all outputs. Clocks are never wanted.
void lay_out(const Flat& flat, const Links& links, std::span<const Elements> targets, const WantedVariable& wants,
             Plan& plan);

}  // namespace consort::graph
