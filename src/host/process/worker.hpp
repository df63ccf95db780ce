// The worker program: runs one unit for an engine in another process.
#pragma once

#include "host/process/unit_server.hpp"

namespace consort::host {

// The main() of a worker: serves the unit until the engine asks it to end or is gone. Returns the exit status. If the
// unit crashes, prints its call and time to standard error before the process ends.
[[nodiscard]] int run_worker(int argc, char** argv, WorkerFactory factory);

// Makes units from folders of unpacked FMUs and from built-in models, and groups of them.
[[nodiscard]] WorkerFactory fmu_worker_factory();

}  // namespace consort::host
