// When rows that wait in memory are due to reach the file: about once a second, whatever the pace of the run.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace consort::record {

// A run of a million rows a second must not read the clock for each, and one that takes minutes per row must not wait
// for a hundred of them: the clock is looked at once per stride, a number of rows that follows the pace of the run so
// that a look is due about every quarter of a second.
class FlushClock {
 public:
  // Everything has just reached the file.
  void restart() { last_flush_ = last_look_ = std::chrono::steady_clock::now(); }

  // After every row, or some; true when the rows are to be flushed (and restart() to be called).
  [[nodiscard]] bool due(std::size_t rows = 1) {
    if (rows < rows_left_) {
      rows_left_ -= static_cast<std::uint32_t>(rows);
      return false;
    }
    return look();
  }

 private:
  bool look() {
    using namespace std::chrono_literals;
    const auto now = std::chrono::steady_clock::now();
    const auto passed = now - last_look_;
    last_look_ = now;
    if (passed > 250ms) {
      stride_ = std::max(1U, stride_ / 4);
    } else if (passed < 100ms) {
      stride_ = std::min(1024U, stride_ * 2);
    }
    rows_left_ = stride_;
    return now - last_flush_ >= 750ms;
  }

  std::uint32_t stride_ = 1;
  std::uint32_t rows_left_ = 1;
  std::chrono::steady_clock::time_point last_look_{};
  std::chrono::steady_clock::time_point last_flush_{};
};

}  // namespace consort::record
