#include "engine/pace.hpp"

#include <cmath>
#include <thread>

#include "base/error.hpp"

namespace consort::engine {

Pace::Pace(std::optional<double> factor, const std::atomic<bool>* stop_requested)
    : factor_(factor.value_or(0)), stop_requested_(stop_requested) {
  require_setting("real_time", !factor || (std::isfinite(*factor) && *factor > 0),
                  "the real-time factor must be positive, not {}", factor_);
}

void Pace::begin(Time start) {
  start_ = start;
  begun_ = Clock::now();
}

void Pace::wait_until(Time t) {
  const auto due =
      begun_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>((t - start_) / factor_));
  const auto now = Clock::now();
  if (now > due) {
    const double late = std::chrono::duration<double>(now - due).count();
    constexpr double tolerated = 1e-4;  // s: the usual inaccuracy of sleeping
    if (late > tolerated) ++overruns_;
    if (late > latest_) latest_ = late;
    return;
  }
  // Sleep in slices, because a signal does not end a sleep and steps may be long.
  constexpr auto slice = std::chrono::milliseconds(50);
  const auto is_stopped = [&] {
    return stop_requested_ != nullptr && stop_requested_->load(std::memory_order_relaxed);
  };
  while (Clock::now() + slice < due && !is_stopped()) std::this_thread::sleep_for(slice);
  if (!is_stopped()) std::this_thread::sleep_until(due);
  waited_ += std::chrono::duration<double>(Clock::now() - now).count();
}

}  // namespace consort::engine
