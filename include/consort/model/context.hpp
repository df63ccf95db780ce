// What a model's functions are told, and how they answer when something is wrong.
#pragma once

#include <cstddef>
#include <exception>
#include <limits>
#include <string_view>

#include "consort/model/text.hpp"

namespace consort::model {

enum class Status : unsigned char { ok, warning, discard, error, fatal };

// Who runs the model: an FMI importer behind the exported FMU, or the engine. Lent to the model for the time of a call.
struct Host {
  using Log = void(const Host& host, Status status, const char* category, const char* format, const void* argument);
  Log* log = nullptr;  // `format` is printf's, with `argument` as its only argument
  const char* instance_name = "";
  const char* resources = "";  // the folder of the model's files, without a slash at the end; empty when there is none
};

// The argument of a model's functions. Who needs no more than the time writes `void derivatives(double t)`.
struct Context {
  double time = 0;
  double step = 0;  // in completed(): the communication step that is being taken, or 0 where nobody knows it
  const Host* host = nullptr;

  operator double() const { return time; }  // NOLINT(google-explicit-constructor): so that functions may take a double

  [[nodiscard]] std::string_view instance_name() const { return host != nullptr ? host->instance_name : ""; }
  [[nodiscard]] std::string_view resources() const { return host != nullptr ? host->resources : ""; }

  void log(Status status, const char* category, const char* text) const { log_format(status, category, "%s", text); }
  // Hands `format` to the importer as it is. For models that test importers.
  void log_format(Status status, const char* category, const char* format, const void* argument = nullptr) const {
    if (host != nullptr && host->log != nullptr) host->log(*host, status, category, format, argument);
  }
};

// The argument of a model's event(): what happens next. Everything is at its default when event() is called.
struct Event : Context {
  double next_time = std::numeric_limits<double>::infinity();  // of the next time event
  bool again = false;                                          // call event() once more before time goes on
  bool terminate = false;                                      // the simulation has reached its end
};

// Thrown by a model's functions; becomes the status of the FMI call, with the text in the importer's log.
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

// The step cannot be done like this; a shorter one may. Thrown before anything but derivatives has been changed.
struct Discard : Failure {
  explicit Discard(std::string_view text) : Failure(Status::discard, text) {}
};

// Nothing can be done any more, not with other instances of the model either.
struct Fatal : Failure {
  explicit Fatal(std::string_view text) : Failure(Status::fatal, text) {}
};

}  // namespace consort::model
