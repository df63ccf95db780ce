// Chooses the variables of one unit that a run records.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "describe/description.hpp"

namespace consort::engine {

// True if `text` matches a pattern with * (any text) and ? (any character).
[[nodiscard]] bool matches(std::string_view text, std::string_view pattern);

// The variables with these names, each once and in this order; a name that no variable has may be a pattern, which
// stands for all variables that it matches, in the order of the description. Empty: all outputs. Clocks are never among
// them: FMI 3.0, 2.2.9 gives them a value in event mode only, but rows are read outside event mode. Throws Error
// (input) for an unknown name, a pattern without a match, and a clock that is named.
[[nodiscard]] std::vector<describe::VariableId> recorded_variables(const describe::Description& d,
                                                                   std::span<const std::string> names);

// A warning for runs that record nothing beside the time.
inline constexpr const char* nothing_recorded =
    "nothing but the time is recorded, because there are no outputs; choose variables with --output-variable ('*' for "
    "all of them)";

}  // namespace consort::engine
