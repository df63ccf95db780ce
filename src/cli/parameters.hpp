// Start values from files: `--parameters`.
#pragma once

#include <string>
#include <vector>

#include "graph/system.hpp"

namespace consort::cli {

// Parameter sets of SSP (.ssv), by whose rules names that do not exist are left out; or CSV with the columns name,
// value and, if wanted, unit, where they are errors. Later files beat earlier ones. Throws Error (input).
[[nodiscard]] std::vector<graph::Setting> read_parameters(const std::vector<std::string>& files);

}  // namespace consort::cli
