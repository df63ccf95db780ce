#include "engine/schedule.hpp"

#include <algorithm>
#include <cmath>

namespace consort::engine {

namespace {

// Far from zero, doubles are farther apart than the slack of a small step: there rounding decides.
Duration tolerance_of(const Grid& steps) {
  const Time farthest = std::max(std::abs(steps.start()), std::abs(steps.stop()));
  const Duration spacing = std::nextafter(farthest, std::numeric_limits<double>::infinity()) - farthest;
  return std::min(std::max(Grid::slack * steps.step(), 4 * spacing), steps.step() / 4);
}

}  // namespace

Schedule::Schedule(Grid steps, std::optional<Grid> outputs, bool cut)
    : steps_(steps), outputs_(outputs), cut_(cut), stop_(steps.stop()), tolerance_(tolerance_of(steps)) {
  if (ends_short()) stop_ = steps.point(steps.intervals() - 1);
}

Schedule::Point Schedule::next(Time t, std::optional<Time> event) {
  while (next_step_ < steps_.intervals() && steps_.point(next_step_) <= t + tolerance_) ++next_step_;
  if (outputs_) {
    while (next_output_ < outputs_->intervals() && outputs_->point(next_output_) <= t + tolerance_) ++next_output_;
  }
  Point p;
  p.t = std::min(steps_.point(next_step_), stop_);
  if (cut_) {
    if (outputs_) p.t = std::min(p.t, outputs_->point(next_output_));
    // A sliver before a grid point is rounding, not a step.
    if (steps_.point(next_step_) - p.t <= tolerance_) p.t = steps_.point(next_step_);
    // An event is met exactly: what happens at its very time must not be passed by.
    if (event && *event <= p.t + tolerance_) p.t = std::max(*event, t + tolerance_);
    if (stop_ - p.t <= tolerance_) p.t = stop_;
  }
  p.h = p.t - t;
  if (std::abs(p.h - steps_.step()) <= tolerance_) p.h = steps_.step();
  p.last = p.t >= stop_ - tolerance_;
  p.record = p.last || (outputs_ ? outputs_->point(next_output_) <= p.t + tolerance_ : true);
  return p;
}

}  // namespace consort::engine
