// The report of a run of one FMU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace consort::report {

struct FmuReport {
  Time start = 0, stop = 0, reached = 0;
  Duration step = 0;
  std::uint64_t steps = 0;
  bool solver_steps = false;  // steps are those of the solver, and `step` is the time between rows
  std::uint64_t rows = 0;
  std::uint64_t events = 0;
  std::uint64_t early_returns = 0;
  std::uint64_t discarded = 0;
  double wall_seconds = 0;
  std::vector<std::string> assumed;   // defaults used for values that were not given
  std::vector<std::string> notes;     // information, one line each
  std::vector<std::string> warnings;  // deviations from the request
  std::string ended_early;            // the reason if the run ended before its stop time; else empty
  std::vector<std::uint8_t> final_state;

  [[nodiscard]] std::string text() const;  // a few readable lines
};

}  // namespace consort::report
