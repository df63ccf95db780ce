// What the tests of the public headers have in common.
#pragma once

#include <string>

#include "base/tests/places.hpp"
#include "consort/error.hpp"

namespace consort::api_tests {

inline std::string fmu(const std::string& name) { return consort::places::fmus() + "/" + name + ".fmu"; }

template <class Work>
std::string error_of(Work work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace consort::api_tests
