// Reads whole results of Hdf5Sink, also of a run that is in progress or was killed.
#pragma once

#include <filesystem>
#include <vector>

#include "record/result.hpp"

namespace consort::record {

// Reads the rows that all datasets contain. If the last chunk of a dataset is unreadable (the process was killed while
// it rewrote the compressed chunk), reads only the rows before it. Throws Error (input) if the file is not a result of
// Consort, is damaged or announces more data than it contains.
[[nodiscard]] Result read_hdf5_result(const std::filesystem::path& path);
// The facts alone. Throws as above.
[[nodiscard]] std::vector<Fact> read_hdf5_facts(const std::filesystem::path& path);

}  // namespace consort::record
