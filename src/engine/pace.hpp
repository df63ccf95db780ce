// Slows a run down to real time, and counts delays.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace consort::engine {

class Pace {
 public:
  // `factor`: simulated seconds per second of real time; none: as fast as possible. Throws Error (input) unless it is
  // positive. wait() returns early when `stop_requested` (may be null) becomes true.
  explicit Pace(std::optional<double> factor, const std::atomic<bool>* stop_requested = nullptr);
  // Starts the clock; now is `start`.
  void begin(Time start);
  // Waits until the clock reaches t.
  void wait(Time t) {
    if (factor_ > 0) wait_until(t);
  }
  [[nodiscard]] std::uint64_t overruns() const { return overruns_; }
  [[nodiscard]] double latest() const { return latest_; }  // s
  [[nodiscard]] double waited() const { return waited_; }  // s, total

 private:
  void wait_until(Time t);

  using Clock = std::chrono::steady_clock;
  double factor_ = 0;
  const std::atomic<bool>* stop_requested_;
  Time start_ = 0;
  Clock::time_point begun_;
  std::uint64_t overruns_ = 0;
  double latest_ = 0;
  double waited_ = 0;
};

}  // namespace consort::engine
