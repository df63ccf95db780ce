// The rules of the standards that a description can break although it can be read.
#pragma once

#include "base/diagnostic.hpp"
#include "describe/description.hpp"

namespace consort::describe {

// Adds a diagnostic, with line and rule, for every rule that `description` breaks: names, combinations of causality,
// variability and initial, start values, ranges, references, structure. Takes time linear in its size.
void check(const Description& description, Diagnostics& diagnostics);

// Whether a name follows the grammar of structured names (FMI 2.0, 2.2.9; FMI 3.0, 2.4.7.5.1).
[[nodiscard]] bool is_structured_name(std::string_view name);

}  // namespace consort::describe
