// The names that a setting takes, from the tables of what can be chosen by name.
#pragma once

#include <string>

#include "settings/table.hpp"

namespace consort::engine {

// "jacobi, gauss-seidel, …"; empty for settings that take any text.
[[nodiscard]] std::string names_for(settings::Names names);

}  // namespace consort::engine
