// The processor cores that this process may use.
#pragma once

#include <vector>

namespace consort::host {

// Returns core numbers in the order in which threads should use them: first one per physical core, then the other
// hardware threads of these cores.
[[nodiscard]] std::vector<int> usable_cores();

// Pins the calling thread to one core. Does nothing if the system does not allow it.
void pin_to_core(int core) noexcept;

}  // namespace consort::host
