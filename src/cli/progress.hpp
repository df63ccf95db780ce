// Progress on stderr. On a terminal, one line is updated; otherwise, a parseable line is printed each second.
#pragma once

#include <atomic>

#include "engine/simulate_cs.hpp"

namespace consort::cli {

class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();  // clears the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const engine::Progress& progress);

 private:
  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  double last_ = 0;
};

// The first Ctrl-C (or SIGTERM) requests a stop. The second one writes the rows still held by sinks and ends the
// process with the exit status 128 + signal (130 for Ctrl-C).
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  [[nodiscard]] static const std::atomic<bool>& requested();
};

}  // namespace consort::cli
