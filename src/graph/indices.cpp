#include "graph/indices.hpp"

#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace consort::graph {

std::pair<std::string_view, std::vector<std::uint64_t>> split_indices(std::string_view text) {
  const auto open = text.rfind('[');
  if (open == std::string_view::npos || text.back() != ']') return {text, {}};
  std::vector<std::uint64_t> indices;
  for (const auto part : split(text.substr(open + 1, text.size() - open - 2), ',')) {
    const auto digits = trim(part);
    std::uint64_t index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error != std::errc() || end != digits.data() + digits.size()) return {text, {}};
    indices.push_back(index);
  }
  return {text.substr(0, open), std::move(indices)};
}

std::string indices_text(const std::vector<std::uint64_t>& indices) {
  return indices.empty() ? std::string() : fmt::format("[{}]", fmt::join(indices, ","));
}

}  // namespace consort::graph
