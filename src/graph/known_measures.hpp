// Common units of measure, for systems that use them without defining them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "describe/measure.hpp"

namespace consort::graph {

// "mm", "degC", "bar", "rpm", "kN", …, with SI prefixes ("mOhm", "µs"), and products, quotients and powers of them
// ("W/(m2.K)"); nullopt for an unknown name.
[[nodiscard]] std::optional<describe::BaseUnit> known_measure(std::string_view name);
// "; did you mean 'mm'?", or nothing.
[[nodiscard]] std::string nearest_measure(std::string_view name);

// Splits a number from a unit of measure that follows it without a blank: "3cm". nullopt for any other text.
[[nodiscard]] std::optional<std::pair<std::string_view, std::string_view>> split_measure(std::string_view text);

}  // namespace consort::graph
