#include "solve/own/pair_solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace consort::solve {
namespace {

constexpr double safety = 0.9;
constexpr double most_shrinking = 5;
constexpr double not_finite_shrinking = 4;
constexpr std::uint64_t stiffness_interval = 1000;  // in accepted steps
constexpr int stiff_steps = 15;
constexpr int not_stiff_steps = 6;

}  // namespace

PairSolver::PairSolver(const SolverRow& row, const Ode& ode, const SolverOptions& options, Control control)
    : RememberingSolver(row, ode, options),
      y1_(ode.y0.size()),
      f1_(ode.y0.size()),
      error_(ode.y0.size()),
      control_(control) {
  memory_.f.resize(size());
  memory_.dense.resize(control.dense * size());
}

void PairSolver::start(Time limit) {
  if (const auto bad = evaluate(common_.t, common_.y, memory_.f); bad != size()) fail_not_finite(bad, common_.t);
  memory_.has_rate = true;
  if (memory_.h == 0) {
    memory_.h = options_.initial_step > 0 ? options_.initial_step
                                          : first_step(memory_.f, row_.capabilities.max_order, limit - common_.t);
  }
}

StepResult PairSolver::step(Time limit) {
  check_limit(limit);
  if (!memory_.has_rate) start(limit);
  Duration wanted = std::min(memory_.h, options_.max_step);
  bool rejected = false;
  for (bool finite = true;;) {
    const Time end = step_end(common_.t, wanted, limit);
    const bool cut = end == limit;
    const Duration h = cut ? end - common_.t : wanted;
    if (!cut && (h < smallest_step() || end == common_.t)) fail_small_step(h, finite);
    finite = stages(h);
    if (!finite) {
      ++common_.statistics.convergence_failures;
      wanted = h / not_finite_shrinking;
      rejected = true;
      continue;
    }
    const double error = error_norm(error_, common_.y, y1_);
    const double shrink = std::pow(error, control_.exponent);
    if (error <= 1) {
      const double by = shrink / std::pow(memory_.last_error, control_.beta) / safety;
      Duration next = h / std::clamp(by, 1 / control_.growth, most_shrinking);
      if (rejected) next = std::min(next, h);
      // A step shortened to the limit is no reason to reduce the planned size.
      if (!rejected && cut) next = std::max(next, wanted);
      accept(end, h, error, next);
      return {.from = common_.from, .to = end, .order = row_.capabilities.max_order, .next = memory_.h};
    }
    ++common_.statistics.error_test_failures;
    rejected = true;
    wanted = std::isfinite(error) ? h / std::min(most_shrinking, shrink / safety) : h / most_shrinking;
  }
}

void PairSolver::fail_small_step(Duration h, bool finite) const {
  if (!finite) fail_not_finite(bad_, bad_time_);
  const auto worst = largest_error(error_, common_.y, common_.y);
  fail_step_size(h, "the error of " + component_text(ode_.components, worst) + " does not get small enough");
}

void PairSolver::accept(Time end, Duration h, double error, Duration next) {
  prepare_dense(h);
  std::swap(common_.y, y1_);
  std::swap(memory_.f, f1_);
  common_.from = std::exchange(common_.t, end);
  memory_.last_error = std::max(error, 1e-4);
  memory_.h = std::min(next, options_.max_step);
  ++common_.statistics.steps;
  if (options_.check_stiffness) check_stiffness(h);
}

void PairSolver::check_stiffness(Duration h) {
  if (common_.statistics.steps % stiffness_interval != 0 && memory_.stiff == 0) return;
  if (stiffness(h) > control_.stable_limit) {
    memory_.not_stiff = 0;
    if (++memory_.stiff == stiff_steps) {
      memory_.stiff = 0;
      fail_stiff(h);
    }
  } else if (++memory_.not_stiff == not_stiff_steps) {
    memory_.stiff = 0;
  }
}

void PairSolver::reinitialise(const Restart& restart) {
  take(restart);
  memory_.h = 0;
  memory_.last_error = 1e-4;
  memory_.has_rate = false;
  memory_.stiff = 0;
  memory_.not_stiff = 0;
}

bool PairSolver::stage(Time t, ConstVector y, Vector dy) {
  bad_ = evaluate(t, y, dy);
  bad_time_ = t;
  return bad_ == size();
}

double PairSolver::slope(ConstVector f, ConstVector y) const {
  // Called after the step was accepted: its end is in common_.y and memory_.f.
  double rise = 0;
  double run = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    rise += (memory_.f[i] - f[i]) * (memory_.f[i] - f[i]);
    run += (common_.y[i] - y[i]) * (common_.y[i] - y[i]);
  }
  return run > 0 ? std::sqrt(rise / run) : 0;
}

}  // namespace consort::solve
