// Turns links into blocks and routes: the place of every element, and the source of every driven element.
#pragma once

#include <span>

#include "graph/compile.hpp"
#include "graph/links.hpp"
#include "graph/plan.hpp"

namespace consort::graph {

// Fills the layout and the routes of `plan`, whose units exist already. `targets`: variables that a scenario drives.
// `wants`: see CompileOptions; clocks never become outputs.
void lay_out(const Flat& flat, const Links& links, std::span<const Elements> targets, const WantedVariable& wants,
             Plan& plan);

}  // namespace consort::graph
