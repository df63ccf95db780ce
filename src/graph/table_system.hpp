// Tables of signals over time as elements of a system.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "graph/system.hpp"

namespace consort::graph {

// A system of the kind `table`: one output per column of the file but the first, which is the time. `header` are the
// names of all columns. A column has the properties of the connector of its name among `declared`; without one it is a
// number. Throws Error (input) if there is no column for a declared connector.
[[nodiscard]] System table_system(std::string name, const std::filesystem::path& file,
                                  const std::vector<std::string>& header, const std::vector<Connector>& declared);

}  // namespace consort::graph
