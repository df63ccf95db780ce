// Reads results in CSV files, from Consort and from other tools (such as the reference results of the FMI cross-check).
#pragma once

#include <filesystem>

#include "record/result.hpp"

namespace consort::record {

// The first column is time, whatever its name. The other columns are numbers (Float64), Booleans (Boolean: every cell
// is true or false), or texts (String: some cell is neither a number nor true or false). An empty cell in a numeric
// column is NaN. Rows of equal time are event iterations. Throws Error (input) that names the line if times decrease or
// are not numbers, if the header is missing or if a name occurs twice.
[[nodiscard]] Result read_csv_result(const std::filesystem::path& path);

}  // namespace consort::record
