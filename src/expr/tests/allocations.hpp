// Counts the allocations of this test program.
#pragma once

#include <cstddef>

namespace consort {

[[nodiscard]] std::size_t allocations();  // number of calls of operator new so far

}  // namespace consort
