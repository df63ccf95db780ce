// The one exception that Consort throws at its users.
#pragma once

#include <stdexcept>
#include <string>

#include "consort/export.hpp"

namespace consort {

// What was at fault decides the exit status of the command line: input 2, run 1.
enum class Fault {
  input,  // what the user gave us: a file, an option, a name
  run,    // what happened while it ran: a unit failed, the disk is full
};

// An error that ends what was asked for. The text is one paragraph: what, where, and what to do about it.
class CONSORT_API Error : public std::runtime_error {
 public:
  Error(Fault fault, const std::string& text) : std::runtime_error(text), fault_(fault) {}
  [[nodiscard]] Fault fault() const noexcept { return fault_; }
  [[nodiscard]] int exit_status() const noexcept { return fault_ == Fault::input ? 2 : 1; }

 private:
  Fault fault_;
};

// Once, at the beginning of a program: when an FMU crashes, the process still ends as it would have, but one paragraph
// on stderr names the unit, the call and the simulated time before, and rows that wait to be written are written.
CONSORT_API void report_crashes();

}  // namespace consort
