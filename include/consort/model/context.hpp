// The arguments of a model's functions, and the exceptions with which they report failures.
#pragma once

#include <cstddef>
#include <exception>
#include <limits>
#include <string_view>

#include "consort/model/text.hpp"

namespace consort::model {

enum class Status : unsigned char { ok, warning, discard, error, fatal };

// The program that runs the model: an FMI importer behind the exported FMU, or the engine. Valid only during a call.
struct Host {
  using Log = void(const Host& host, Status status, const char* category, const char* format, const void* argument);
  Log* log = nullptr;  // `format` is printf's, with `argument` as its only argument
  const char* instance_name = "";
  const char* resources = "";  // folder of the model's files, without a trailing slash; empty: no folder
};

// The argument of a model's functions. A function that needs only the time may be `void derivatives(double t)`.
struct Context {
  double time = 0;
  double step = 0;  // in completed(): the current communication step, 0 if unknown
  const Host* host = nullptr;

  operator double() const { return time; }  // NOLINT(google-explicit-constructor): lets functions take a double

  [[nodiscard]] std::string_view instance_name() const { return host != nullptr ? host->instance_name : ""; }
  [[nodiscard]] std::string_view resources() const { return host != nullptr ? host->resources : ""; }

  void log(Status status, const char* category, const char* text) const { log_format(status, category, "%s", text); }
  // Passes `format` to the importer unchanged. For models that test importers.
  void log_format(Status status, const char* category, const char* format, const void* argument = nullptr) const {
    if (host != nullptr && host->log != nullptr) host->log(*host, status, category, format, argument);
  }
};

// The argument of a model's event(). The function sets what happens next; all members have their defaults at the call.
struct Event : Context {
  double next_time = std::numeric_limits<double>::infinity();  // of the next time event
  bool again = false;                                          // call event() again before time advances
  bool terminate = false;                                      // the simulation has reached its end
};

// Thrown by a model's functions. Sets the status of the FMI call; the text goes to the importer's log.
class Failure : public std::exception {
 public:
  explicit Failure(std::string_view text) : Failure(Status::error, text) {}
  [[nodiscard]] Status status() const noexcept { return status_; }
  [[nodiscard]] const char* what() const noexcept override { return text_.data; }

 protected:
  Failure(Status status, std::string_view text) : status_(status), text_(text) {}

 private:
  Status status_;
  Text<255> text_;
};

// The step is rejected; a shorter one may succeed. Throw it before any values other than derivatives have changed.
struct Discard : Failure {
  explicit Discard(std::string_view text) : Failure(Status::discard, text) {}
};

// No further call is possible on any instance of the model.
struct Fatal : Failure {
  explicit Fatal(std::string_view text) : Failure(Status::fatal, text) {}
};

}  // namespace consort::model
