// Units in processes of their own: one worker per unit, over shared memory.
//
// A unit that crashes takes its worker with it, and nothing else: the call that it was in throws Error (run), and the
// unit is lost from then on. The numbers are those of units in this process, since workers serve them in the same way.
#pragma once

#include <memory>

#include "fleet/host.hpp"
#include "host/hosts.hpp"

namespace consort::host {

// Throws Error (run) that says where the program of workers was looked for, when there is none.
[[nodiscard]] std::unique_ptr<fleet::Host> make_process_host(const HostSetup& setup);

}  // namespace consort::host
