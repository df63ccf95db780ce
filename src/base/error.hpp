// Failures are exceptions with a text for the user; outcomes that a caller must handle are values (see step outcome
// types).
#pragma once

#include <string>
#include <utility>

#include <fmt/core.h>

#include "consort/error.hpp"

namespace consort {

template <class... Args>
[[nodiscard]] Error input_error(fmt::format_string<Args...> text, Args&&... args) {
  return {Fault::input, fmt::format(text, std::forward<Args>(args)...)};
}

template <class... Args>
[[nodiscard]] Error run_error(fmt::format_string<Args...> text, Args&&... args) {
  return {Fault::run, fmt::format(text, std::forward<Args>(args)...)};
}

// For the user's mistakes: `require(h > 0, "step size must be positive, got {}", h)`.
template <class... Args>
void require(bool condition, fmt::format_string<Args...> text, Args&&... args) {
  if (!condition) throw input_error(text, std::forward<Args>(args)...);
}

[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);

}  // namespace consort

// For our own mistakes. Always on: the checks are cheap where they stand.
#define CONSORT_ASSERT(expression) \
  ((expression) ? static_cast<void>(0) : ::consort::assertion_failed(#expression, __FILE__, __LINE__))
