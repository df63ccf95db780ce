// Names of variables in messages of FMUs.
#pragma once

#include <string>

#include "describe/description.hpp"

namespace consort::fmi {

// Replaces variable references in a message. FMI 1.0 and 2.0: "#r13#" stands for the name of the Real variable with
// reference 13; FMI 3.0: "#13#" for the variable with reference 13. "##" stands for "#".
[[nodiscard]] std::string expand_variable_names(const std::string& message, const describe::Description& description);

}  // namespace consort::fmi
