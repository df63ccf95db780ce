// Start values and parameters that files, options and callers give to variables of units.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "describe/start_values.hpp"
#include "graph/flatten.hpp"

namespace consort::graph {

// Applies the settings of all levels: those of components first, then those of the enclosing systems from the inside
// out, then `last`. Adds a note for each lenient setting that could not be applied, and a warning for each that was
// applied under another name. Fills flat.parameter_values.
[[nodiscard]] std::vector<describe::StartValues> resolve_start_values(Flat& flat, const System& root,
                                                                      std::span<const Setting> last,
                                                                      std::vector<std::string>& notes,
                                                                      std::vector<std::string>& warnings);

}  // namespace consort::graph
