// Decides when buffered rows must be written to the file: about once a second, independent of the speed of the run.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace consort::record {

// A run of a million rows per second must not read the clock for each row; a run that takes minutes per row must not
// wait for a hundred rows. Therefore the clock is read once per stride. The stride is a number of rows, adapted to the
// speed of the run so that the clock is read about every quarter of a second.
class FlushClock {
 public:
  // Call after all rows were written to the file.
  void restart() { last_flush_ = last_look_ = std::chrono::steady_clock::now(); }

  // Call after one or more rows. Returns true if the caller must flush the rows and call restart().
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
