// Decides whether one thread or several threads serve a wave faster. Both ways are tried and compared repeatedly. The
// slower way is tried the more rarely, the more time it costs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace consort::host {

enum class Way : std::uint8_t { alone, together };

class Choice {
 public:
  [[nodiscard]] Way way() const { return way_; }           // way to serve the next wave
  [[nodiscard]] bool timed() const { return left_ == 0; }  // the time of the next wave is needed
  // True if one thread serves the next wave and its time is not needed.
  [[nodiscard]] bool quiet() const { return left_ != 0 && way_ == Way::alone; }
  // True if the time may include the overhead of measuring the units.
  [[nodiscard]] bool fresh() const { return phase_ == Phase::first; }

  // Reports a wave served according to way(), with or without its time. If timed() was true and no time is given,
  // timed() stays true.
  void passed() {
    if (left_ != 0) --left_;
  }
  void passed(double seconds);

  // Sets the expected time of all units in sequence and of the longest share; 0: unknown. A way that cannot pay off is
  // not tried.
  void expect(double sum, double longest) {
    sum_ = sum;
    longest_ = longest;
  }

 private:
  enum class Phase : std::uint8_t { first, settled, checking, trying };
  static constexpr std::size_t samples = 7;

  void settle(Way way, double waves);
  void begin(Phase phase, Way way);
  void watch(double seconds);
  void check(double seconds);
  void compare();
  [[nodiscard]] bool worth_trying() const;
  [[nodiscard]] double median();

  Way way_ = Way::alone;
  Phase phase_ = Phase::first;
  std::uint64_t left_ = 0;   // waves until the next timed wave; 0: the next wave is timed
  std::uint64_t until_ = 0;  // further waves until the ways are compared
  std::uint64_t patience_ = 1;
  int surprises_ = 0;
  double own_ = 0;  // seconds of a wave served the current way; 0: unknown
  double sum_ = 0;
  double longest_ = 0;
  // State of a comparison:
  std::array<double, samples> times_{};
  std::size_t waves_ = 0;
  double spent_ = 0;  // seconds spent on the other way
};

}  // namespace consort::host
