// consort-worker: runs one FMU for an engine in another process.
#include "host/process/worker.hpp"

int main(int argc, char** argv) { return consort::host::run_worker(argc, argv, consort::host::fmu_worker_factory()); }
