// Finds variables that a unit refuses to read, so that recording them does not end the run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "describe/start_values.hpp"
#include "unit/unit.hpp"

namespace consort::engine {

// The initialised unit's variables among these that it refuses to read, with a warning for each. Outputs are not among
// them: a unit has to tell its outputs. Empty if no variable would be left.
[[nodiscard]] std::vector<describe::VariableId> unreadable(unit::Variables& unit, const describe::StartValues& starts,
                                                           std::span<const describe::VariableId> variables,
                                                           std::vector<std::string>& warnings);

}  // namespace consort::engine
