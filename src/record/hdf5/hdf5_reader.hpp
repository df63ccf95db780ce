// Results of Hdf5Sink, whole; also of a run that goes on or was killed.
#pragma once

#include <filesystem>

#include "record/result.hpp"

namespace consort::record {

// Takes the rows that all datasets have. When the last chunk of a dataset cannot be read (its process was killed while
// it was compressed anew) the rows before it are what there is. Throws Error (input) for files that are not results of
// ours, damaged, or that promise more data than they hold.
[[nodiscard]] Result read_hdf5_result(const std::filesystem::path& path);

}  // namespace consort::record
