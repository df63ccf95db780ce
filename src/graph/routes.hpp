// Links into blocks and routes: where every element sits, and where every driven element comes from.
#pragma once

#include "graph/links.hpp"
#include "graph/plan.hpp"

namespace consort::graph {

// `targets`: slots that are not connected but driven by something else (scenario).
// `connected_only`: outputs that nothing is connected to are left out.
void lay_out(const Flat& flat, const Links& links, std::span<const Elements> targets, bool connected_only, Plan& plan);

}  // namespace consort::graph
