// What follows from the pattern of a matrix: whether to factorise it as a sparse one, and groups of columns that one
// product or difference serves.
#pragma once

#include <cstddef>
#include <vector>

#include "solve/problem.hpp"

namespace consort::solve {

// True if our own solvers factorise an n × n matrix with this many entries faster as a sparse one.
[[nodiscard]] bool sparse_pays(std::size_t n, std::size_t entries);

// Columns without common rows get the same colour (Curtis, Powell, Reid 1974). An empty pattern is a full one.
[[nodiscard]] std::vector<std::vector<std::size_t>> colour(const Pattern& pattern, std::size_t columns);

}  // namespace consort::solve
