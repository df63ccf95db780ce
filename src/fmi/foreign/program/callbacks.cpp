#include "fmi/foreign/program/callbacks.hpp"

#include <cstdarg>
#include <cstdlib>

#include "fmi/foreign/program/server.hpp"
#include "fmi/safe_format.hpp"

namespace consort::fmi::foreign {

namespace {

constexpr std::size_t longest_category = 256;

void log_formatted(int status, const char* category, const char* format, std::va_list arguments) {
  the_server->log(status, category, safe_format(format, arguments));
}

void log_message1(fmiComponent, fmiString, fmiStatus status, fmiString category, fmiString format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  log_formatted(status, category, format, arguments);
  va_end(arguments);
}

void log_message2(fmi2ComponentEnvironment, fmi2String, fmi2Status status, fmi2String category, fmi2String format,
                  ...) {
  std::va_list arguments;
  va_start(arguments, format);
  log_formatted(status, category, format, arguments);
  va_end(arguments);
}

void* allocate(std::size_t count, std::size_t size) { return std::calloc(count, size); }
void release(void* memory) { std::free(memory); }

}  // namespace

template <>
fmiCallbackFunctionsCS callbacks<fmiCallbackFunctionsCS>() {
  return {log_message1, allocate, release, nullptr};
}
template <>
fmiCallbackFunctionsME callbacks<fmiCallbackFunctionsME>() {
  return {log_message1, allocate, release};
}
template <>
const fmi2CallbackFunctions* callbacks<const fmi2CallbackFunctions*>() {
  static const fmi2CallbackFunctions functions{log_message2, allocate, release, nullptr, nullptr};
  return &functions;
}

void log_message3(fmi3InstanceEnvironment, fmi3Status status, fmi3String category, fmi3String text) {
  the_server->log(status, category, safe_copy(text));
}

void intermediate_update(fmi3InstanceEnvironment, fmi3Float64 t, fmi3Boolean set_requested, fmi3Boolean get_allowed,
                         fmi3Boolean step_finished, fmi3Boolean can_return_early, fmi3Boolean* early_return,
                         fmi3Float64* early_time) {
  UpdateBody body{t, set_requested, get_allowed, step_finished, can_return_early, 0, 0, t};
  the_server->update(body);
  *early_return = body.early_return != 0;
  *early_time = body.early_return_time;
}

void clock_update(fmi3InstanceEnvironment) { the_server->tick(); }
void preemption() {}

}  // namespace consort::fmi::foreign
