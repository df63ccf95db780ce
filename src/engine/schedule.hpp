// When to communicate and when to record: counted grids and input events merged into one sequence of points.
#pragma once

#include <limits>
#include <optional>

#include "base/time.hpp"

namespace consort::engine {

class Schedule {
 public:
  struct Point {
    Time t = 0;
    Duration h = 0;       // from the previous point; exactly the step size where the interval is a whole step
    bool record = false;  // an output point, or the first communication point after one
    bool last = false;
  };

  // `cut`: whether steps may be shortened to land on output points and events. Without it a run that is not a whole
  // number of steps ends at the last full one (ends_short() is true).
  Schedule(Grid steps, std::optional<Grid> outputs, bool cut);

  // The point that follows time t; `event` is the next input event after t, if any. t is where the last point was, or
  // where a step ended early.
  [[nodiscard]] Point next(Time t, std::optional<Time> event);

  [[nodiscard]] bool ends_short() const { return !cut_ && !steps_.even(); }
  [[nodiscard]] Time stop() const { return stop_; }
  // Two times nearer than this are one.
  [[nodiscard]] Duration tolerance() const { return tolerance_; }
  [[nodiscard]] bool done(Time t) const { return t >= stop_ - tolerance_; }

 private:
  Grid steps_;
  std::optional<Grid> outputs_;
  bool cut_;
  Time stop_;
  Duration tolerance_;
  std::uint64_t next_step_ = 1;
  std::uint64_t next_output_ = 1;
};

}  // namespace consort::engine
