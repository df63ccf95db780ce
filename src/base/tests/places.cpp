#include "base/tests/places.hpp"

namespace consort::places {

std::string source() { return CONSORT_SOURCE_DIR; }
std::string build() { return CONSORT_BUILD_DIR; }
std::string fmus() { return CONSORT_FMU_DIR; }
std::string scratch() { return CONSORT_TEST_TMP; }
std::string program() { return CONSORT_PROGRAM; }
std::string worker() { return CONSORT_WORKER_PROGRAM; }
std::string test_worker() { return CONSORT_TEST_WORKER; }

}  // namespace consort::places
