// Result files as comma separated values, ours and those of other tools (the reference results of the FMI cross-check).
#pragma once

#include <filesystem>

#include "record/result.hpp"

namespace consort::record {

// The first column is time, whatever its name. The others are numbers (Float64), Booleans (Boolean: every cell is true
// or false), or texts (String: some cell is neither a number nor true or false); an empty cell in a column of numbers
// is NaN. Equal times are event iterations. Throws Error (input) with the line when times decrease or are no numbers,
// and when there is no header or a name occurs twice.
[[nodiscard]] Result read_csv_result(const std::filesystem::path& path);

}  // namespace consort::record
