// The values of a reference in a time window that only moves forward, in amortised constant time per move.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/time.hpp"

namespace consort::record {

// The rows with times in [a, b].
struct RowWindow {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The values of a signal over a closed window, without any tolerance.
struct Tube {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool has_nan = false;                                    // the signal is NaN at some time in the window
  [[nodiscard]] bool empty() const { return low > high; }  // the signal has only NaN values in the window

  void include(double value);
};

// A numeric signal. Between two rows it is linear, or equal to the first value if it is held. Next to a NaN it is NaN;
// next to an infinite value it may be either of the two values.
class MovingTube {
 public:
  MovingTube(const std::vector<Time>& time, const std::vector<double>& values, bool held)
      : time_(time), values_(values), held_(held) {}

  // Neither a nor b may decrease from call to call; a <= last time, b >= first time, a <= b.
  [[nodiscard]] Tube move_to(Time a, Time b);

 private:
  // Candidates for one extreme: row numbers, ordered so that their values become less and less extreme.
  struct Queue {
    std::vector<std::size_t> rows;
    std::size_t head = 0;
    [[nodiscard]] bool empty() const { return head == rows.size(); }
  };
  void push(std::size_t row);
  void drop(std::size_t row);
  void include_between(std::size_t row, Time s, Tube& tube) const;

  const std::vector<Time>& time_;
  const std::vector<double>& values_;
  bool held_;
  RowWindow window_;
  Queue lowest_;
  Queue highest_;
  std::size_t nans_ = 0;
};

// A text signal, always held.
class MovingTexts {
 public:
  MovingTexts(const std::vector<Time>& time, const std::vector<std::string>& texts);
  void move_to(Time a, Time b);  // like MovingTube::move_to
  [[nodiscard]] bool contains(const std::string& text) const;

 private:
  const std::vector<Time>& time_;
  std::vector<std::size_t> ids_;  // by row
  std::unordered_map<std::string_view, std::size_t> id_of_;
  std::vector<std::size_t> count_;  // by id: number of rows in the window
  RowWindow window_;
  std::size_t in_force_ = 0;  // id of the text at the left edge
};

}  // namespace consort::record
