// The Error that `work` throws, or its text. The test fails if `work` throws nothing or another exception.
#pragma once

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace consort {

template <class Work>
Error thrown_error(Work&& work, Fault fault = Fault::input) {
  try {
    std::forward<Work>(work)();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), fault) << error.what();
    return error;
  }
  ADD_FAILURE() << "no Error was thrown";
  return {fault, ""};
}

template <class Work>
std::string error_text(Work&& work, Fault fault = Fault::input) {
  return thrown_error(std::forward<Work>(work), fault).what();
}

}  // namespace consort
