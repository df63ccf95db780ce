// Brackets the time at which an event of the system happens: regula falsi with halved ends (Illinois) on the indicators
// of the conditions, and every third time a bisection.
#pragma once

#include <vector>

#include "base/time.hpp"
#include "couple/system_events.hpp"

namespace consort::step {

class EventSearch {
 public:
  explicit EventSearch(const couple::SystemEvents& events);

  // Of the time at which events are found, in parts of the communication step.
  static constexpr double event_time = 1e-8;

  // Values at the point where a step begins; no condition has become true.
  void begin(const couple::RunState& state);
  // At a later point, where one has. `tolerance`: the length of a bracket that is short enough.
  void bracket(const couple::RunState& state, Duration tolerance);
  // A time inside the bracket to try next; only while !done().
  [[nodiscard]] Time next();
  // The result of that: the present point, and whether a condition is true there. It may be another point of the
  // bracket.
  void take(const couple::RunState& state, bool is_true);
  [[nodiscard]] bool done() const { return to_ - from_ <= tolerance_ || tried_ >= most_tried; }
  // The end of the bracket at which a condition is true.
  [[nodiscard]] Time end() const { return to_; }

 private:
  static constexpr int most_tried = 100;

  const couple::SystemEvents& events_;
  Time from_ = 0, to_ = 0;
  Duration tolerance_ = 0;
  int tried_ = 0;
  int side_ = 0;  // the end that the last attempt moved: -1 or 1
  std::vector<double> low_, high_, now_;
};

}  // namespace consort::step
