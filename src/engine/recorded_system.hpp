// Reads the system that a result carries (origin.hpp), so that its run can be repeated.
#pragma once

#include <filesystem>

#include "graph/document.hpp"

namespace consort::engine {

// Tables that are recorded as a whole are taken from the result. Other files are looked for under their recorded path
// from the folder of the result and from the working directory, and by their name beside the result. The first one with
// the recorded checksum is taken. Without one, throws Error (input) that says which file has changed or is missing;
// with `allow_changed`, takes the first file found, and the notes of the system name it. The name of the result file is
// never taken from a result. Throws Error (input), too, for results that carry no system.
[[nodiscard]] graph::Document read_recorded_system(const std::filesystem::path& result, bool allow_changed);

}  // namespace consort::engine
