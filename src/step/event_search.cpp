#include "step/event_search.hpp"

#include <algorithm>
#include <cmath>

namespace consort::step {

EventSearch::EventSearch(const couple::SystemEvents& events)
    : events_(events), low_(events.indicators()), high_(events.indicators()), now_(events.indicators()) {}

void EventSearch::begin(const couple::RunState& state) {
  from_ = state.t;
  events_.indicators(state, low_);
}

void EventSearch::bracket(const couple::RunState& state, Duration tolerance) {
  to_ = state.t;
  tolerance_ = tolerance;
  tried_ = side_ = 0;
  events_.indicators(state, high_);
}

Time EventSearch::next() {
  const Time middle = from_ + 0.5 * (to_ - from_);
  Time first = to_;
  // Of several relations, the one that changes first.
  for (std::size_t i = 0; i < low_.size(); ++i) {
    if (!std::isfinite(low_[i]) || !std::isfinite(high_[i]) || (low_[i] > 0) == (high_[i] > 0)) continue;
    const double part = high_[i] / (high_[i] - low_[i]);
    if (part >= 0 && part <= 1) first = std::min(first, to_ - part * (to_ - from_));
  }
  const bool bisects = tried_ % 3 == 2 || first == to_;
  // Not nearer to an end than that, so that the bracket closes from both sides.
  const Duration margin = 0.5 * tolerance_;
  return bisects ? middle : std::clamp(first, from_ + margin, std::max(to_ - margin, from_ + margin));
}

void EventSearch::take(const couple::RunState& state, bool is_true) {
  ++tried_;
  events_.indicators(state, now_);
  const int side = is_true ? 1 : -1;
  auto& kept = is_true ? low_ : high_;
  if (side == side_)
    for (auto& x : kept) x *= 0.5;
  side_ = side;
  (is_true ? to_ : from_) = state.t;
  (is_true ? high_ : low_).swap(now_);
}

}  // namespace consort::step
