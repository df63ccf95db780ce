// Common units of measure, for systems that use them without defining them.
#pragma once

#include <optional>
#include <string_view>

#include "describe/measure.hpp"

namespace consort::graph {

// "mm", "degC", "bar", "rpm", "kN", …; nullopt for an unknown name.
[[nodiscard]] std::optional<describe::BaseUnit> known_measure(std::string_view name);

}  // namespace consort::graph
