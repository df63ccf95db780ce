// A worker with the test units.
#include "host/process/worker.hpp"
#include "host/tests/test_units.hpp"

int main(int argc, char** argv) { return consort::host::run_worker(argc, argv, consort::host::make_test_unit); }
