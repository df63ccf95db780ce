// Finds variables that a unit refuses to read, so that recording them does not end the run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "describe/start_values.hpp"
#include "unit/unit.hpp"

namespace consort::engine {

struct Unreadable {
  describe::VariableId variable = describe::no_variable;
  std::string warning;
};

// The initialised unit's variables among these that it refuses to read. Outputs are not among them: a unit has to tell
// its outputs.
[[nodiscard]] std::vector<Unreadable> unreadable(unit::Variables& unit, const describe::StartValues& starts,
                                                 std::span<const describe::VariableId> variables);

}  // namespace consort::engine
