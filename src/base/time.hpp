// Time is a double in seconds. Steps are counted, never added up: the n-th point of a grid is start + n * step.
#pragma once

#include <compare>
#include <cstdint>

namespace consort {

using Time = double;      // seconds
using Duration = double;  // seconds

// Superdense time: the n-th event iteration at t.
struct Instant {
  Time t = 0;
  std::uint32_t n = 0;
  friend auto operator<=>(const Instant&, const Instant&) = default;
};

// Equidistant points start, start + step, … up to and including stop. The last interval is shorter if the step does not
// divide the run. A remainder below `slack` of a step counts as rounding; then the last point is stop itself.
class Grid {
 public:
  static constexpr double slack = 1e-6;

  Grid(Time start, Time stop, Duration step);  // throws Error (input) unless all are finite, step > 0, stop >= start

  [[nodiscard]] std::uint64_t intervals() const { return intervals_; }
  [[nodiscard]] Time point(std::uint64_t n) const {
    return n >= intervals_ ? stop_ : start_ + static_cast<double>(static_cast<std::int64_t>(n)) * step_;
  }
  [[nodiscard]] Time start() const { return start_; }
  [[nodiscard]] Time stop() const { return stop_; }
  [[nodiscard]] Duration step() const { return step_; }
  // Times closer than this are equal: `slack` of a step, or the spacing of doubles if that is larger.
  [[nodiscard]] Duration tolerance() const { return tolerance_; }
  // True if every interval has the full step (within slack).
  [[nodiscard]] bool even() const { return even_; }

 private:
  Time start_;
  Time stop_;
  Duration step_;
  Duration tolerance_;
  std::uint64_t intervals_;
  bool even_;
};

}  // namespace consort
