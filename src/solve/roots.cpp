#include "solve/roots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "solve/problem.hpp"

namespace consort::solve {
namespace {

// Number of tolerances after which the sign is taken of a root function that is zero or had its event.
constexpr double ahead_tolerances = 10;
constexpr int dip_evaluations = 12;
// A dip is followed if the parabola's minimum is below this part of the smaller end value.
constexpr double dip_depth = 0.5;

std::int8_t sign_of(double g) { return g > 0 ? 1 : -1; }

// The minimum of a parabola through three points, and its value there; infinity if there is no minimum.
struct Vertex {
  Time t;
  double value;
};

Vertex vertex(Time ta, double a, Time tm, double m, Time tb, double b) {
  const double left = (m - a) / (tm - ta);
  const double right = (b - m) / (tb - tm);
  const double curvature = (right - left) / (tb - ta);
  if (!(curvature > 0)) return {tm, std::numeric_limits<double>::infinity()};
  const double slope = left + curvature * (tm - ta);  // at tm
  const Time t = tm - slope / (2 * curvature);
  return {t, m - slope * slope / (4 * curvature)};
}

}  // namespace

RootFinder::RootFinder(const Events& events, RootOptions options)
    : events_(events), options_(options), crossings_(events.root_count) {
  const auto count = events.root_count;
  memory_.values.resize(count);
  memory_.signs.resize(count);
  weights_low_.resize(count);
  weights_high_.resize(count);
  for (auto* point : {&low_, &high_, &middle_, &trial_, &end_, &dip_[0], &dip_[1], &dip_[2]}) point->g.resize(count);
}

Duration RootFinder::tolerance(Time t, Duration step) const {
  return std::max(options_.tolerance, 100 * rounding * std::max(std::abs(t), step));
}

void RootFinder::evaluate(const Solver& solver, Time t, Point& point) {
  point.t = t;
  if (t == solver.time()) {
    events_.roots(t, solver.state(), point.g, solver.switches());
  } else {
    solver.interpolate(t, y_);
    events_.roots(t, y_, point.g, solver.switches());
  }
  ++evaluations_;
  for (std::size_t i = 0; i < point.g.size(); ++i) {
    if (std::isnan(point.g[i])) {
      throw run_error(
          "root function {} of the problem is not a number at t = {} s; look for a division by zero or the root "
          "of a negative number in it",
          i < events_.names.size() ? "'" + events_.names[i] + "'" : std::to_string(i), t)
          .at(t);
    }
  }
}

void RootFinder::start(const Solver& solver, Time t, ConstVector y, std::span<const std::int8_t> undecided) {
  y_.resize(solver.size());
  if (events_.root_count == 0) return;
  events_.roots(t, y, memory_.values, solver.switches());
  ++evaluations_;
  const bool still_open = t < memory_.open_until;
  for (std::size_t i = 0; i < memory_.signs.size(); ++i) {
    const bool fired = i < undecided.size() && undecided[i] != 0;
    const bool zero = memory_.values[i] == 0;
    const bool open = fired || (memory_.signs[i] == 0 && (zero || still_open));
    // A second event so soon may be one of many: some models (Easy5) change signs after each event.
    const bool apart = events_.apart_after_events && !still_open;
    if (open && (zero || !apart)) {
      memory_.signs[i] = 0;
    } else if (!zero) {  // zero: it is leaving its earlier sign, which is kept
      memory_.signs[i] = sign_of(memory_.values[i]);
    }
  }
  memory_.open_until = t + ahead_tolerances * tolerance(t, 0);
}

void RootFinder::reset() {
  std::fill(memory_.signs.begin(), memory_.signs.end(), std::int8_t{0});
  memory_.open_until = -never;
}

bool RootFinder::crossed(const Point& point) {
  bool any = false;
  for (std::size_t i = 0; i < crossings_.size(); ++i) {
    const auto sign = sign_of(point.g[i]);
    const auto wanted = events_.directions.empty() ? Direction::both : events_.directions[i];
    const bool counts = memory_.signs[i] != 0 && sign != memory_.signs[i] &&
                        (wanted == Direction::both || (sign > 0) == (wanted == Direction::rising));
    crossings_[i] = counts ? sign : std::int8_t{0};
    any = any || counts;
  }
  return any;
}

void RootFinder::decide(const Solver& solver, Time to) {
  const auto open = [](std::int8_t sign) { return sign == 0; };
  if (to <= memory_.open_until || std::none_of(memory_.signs.begin(), memory_.signs.end(), open)) return;
  const Duration step = to - low_.t;
  const Time shown = low_.t + std::min(ahead_tolerances * tolerance(to, step), step / 2);
  evaluate(solver, std::max(memory_.open_until, shown), middle_);
  // If another function crosses before that, the open ones stay open and are ignored in this search.
  if (crossed(middle_)) return;
  for (std::size_t i = 0; i < memory_.signs.size(); ++i) {
    if (open(memory_.signs[i])) memory_.signs[i] = sign_of(middle_.g[i]);
  }
  std::swap(low_, middle_);
}

bool RootFinder::search(const Solver& solver, Time from, std::span<const Time> samples) {
  if (events_.root_count == 0) return false;
  low_.t = from;
  low_.g = memory_.values;
  const Time to = solver.time();
  decide(solver, to);
  evaluate(solver, to, high_);
  bool found = false;
  if (options_.look_for_dips && to - low_.t > 4 * tolerance(to, to - from)) {
    evaluate(solver, low_.t + (to - low_.t) / 2, middle_);
    if (crossed(middle_)) {
      std::swap(high_, middle_);
      found = true;
    } else {
      found = find_dip(solver);
    }
  }
  found = find_sample(solver, samples) || found;
  if (found || crossed(high_)) {
    locate(solver);
    found = true;
  }
  memory_.values = high_.g;
  take_signs(high_);
  return found;
}

// A crossing in the other direction changes the sign without an event.
void RootFinder::take_signs(const Point& point) {
  for (std::size_t i = 0; i < memory_.signs.size(); ++i) {
    if (memory_.signs[i] != 0) memory_.signs[i] = sign_of(point.g[i]);
  }
}

// Moves the bracket to the first sample with a sign change, or to the last one inside without any.
bool RootFinder::find_sample(const Solver& solver, std::span<const Time> samples) {
  for (const Time t : samples) {
    if (t <= low_.t) continue;
    if (t >= high_.t) break;
    evaluate(solver, t, trial_);
    if (crossed(trial_)) {
      std::swap(high_, trial_);
      return true;
    }
    take_signs(trial_);
    std::swap(low_, trial_);
  }
  return false;
}

// Searches a dip between three points of the same sign if the parabola through them comes near zero.
bool RootFinder::find_dip(const Solver& solver) {
  bool found = false;
  const Time to = high_.t;
  end_.t = to;
  end_.g = high_.g;
  for (std::size_t i = 0; i < crossings_.size(); ++i) {
    const double sign = memory_.signs[i];
    const double a = sign * low_.g[i];
    const double m = sign * middle_.g[i];
    const double b = sign * end_.g[i];
    if (!(a > 0 && m > 0 && b > 0)) continue;
    const Vertex v = vertex(low_.t, a, middle_.t, m, to, b);
    if (!(v.t > low_.t && v.t < to && v.value < dip_depth * std::min(a, b))) continue;
    dip_[0] = low_;
    dip_[1] = middle_;
    dip_[2] = end_;
    if (!follow_dip(solver, i, sign)) continue;
    if (dip_[1].t < high_.t) std::swap(high_, dip_[1]);
    found = true;
  }
  return found;
}

// Follows a dip by successive parabolas; dip_[1] is the lowest point so far, between the other two.
bool RootFinder::follow_dip(const Solver& solver, std::size_t i, double sign) {
  for (int k = 0; k < dip_evaluations; ++k) {
    const Vertex v =
        vertex(dip_[0].t, sign * dip_[0].g[i], dip_[1].t, sign * dip_[1].g[i], dip_[2].t, sign * dip_[2].g[i]);
    const Duration least = tolerance(dip_[1].t, 0);
    if (!(v.t > dip_[0].t && v.t < dip_[2].t) || std::abs(v.t - dip_[1].t) <= least) return false;
    evaluate(solver, v.t, trial_);
    if (crossed(trial_)) {
      std::swap(dip_[1], trial_);
      return true;
    }
    const double seen = sign * trial_.g[i];
    if (k > 1 && v.value > 0 && seen > 0 && v.value > 0.9 * seen) return false;  // converged above zero
    const bool lower = seen < sign * dip_[1].g[i];
    const bool before = trial_.t < dip_[1].t;
    if (lower) {
      std::swap(dip_[before ? 2 : 0], dip_[1]);
      std::swap(dip_[1], trial_);
    } else {
      std::swap(dip_[before ? 0 : 2], trial_);
    }
  }
  return false;
}

// The earliest zero of the secants of all crossing functions.
Time RootFinder::estimate() const {
  Time earliest = high_.t;
  for (std::size_t i = 0; i < crossings_.size(); ++i) {
    if (crossings_[i] == 0) continue;
    const double a = weights_low_[i] * low_.g[i];
    const double b = weights_high_[i] * high_.g[i];
    const double part = a == b ? 0.5 : a / (a - b);
    earliest = std::min(earliest, low_.t + part * (high_.t - low_.t));
  }
  return earliest;
}

void RootFinder::locate(const Solver& solver) {
  std::fill(weights_low_.begin(), weights_low_.end(), 1.0);
  std::fill(weights_high_.begin(), weights_high_.end(), 1.0);
  const Duration tol = tolerance(high_.t, high_.t - low_.t);
  Duration wanted = (high_.t - low_.t) / 2;  // every third iteration bisects if the secants are too slow
  int last_moved = 0;
  crossed(high_);
  for (int k = 1; high_.t - low_.t > tol; ++k) {
    Time t = estimate();
    if (k % 3 == 0) {
      if (high_.t - low_.t > wanted) t = low_.t + (high_.t - low_.t) / 2;
      wanted = (high_.t - low_.t) / 2;
    }
    t = std::clamp(t, low_.t + tol / 2, high_.t - tol / 2);
    if (t <= low_.t || t >= high_.t) break;
    evaluate(solver, t, middle_);
    const int moved = crossed(middle_) ? 1 : -1;
    std::swap(moved > 0 ? high_ : low_, middle_);
    auto& fresh = moved > 0 ? weights_high_ : weights_low_;
    auto& stale = moved > 0 ? weights_low_ : weights_high_;
    std::fill(fresh.begin(), fresh.end(), 1.0);
    if (moved == last_moved) {
      for (double& weight : stale) weight /= 2;
    }
    last_moved = moved;
    crossed(high_);
  }
}

}  // namespace consort::solve
