// A host that runs each unit in its own worker process and communicates over shared memory.
//
// A crash of a unit ends only its worker. The current call then throws Error (run), and the unit is lost from then on.
// Results are identical to those of units in this process, because workers serve units with the same code.
#pragma once

#include <filesystem>
#include <memory>

#include "fleet/host.hpp"
#include "host/hosts.hpp"

namespace consort::host {

// Finds the program `consort-worker`: $CONSORT_WORKER, next to this program or library, or in the folders of an
// installation. Throws Error (run) that lists the searched folders.
[[nodiscard]] std::filesystem::path find_worker();

// Throws Error (run) that lists the searched folders if the worker program is not found.
[[nodiscard]] std::unique_ptr<fleet::Host> make_process_host(const HostSetup& setup);

}  // namespace consort::host
