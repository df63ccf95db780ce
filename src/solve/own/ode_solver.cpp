#include "solve/own/ode_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "solve/problem.hpp"

namespace consort::solve {
OdeSolver::OdeSolver(const SolverRow& row, const Ode& ode, const SolverOptions& options)
    : row_(row), ode_(ode), options_(options), scratch_(ode.y0.size()), scratch_rate_(ode.y0.size()) {
  check(ode);
  check(options, row.name, row.capabilities);
  require(options.linear != LinearSolver::krylov,
          "solver '{}' has no Krylov method; choose the dense or sparse linear solver, or solver 'cvode'", row.name);
  common_.t = ode.t0;
  common_.from = ode.t0;
  common_.y = ode.y0;
  common_.atol = solve::absolute_tolerances(options, ode.components, size());
  common_.switches = ode.events.switches;
}

std::size_t OdeSolver::evaluate(Time t, ConstVector y, Vector dy) {
  ++common_.statistics.evaluations;
  ode_.rhs(t, y, dy, common_.switches);
  for (std::size_t i = 0; i < dy.size(); ++i) {
    if (!std::isfinite(dy[i])) return i;
  }
  return dy.size();
}

double OdeSolver::error_norm(ConstVector error, ConstVector a, ConstVector b) const {
  double sum = 0;
  for (std::size_t i = 0; i < error.size(); ++i) {
    const double e = error[i] / (common_.atol[i] + options_.rtol * std::max(std::abs(a[i]), std::abs(b[i])));
    sum += e * e;
  }
  return error.empty() ? 0 : std::sqrt(sum / static_cast<double>(error.size()));
}

std::size_t OdeSolver::largest_error(ConstVector error, ConstVector a, ConstVector b) const {
  std::size_t worst = 0;
  double most = -1;
  for (std::size_t i = 0; i < error.size(); ++i) {
    const double e = std::abs(error[i]) / (common_.atol[i] + options_.rtol * std::max(std::abs(a[i]), std::abs(b[i])));
    if (e > most || std::isnan(e)) {
      most = e;
      worst = i;
    }
  }
  return worst;
}

// Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, II.4: an explicit Euler step estimates the second
// derivative; h^(order+1) * max(|f|, |y''|) = 0.01.
Duration OdeSolver::first_step(ConstVector f, int order, Duration most) {
  const auto& y = common_.y;
  const double size_y = error_norm(y, y, y);
  const double size_f = error_norm(f, y, y);
  double h = size_f * size_f <= 1e-10 || size_y * size_y <= 1e-10 ? 1e-6 : 0.01 * (size_y / size_f);
  h = std::min({h, most, options_.max_step});
  for (std::size_t i = 0; i < size(); ++i) scratch_[i] = y[i] + h * f[i];
  const bool finite = evaluate(common_.t + h, scratch_, scratch_rate_) == size();
  for (std::size_t i = 0; i < size(); ++i) scratch_rate_[i] -= f[i];
  const double second = finite ? error_norm(scratch_rate_, y, y) / h : 0;
  const double largest = std::max(second, size_f);
  const double guess = largest <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / largest, 1.0 / order);
  return std::max(std::min({100 * h, guess, most, options_.max_step}), smallest_step());
}

Duration OdeSolver::smallest_step() const { return std::max(options_.min_step, 10 * rounding * std::abs(common_.t)); }

Time OdeSolver::step_end(Time t, Duration h, Time limit) { return t + 1.01 * h >= limit ? limit : t + h; }

void OdeSolver::check_limit(Time limit) const {
  CONSORT_ASSERT(limit > common_.t);
  if (options_.step_limit != 0 && common_.statistics.steps >= options_.step_limit) {
    throw run_error(
        "solver '{}' stopped at t = {} s after {} steps, the given limit; raise the step limit, loosen the "
        "tolerance, or choose a solver that suits the problem better",
        row_.name, common_.t, common_.statistics.steps)
        .at(common_.t);
  }
}

void OdeSolver::take(const Restart& restart) {
  CONSORT_ASSERT(restart.y.size() == size());
  for (std::size_t i = 0; i < size(); ++i) {
    if (!std::isfinite(restart.y[i])) {
      throw run_error("solver '{}' cannot start at t = {} s: the state {} is {}; check the value that the event sets",
                      row_.name, restart.t, component_text(ode_.components, i), restart.y[i])
          .at(restart.t);
    }
  }
  common_.t = restart.t;
  common_.from = restart.t;
  if (restart.y.data() != common_.y.data()) std::copy(restart.y.begin(), restart.y.end(), common_.y.begin());
  if (restart.switches != nullptr && restart.switches != &common_.switches) common_.switches = *restart.switches;
  const auto atol = restart.absolute_tolerances;
  if (!atol.empty() && atol.data() != common_.atol.data()) {
    CONSORT_ASSERT(atol.size() == size());
    for (std::size_t i = 0; i < size(); ++i) {
      if (!(atol[i] > 0)) {
        throw run_error("the absolute tolerance of {} was set to {} at t = {} s; it must be positive",
                        component_text(ode_.components, i), atol[i], restart.t)
            .at(restart.t);
      }
    }
    std::copy(atol.begin(), atol.end(), common_.atol.begin());
  }
  ++common_.statistics.restarts;
}

void OdeSolver::fail_step_size(Duration h, std::string_view reason) const {
  throw run_error(
      "solver '{}' at t = {} s: the step size fell below {:.3g} s (to {:.3g} s), because {}; look for a singularity or "
      "a "
      "discontinuity of the model there, loosen its tolerance, or allow smaller steps",
      row_.name, common_.t, smallest_step(), h, reason)
      .at(common_.t);
}

void OdeSolver::fail_not_finite(std::size_t component, Time t) const {
  throw run_error(
      "solver '{}' at t = {} s: the derivative of {} is not a finite number at t = {} s; look for a division by zero, "
      "the "
      "root of a negative number, or a solution that grows without bound (too large a step does that, too)",
      row_.name, common_.t, component_text(ode_.components, component), t)
      .at(common_.t);
}

void OdeSolver::fail_stiff(Duration h) const {
  throw run_error(
      "solver '{}' at t = {} s: the problem is too stiff for this method: after {} steps, stability limits the step "
      "size to about {:.3g} s; choose a solver for stiff problems such as 'bdf', or switch the stiffness check off",
      row_.name, common_.t, common_.statistics.steps, h)
      .at(common_.t);
}

}  // namespace consort::solve
