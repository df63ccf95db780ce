#include "engine/pace.hpp"

#include <cmath>
#include <thread>

#include "base/error.hpp"

namespace consort::engine {

Pace::Pace(std::optional<double> factor, Time start)
    : factor_(factor.value_or(0)), start_(start), begun_(Clock::now()) {
  require(!factor || (std::isfinite(*factor) && *factor > 0), "the real-time factor must be positive, not {}", factor_);
}

void Pace::wait(Time t) {
  if (factor_ <= 0) return;
  const auto due =
      begun_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>((t - start_) / factor_));
  const auto now = Clock::now();
  if (now > due) {
    const double late = std::chrono::duration<double>(now - due).count();
    constexpr double tolerated = 1e-4;  // s: what sleeping alone is off by
    if (late > tolerated) ++overruns_;
    if (late > latest_) latest_ = late;
    return;
  }
  std::this_thread::sleep_until(due);
}

}  // namespace consort::engine
