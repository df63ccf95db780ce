// What is wrong with a package beyond what reading it finds: connectors that are not like the variables behind them.
#pragma once

#include "base/diagnostic.hpp"
#include "graph/compile.hpp"
#include "graph/system.hpp"

namespace consort::ssp {

// Compares the connectors that a system description declares for its components with what the units offer. `catalogue`
// may throw; the component is left out then.
void check_connectors(const graph::System& system, const graph::Catalogue& catalogue, Diagnostics& diagnostics);

}  // namespace consort::ssp
