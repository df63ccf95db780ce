// Hosts for units in this process: in the thread of the caller, or in a thread pool.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "fleet/host.hpp"
#include "host/hosts.hpp"

namespace consort::host {

// Runs all units in the thread of the caller, one after another.
[[nodiscard]] std::unique_ptr<fleet::Host> make_serial_host(const HostSetup& setup);
// Distributes waves of several units over threads if measurements show that this is faster; the results are identical.
// With one thread or one unit, uses the thread of the caller. Throws Error (input) for 0 threads.
[[nodiscard]] std::unique_ptr<fleet::Host> make_thread_host(const HostSetup& setup);

}  // namespace consort::host
