// Array indices in the names of connectors and variables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace consort::graph {

// "A[1,2]" → {"A", {1, 2}}; no indices if the text does not have that form.
[[nodiscard]] std::pair<std::string_view, std::vector<std::uint64_t>> split_indices(std::string_view text);
// {1, 2} → "[1,2]"; {} → "".
[[nodiscard]] std::string indices_text(const std::vector<std::uint64_t>& indices);

}  // namespace consort::graph
