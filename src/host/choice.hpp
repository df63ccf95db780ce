// Whether a wave is done faster by one thread or by several: both are tried and their times compared, again and again,
// and the one that loses is tried as rarely as it costs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace consort::host {

enum class Way : std::uint8_t { alone, together };

class Choice {
 public:
  [[nodiscard]] Way way() const { return way_; }           // for the next wave
  [[nodiscard]] bool timed() const { return left_ == 0; }  // whether the next wave's time is wanted
  // Whether the next wave is just one more for one thread.
  [[nodiscard]] bool quiet() const { return left_ != 0 && way_ == Way::alone; }
  // Whether a time will do that includes taking the times of the units.
  [[nodiscard]] bool fresh() const { return phase_ == Phase::first; }

  // A wave has been done as way() says: with its time, or without (it is asked for again).
  void passed() {
    if (left_ != 0) --left_;
  }
  void passed(double seconds);

  // What the units take one after another, and what the longest share of them takes, as far as is known: what cannot
  // pay is not tried.
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
  std::uint64_t left_ = 0;   // waves until one is timed again; 0: the next one is
  std::uint64_t until_ = 0;  // waves after that one until the ways are compared
  std::uint64_t patience_ = 1;
  int surprises_ = 0;
  double own_ = 0;  // seconds of a wave the present way; 0: not known
  double sum_ = 0;
  double longest_ = 0;
  // While both are compared.
  std::array<double, samples> times_{};
  std::size_t waves_ = 0;
  double spent_ = 0;  // on the other way
};

}  // namespace consort::host
