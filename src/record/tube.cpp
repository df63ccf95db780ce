#include "record/tube.hpp"

#include <algorithm>
#include <cmath>

namespace consort::record {

void Tube::include(double value) {
  if (std::isnan(value)) {
    has_nan = true;
    return;
  }
  low = std::min(low, value);
  high = std::max(high, value);
}

// --- numbers

Tube MovingTube::move_to(Time a, Time b) {
  while (window_.end < time_.size() && time_[window_.end] <= b) push(window_.end++);
  while (time_[window_.begin] < a) drop(window_.begin++);  // terminates, because the last row is not before a

  Tube tube;
  if (!lowest_.empty()) tube.include(values_[lowest_.rows[lowest_.head]]);
  if (!highest_.empty()) tube.include(values_[highest_.rows[highest_.head]]);
  if (nans_ > 0) tube.has_nan = true;
  if (window_.begin > 0 && time_[window_.begin] > a) include_between(window_.begin - 1, a, tube);
  if (window_.end < time_.size() && time_[window_.end - 1] < b) include_between(window_.end - 1, b, tube);
  return tube;
}

void MovingTube::push(std::size_t row) {
  const double value = values_[row];
  if (std::isnan(value)) {
    ++nans_;
    return;
  }
  while (!lowest_.empty() && values_[lowest_.rows.back()] >= value) lowest_.rows.pop_back();
  lowest_.rows.push_back(row);
  while (!highest_.empty() && values_[highest_.rows.back()] <= value) highest_.rows.pop_back();
  highest_.rows.push_back(row);
}

void MovingTube::drop(std::size_t row) {
  if (std::isnan(values_[row])) --nans_;
  for (Queue* queue : {&lowest_, &highest_}) {
    if (!queue->empty() && queue->rows[queue->head] == row) ++queue->head;
  }
}

// Includes the value at s, which lies between `row` and the next row.
void MovingTube::include_between(std::size_t row, Time s, Tube& tube) const {
  const double first = values_[row];
  const double second = values_[row + 1];
  if (held_) {
    tube.include(first);
  } else if (std::isnan(first) || std::isnan(second)) {
    tube.has_nan = true;
  } else if (std::isinf(first) || std::isinf(second)) {
    tube.include(first);
    tube.include(second);
  } else {
    const double f = (s - time_[row]) / (time_[row + 1] - time_[row]);
    const auto [low, high] = std::minmax(first, second);
    tube.include(std::clamp((1 - f) * first + f * second, low, high));
  }
}

// --- texts

MovingTexts::MovingTexts(const std::vector<Time>& time, const std::vector<std::string>& texts) : time_(time) {
  ids_.reserve(texts.size());
  for (const std::string& text : texts) ids_.push_back(id_of_.try_emplace(text, id_of_.size()).first->second);
  count_.assign(id_of_.size(), 0);
}

void MovingTexts::move_to(Time a, Time b) {
  while (window_.end < time_.size() && time_[window_.end] <= b) ++count_[ids_[window_.end++]];
  while (time_[window_.begin] < a) --count_[ids_[window_.begin++]];
  const bool between_rows = window_.begin > 0 && time_[window_.begin] > a;
  in_force_ = ids_[between_rows ? window_.begin - 1 : window_.begin];
}

bool MovingTexts::contains(const std::string& text) const {
  const auto found = id_of_.find(text);
  if (found == id_of_.end()) return false;
  return count_[found->second] > 0 || in_force_ == found->second;
}

}  // namespace consort::record
