// Tables of signals over time as elements of a system.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "graph/system.hpp"

namespace consort::graph {

// A system of the kind `table`: one output per column but the first, which is the time. A column has the properties of
// the connector of its name among `declared`; without one it is a number. Throws Error (input) if the file is not a
// table, or if it lacks a declared column.
[[nodiscard]] System table_system(std::string name, const std::filesystem::path& file,
                                  const std::vector<Connector>& declared);

}  // namespace consort::graph
