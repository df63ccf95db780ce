// Fleets of this process, by number of threads.
#pragma once

#include <memory>
#include <span>

#include "unit/fleet.hpp"

namespace consort::host {

// In the caller's thread for one thread or one unit, in a pool of threads (the caller's is one of them) otherwise; the
// numbers are the same. The units and what the ports point at must outlive the fleet. Throws Error (input) for 0
// threads, Error (run) when the system gives no more.
[[nodiscard]] std::unique_ptr<unit::Fleet> make_fleet(std::span<const std::unique_ptr<unit::Unit>> units,
                                                      std::span<const unit::Ports> ports, unsigned threads);

}  // namespace consort::host
