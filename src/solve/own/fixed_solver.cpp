#include "solve/own/fixed_solver.hpp"

#include <utility>

#include "solve/own/hermite.hpp"

namespace consort::solve {
namespace {

// A limit within this part of a step from a grid point counts as the point.
constexpr double slack = 1e-6;

}  // namespace

FixedSolver::FixedSolver(const SolverRow& row, const Ode& ode, const SolverOptions& options)
    : RememberingSolver(row, ode, options), y1_(ode.y0.size()), f1_(ode.y0.size()) {
  memory_.base = ode.t0;
  memory_.y0 = ode.y0;
  memory_.f0.resize(size());
  memory_.f1.resize(size());
}

StepResult FixedSolver::step(Time limit) {
  check_limit(limit);
  const Duration h = options_.initial_step;
  if (!memory_.has_rate) {
    rate(common_.t, common_.y, memory_.f1);
    memory_.has_rate = true;
  }
  const Time planned = memory_.base + static_cast<double>(memory_.count + 1) * h;
  const bool cut = planned > limit + slack * h;
  const Time end = planned >= limit - slack * h ? limit : planned;

  formula(common_.t, end - common_.t, common_.y, memory_.f1, y1_);
  end_rate(end, end - common_.t, common_.y, y1_, f1_);

  std::swap(memory_.y0, common_.y);
  std::swap(common_.y, y1_);
  std::swap(memory_.f0, memory_.f1);
  std::swap(memory_.f1, f1_);
  common_.from = std::exchange(common_.t, end);
  ++common_.statistics.steps;
  if (cut) memory_.base = end;
  memory_.count = cut ? 0 : memory_.count + 1;
  return {.from = common_.from, .to = end, .order = row_.capabilities.max_order, .next = h};
}

void FixedSolver::reinitialise(const Restart& restart) {
  take(restart);
  memory_.base = restart.t;
  memory_.count = 0;
  memory_.has_rate = false;
}

void FixedSolver::interpolate(Time t, Vector y) const {
  HermiteStep{common_.from, common_.t, memory_.y0, common_.y, memory_.f0, memory_.f1}.value(t, y);
}

void FixedSolver::interpolate_derivative(Time t, Vector ydot) const {
  HermiteStep{common_.from, common_.t, memory_.y0, common_.y, memory_.f0, memory_.f1}.derivative(t, ydot);
}

void FixedSolver::end_rate(Time end, Duration /*h*/, ConstVector /*y*/, ConstVector y1, Vector f1) {
  rate(end, y1, f1);
}

void FixedSolver::rate(Time t, ConstVector y, Vector dy) {
  if (const auto bad = evaluate(t, y, dy); bad != size()) fail_not_finite(bad, t);
}

}  // namespace consort::solve
