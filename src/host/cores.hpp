// The processor cores that this process may use.
#pragma once

#include <vector>

namespace consort::host {

// Their numbers, in an order in which threads should take them: one of every physical core comes first, then the
// second ones that share a core with one before.
[[nodiscard]] std::vector<int> usable_cores();

// Keeps the calling thread on one core; does nothing where the system does not allow it.
void pin_to_core(int core) noexcept;

}  // namespace consort::host
