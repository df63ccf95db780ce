// Where tests find what they need. The paths are compiled into one file, so that the objects of all others are the same
// in every checkout and come out of ccache.
#pragma once

#include <string>

namespace consort::places {

std::string source();       // the repository
std::string build();        // the build tree
std::string fmus();         // FMUs made from models/: fmi2/NAME.fmu, fmi3/NAME.fmu, fmi1/cs/NAME.fmu, fmi1/me/NAME.fmu
std::string scratch();      // a folder that tests may write into
std::string program();      // consort
std::string worker();       // consort-worker
std::string test_worker();  // the same with units that tests name

}  // namespace consort::places
