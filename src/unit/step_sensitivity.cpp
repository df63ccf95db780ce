#include "unit/step_sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/solvers.hpp"

namespace consort::unit {

using solve::ConstVector;
using solve::Vector;

double difference_step(double direction_size) {
  const double relative = std::cbrt(std::numeric_limits<double>::epsilon());
  return direction_size > 0 ? relative / direction_size : 1.0;
}

StepSensitivity::StepSensitivity(std::size_t states, Rate rate, double rtol)
    : n_(states),
      rate_(std::move(rate)),
      rtol_(std::min(rtol, 1e-6)),
      start_(2 * states),
      tolerances_(2 * states),
      shifted_(states),
      before_(states) {
  ode_.y0.assign(2 * n_, 0.0);
  ode_.rhs = [this](Time t, ConstVector y, Vector dy) {
    rate_(t, y.first(n_), 0.0, dy.first(n_));
    variation(t, y.first(n_), y.subspan(n_), dy.subspan(n_));
  };
}

void StepSensitivity::variation(Time t, ConstVector x, ConstVector s, Vector ds) {
  double size = seed_size_;
  for (std::size_t i = 0; i < n_; ++i) size = std::max(size, std::abs(s[i]) / std::max(1.0, std::abs(x[i])));
  const double step = difference_step(size);
  for (std::size_t i = 0; i < n_; ++i) shifted_[i] = x[i] - step * s[i];
  rate_(t, shifted_, -step, before_);
  for (std::size_t i = 0; i < n_; ++i) shifted_[i] = x[i] + step * s[i];
  rate_(t, shifted_, step, ds);
  for (std::size_t i = 0; i < n_; ++i) ds[i] = (ds[i] - before_[i]) / (2 * step);
}

ConstVector StepSensitivity::operator()(Time from, Time to, ConstVector x, double seed_size) {
  seed_size_ = seed_size;
  std::copy(x.begin(), x.end(), start_.begin());
  std::fill(start_.begin() + static_cast<std::ptrdiff_t>(n_), start_.end(), 0.0);
  // Scale the tolerance of s by the change of s along a straight line over the step.
  const auto s = std::span(start_).subspan(n_);
  variation(from, x, s, std::span(tolerances_).subspan(n_));
  double largest = 0;
  for (std::size_t i = n_; i < 2 * n_; ++i) largest = std::max(largest, std::abs(tolerances_[i]) * (to - from));
  for (std::size_t i = 0; i < 2 * n_; ++i) {
    tolerances_[i] = i < n_ ? rtol_ / 100 * std::max(1.0, std::abs(start_[i])) : rtol_ / 100 * largest;
    if (!(tolerances_[i] > 0)) tolerances_[i] = rtol_ / 100;
  }
  if (!solver_) {
    ode_.t0 = from;
    ode_.y0 = start_;
    solver_ = solve::make_solver("bdf", ode_, {.rtol = rtol_, .atol = tolerances_});
  } else {
    solver_->reinitialise({.t = from, .y = start_, .absolute_tolerances = tolerances_});
  }
  while (solver_->time() < to) solver_->step(to);
  return solver_->state().subspan(n_);
}

}  // namespace consort::unit
