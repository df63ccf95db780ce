// Start values from files, `--parameters`, and from the command line, `--set`.
#pragma once

#include <string>
#include <vector>

#include "graph/system.hpp"

namespace consort::cli {

// Reads SSP parameter sets (.ssv) or CSV files with the columns name, value and, optionally, unit. An unknown name is
// ignored in .ssv (a rule of SSP) and an error in CSV. Later files override earlier ones. Throws Error (input).
[[nodiscard]] std::vector<graph::Setting> read_parameters(const std::vector<std::string>& files);

// UNIT.VARIABLE=VALUE, with a unit of measure if wanted ("a.x=3 cm"). Throws Error (input).
[[nodiscard]] std::vector<graph::Setting> settings_of(const std::vector<std::string>& texts);

}  // namespace consort::cli
