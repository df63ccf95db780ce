// What a run of one FMU did.
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
  std::uint64_t rows = 0;
  std::uint64_t events = 0;
  std::uint64_t early_returns = 0;
  std::uint64_t discarded = 0;
  double wall_seconds = 0;
  std::vector<std::string> assumed;   // what nobody said: defaults taken
  std::vector<std::string> notes;     // facts worth telling, one line each
  std::vector<std::string> warnings;  // what went another way than asked
  std::string ended_early;            // why the run stopped before its stop time; empty when it did not
  std::vector<std::uint8_t> final_state;

  [[nodiscard]] std::string text() const;  // a few lines for people
};

}  // namespace consort::report
