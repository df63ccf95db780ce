// Checks a readable description against the rules of the standards.
#pragma once

#include "base/diagnostic.hpp"
#include "describe/description.hpp"

namespace consort::describe {

// Adds a diagnostic with line and rule for every violation in `description`: names, combinations of causality,
// variability and initial, start values, ranges, references, structure. Takes linear time.
void check(const Description& description, Diagnostics& diagnostics);

// True if the name follows the grammar of structured names (FMI 2.0, 2.2.9; FMI 3.0, 2.4.7.5.1).
[[nodiscard]] bool is_structured_name(std::string_view name);

}  // namespace consort::describe
