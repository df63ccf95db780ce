// Paths for tests. They are compiled into a single file, so that all other objects are equal in every checkout and come
// from ccache.
#pragma once

#include <string>

namespace consort::places {

std::string source();       // the repository
std::string build();        // the build tree
std::string fmus();         // FMUs made from models/: fmi2/NAME.fmu, fmi3/NAME.fmu, fmi1/cs/NAME.fmu, fmi1/me/NAME.fmu
std::string scratch();      // a folder in which tests may write
std::string program();      // consort
std::string worker();       // consort-worker
std::string test_worker();  // consort-worker with units that tests name

}  // namespace consort::places
