#include "solve/sparsity.hpp"

#include <algorithm>

namespace consort::solve {

bool sparse_pays(std::size_t n, std::size_t entries) {
  // Below this size a dense factorisation is faster for any pattern.
  constexpr std::size_t smallest_sparse = 20;
  constexpr double largest_density = 0.25;
  return n >= smallest_sparse &&
         static_cast<double>(entries) < largest_density * static_cast<double>(n) * static_cast<double>(n);
}

std::vector<std::vector<std::size_t>> colour(const Pattern& pattern, std::size_t n) {
  std::vector<std::vector<std::size_t>> groups;
  if (pattern.empty()) {
    for (std::size_t j = 0; j < n; ++j) groups.push_back({j});
    return groups;
  }
  std::vector<std::vector<bool>> taken;
  for (std::size_t j = 0; j < n; ++j) {
    const auto first = pattern.rows.begin() + pattern.starts[j];
    const auto last = pattern.rows.begin() + pattern.starts[j + 1];
    std::size_t group = 0;
    const auto clashes = [&](int row) { return taken[group][static_cast<std::size_t>(row)]; };
    while (group < groups.size() && std::any_of(first, last, clashes)) ++group;
    if (group == groups.size()) {
      groups.emplace_back();
      taken.emplace_back(n, false);
    }
    groups[group].push_back(j);
    std::for_each(first, last, [&](int row) { taken[group][static_cast<std::size_t>(row)] = true; });
  }
  return groups;
}

}  // namespace consort::solve
