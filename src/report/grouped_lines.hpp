// Puts lines of a report together that say the same about several variables.
#pragma once

#include <string>
#include <vector>

namespace consort::report {

// Lines that differ only in quoted names and in what stands before the first colon become one line, at the place of the
// first one, with the number of them and the first names.
[[nodiscard]] std::vector<std::string> grouped(const std::vector<std::string>& lines);

}  // namespace consort::report
