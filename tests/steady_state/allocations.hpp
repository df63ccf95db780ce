// Counts the allocations of this test program.
#pragma once

#include <cstddef>

namespace consort {

[[nodiscard]] std::size_t allocations();  // so far, by operator new

}  // namespace consort
