// Failures are exceptions with a text for the user; outcomes that a caller must handle are values (see step outcome
// types). The throwing code fills the fields that it knows: `throw run_error("…").in_unit(name).at(t)`.
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

// require() for a mistake about a unit, …
template <class... Args>
void require_in_unit(const std::string& unit, bool condition, fmt::format_string<Args...> text, Args&&... args) {
  if (!condition) throw input_error(text, std::forward<Args>(args)...).in_unit(unit);
}
// … and about a setting, by its key: `require_setting("control.grow", grow > 1, "'grow' must be …")`.
template <class... Args>
void require_setting(const char* key, bool condition, fmt::format_string<Args...> text, Args&&... args) {
  if (!condition) throw input_error(text, std::forward<Args>(args)...).of_setting(key);
}

// Runs the body and returns its result, for code that does not know its unit (a solver, a file). An Error without a
// unit gets this unit, in its fields and at the front of its text; an Error with a unit passes unchanged. An error
// whose text names a unit must therefore have the field.
template <class F>
decltype(auto) with_unit(const std::string& unit, F&& body) {
  try {
    return std::forward<F>(body)();
  } catch (const Error& error) {
    if (!error.unit().empty()) throw;
    throw error.with_text(fmt::format("unit '{}': {}", unit, error.what())).in_unit(unit);
  }
}

[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);

}  // namespace consort

// For programming errors in Consort. Always active: the checks are cheap where they are used.
#define CONSORT_ASSERT(expression) \
  ((expression) ? static_cast<void>(0) : ::consort::assertion_failed(#expression, __FILE__, __LINE__))
