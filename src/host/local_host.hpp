// Units in this process: in the caller's thread, or in a pool of threads.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "fleet/host.hpp"
#include "host/hosts.hpp"

namespace consort::host {

// All units in the caller's thread, one after another.
[[nodiscard]] std::unique_ptr<fleet::Host> make_serial_host(const HostSetup& setup);
// Waves of several units are shared out between threads where that is measured to pay; the numbers are the same. The
// caller's thread for one thread or one unit. Throws Error (input) for 0 threads.
[[nodiscard]] std::unique_ptr<fleet::Host> make_thread_host(const HostSetup& setup);

}  // namespace consort::host
