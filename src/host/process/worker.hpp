// The program that runs one unit for an engine in another process.
#pragma once

#include "host/process/unit_server.hpp"

namespace consort::host {

// The whole of a worker's main(): serves the unit that the engine asks for until the engine says that it is enough, or
// is gone. Returns the exit status. A crash of the unit is told on standard error, with its call and time, before the
// process ends of it.
[[nodiscard]] int run_worker(int argc, char** argv, WorkerFactory factory);

// Makes units from the folders of unpacked FMUs; knows no models.
[[nodiscard]] WorkerFactory fmu_worker_factory();

}  // namespace consort::host
