// Units of measure that everybody knows, for systems that use them without defining them.
#pragma once

#include <optional>
#include <string_view>

#include "describe/measure.hpp"

namespace consort::graph {

// "mm", "degC", "bar", "rpm", "kN", …; none for a name that is not known.
[[nodiscard]] std::optional<describe::BaseUnit> known_measure(std::string_view name);

}  // namespace consort::graph
