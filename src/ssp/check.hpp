// Finds connectors that do not match their variables, which reading a package does not check.
#pragma once

#include "base/diagnostic.hpp"
#include "graph/compile.hpp"
#include "graph/system.hpp"

namespace consort::ssp {

// Compares the connectors that a system description declares for its components with the variables of the units. If
// `catalogue` throws for a component, a diagnostic is added and the component is skipped.
void check_connectors(const graph::System& system, const graph::Catalogue& catalogue, Diagnostics& diagnostics);

}  // namespace consort::ssp
