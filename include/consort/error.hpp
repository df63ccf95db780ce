// The exception type of the public API.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "consort/export.hpp"

namespace consort {

// The cause of an error. It decides the exit status of the command line: input 2, run 1.
enum class Fault {
  input,  // the user's input: a file, an option, a name
  run,    // an event during the run: a unit failed, the disk is full
};

// The facts of an error for programs; the text states the same facts for people. An empty field is unknown.
struct ErrorFields {
  std::string unit{};            // name in the system, "car.wheel"
  std::string call{};            // the function that failed, "fmi2DoStep"
  std::optional<double> time{};  // simulated time in seconds
  std::string setting{};         // the key of the setting that was wrong, "iteration.reuse"

  bool operator==(const ErrorFields&) const = default;
};

// An error that ends the requested operation. The text is one paragraph: what happened, where, and what to do about it.
// Copying does not throw.
class CONSORT_API Error : public std::runtime_error {
 public:
  Error(Fault fault, const std::string& text) : std::runtime_error(text), fault_(fault) {}
  Error(Fault fault, const std::string& text, ErrorFields fields)
      : std::runtime_error(text), fault_(fault), fields_(std::make_shared<const ErrorFields>(std::move(fields))) {}

  [[nodiscard]] Fault fault() const noexcept { return fault_; }
  [[nodiscard]] int exit_status() const noexcept { return fault_ == Fault::input ? 2 : 1; }

  [[nodiscard]] const ErrorFields& fields() const noexcept {
    static const ErrorFields none;
    return fields_ ? *fields_ : none;
  }
  [[nodiscard]] const std::string& unit() const noexcept { return fields().unit; }
  [[nodiscard]] const std::string& call() const noexcept { return fields().call; }
  [[nodiscard]] std::optional<double> time() const noexcept { return fields().time; }
  [[nodiscard]] const std::string& setting() const noexcept { return fields().setting; }

  // A copy of this error with one more field, for throw expressions:
  // `throw Error(Fault::run, text).in_unit("wheel").at(1.5)`. Returns an Error even for a subclass; pass the fields to
  // the constructor of a subclass instead.
  [[nodiscard]] Error in_unit(std::string name) const { return with(&ErrorFields::unit, std::move(name)); }
  [[nodiscard]] Error in_call(std::string function) const { return with(&ErrorFields::call, std::move(function)); }
  [[nodiscard]] Error at(double seconds) const { return with(&ErrorFields::time, std::optional<double>(seconds)); }
  [[nodiscard]] Error of_setting(std::string key) const { return with(&ErrorFields::setting, std::move(key)); }
  // The same fault and fields with another text.
  [[nodiscard]] Error with_text(const std::string& text) const { return {fault_, text, fields()}; }

 private:
  template <class T>
  [[nodiscard]] Error with(T ErrorFields::*field, T value) const {
    ErrorFields changed = fields();
    changed.*field = std::move(value);
    return {fault_, what(), std::move(changed)};
  }

  Fault fault_;
  std::shared_ptr<const ErrorFields> fields_;  // null: no field is known
};

// Installs the crash report. Call once at the beginning of a program. When an FMU crashes, one paragraph on stderr
// names the unit, the call and the simulated time, and rows that wait to be written are written. The process then ends
// as it would have ended without the report.
CONSORT_API void report_crashes();

}  // namespace consort
