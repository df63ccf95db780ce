// Chooses the steps in which the time of units is measured: the first two and every 64th, so that the cost of reading
// the clock stays negligible.
#pragma once

#include <cstdint>
#include <limits>

#include "base/time.hpp"

namespace consort::fleet {

// Steps are identified by their time, so that every wave of a chosen step is measured.
class Sampling {
 public:
  bool operator()(Time t) {
    if (t != last_) {
      last_ = t;
      const auto n = steps_++;
      now_ = n % every == 0 || n == 1;
    }
    return now_;
  }

 private:
  static constexpr std::uint64_t every = 64;
  Time last_ = std::numeric_limits<Time>::quiet_NaN();
  std::uint64_t steps_ = 0;
  bool now_ = false;
};

}  // namespace consort::fleet
