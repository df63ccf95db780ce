#include "host/choice.hpp"

#include <algorithm>

namespace consort::host {

namespace {

constexpr double heavy = 100e-6;           // seconds of a wave for which the cost of calling threads is negligible
constexpr double least_gain = 0.5e-6;      // seconds: two cache-line round trips and the stores in between
constexpr double clear = 0.95;             // fraction of the current time below which the other way takes over
constexpr double budget = 0.02;            // largest fraction of time spent on trials
constexpr std::uint64_t watch_every = 64;  // waves; keeps the cost of reading the clock negligible
constexpr std::size_t warm_up = 3;         // first waves of a trial, not counted: threads wake up and caches fill
constexpr std::uint64_t most_patience = 64;

Way other(Way way) { return way == Way::alone ? Way::together : Way::alone; }

}  // namespace

void Choice::passed(double seconds) {
  switch (phase_) {
    case Phase::first: return settle(seconds >= heavy ? Way::together : Way::alone, 16);
    case Phase::settled: return watch(seconds);
    case Phase::checking: return check(seconds);
    case Phase::trying:
      spent_ += seconds;
      if (++waves_ > warm_up) times_[waves_ - warm_up - 1] = seconds;
      if (waves_ == warm_up + samples) compare();
      return;
  }
}

void Choice::settle(Way way, double waves) {
  phase_ = Phase::settled;
  way_ = way;
  surprises_ = 0;
  const auto whole = static_cast<std::uint64_t>(std::clamp(waves, 1.0, 1e15));
  left_ = std::min(whole, watch_every);
  until_ = whole - left_;
}

void Choice::begin(Phase phase, Way way) {
  phase_ = phase;
  way_ = way;
  left_ = 0;
  waves_ = 0;
  spent_ = 0;
}

// If the cost of the units has changed, compare again at once.
void Choice::watch(double seconds) {
  const bool surprise = own_ > 0 && (seconds > 2 * own_ || seconds < 0.5 * own_);
  surprises_ = surprise ? surprises_ + 1 : 0;
  if (surprises_ == 3) {
    patience_ = 1;
    until_ = 0;
  }
  if (until_ == 0) return begin(Phase::checking, way_);
  left_ = std::min(until_, watch_every);
  until_ -= left_;
}

void Choice::check(double seconds) {
  times_[waves_++] = seconds;
  if (waves_ < samples) return;
  own_ = median();
  if (worth_trying()) return begin(Phase::trying, other(way_));
  settle(way_, 1024);
}

bool Choice::worth_trying() const {
  if (way_ == Way::together) return own_ < heavy || own_ > 0.8 * sum_;
  const double part = sum_ > 0 ? 1 - longest_ / sum_ : 1.0;
  return own_ * part > least_gain;
}

void Choice::compare() {
  const double theirs = median();
  if (theirs < clear * own_) {
    own_ = theirs;
    patience_ = 1;
    return settle(way_, 256);
  }
  patience_ = std::min(2 * patience_, most_patience);
  const double lost = spent_ - static_cast<double>(warm_up + samples) * own_;
  const double waves = own_ > 0 ? lost / (budget * own_) : 0.0;
  settle(other(way_), std::max(waves, 256.0 * static_cast<double>(patience_)));
}

double Choice::median() {
  std::nth_element(times_.begin(), times_.begin() + samples / 2, times_.end());
  return times_[samples / 2];
}

}  // namespace consort::host
