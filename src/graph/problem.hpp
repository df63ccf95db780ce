// Errors of a system as findings with file and line.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/error.hpp"
#include "describe/description.hpp"

namespace consort::graph {

// `where`: "plant.yaml:3:5" or "plant.ssd:3"; if it is empty, the place at the beginning of the text counts
// ("plant.yaml:3:5: …").
[[nodiscard]] Diagnostic diagnostic_of(const std::string& where, const Error& problem);

// "; did you mean 'plant.wheel.x'?" for a path whose beginning is missing ("wheel.x", "x") or misspelled, or nothing.
[[nodiscard]] std::string nearest_path(
    std::string_view path, const std::vector<std::pair<std::string_view, const describe::Description*>>& units);

}  // namespace consort::graph
