#include "solve/sundials/sundials_ode.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include <sunmatrix/sunmatrix_dense.h>

#include "base/error.hpp"

namespace consort::solve {

SundialsOde::SundialsOde(const SolverRow& row, const Ode& ode, const SolverOptions& options)
    : SundialsSolver(row, common_part(ode), options), ode_(ode) {}

SundialsSolver::Problem SundialsOde::common_part(const Ode& ode) {
  check(ode);
  return {.t0 = ode.t0, .y0 = ode.y0, .events = ode.events, .components = ode.components};
}

int SundialsOde::rhs(sunrealtype t, N_Vector y, N_Vector dy, void* self) {
  auto& solver = *static_cast<SundialsOde*>(self);
  ++solver.evaluations_;
  const auto out = view(dy);
  return guarded(solver.trouble_, t, out, [&] { solver.ode_.rhs(t, const_view(y), out, solver.state_.switches); });
}

void SundialsOde::first_derivative(Vector out) const {
  ++evaluations_;
  ode_.rhs(time(), state(), out, switches());
}

// --- Jacobian

void SundialsOde::make_linear_part() {
  const auto& offer = ode_.jacobian;
  linear_.emplace(row_.name, options_.linear,
                  LinearPart::Offer{.pattern = offer.pattern,
                                    .dense = static_cast<bool>(offer.dense),
                                    .sparse = static_cast<bool>(offer.sparse),
                                    .times = static_cast<bool>(offer.times)},
                  now(), context());
  if (linear_->differences().colours() == 0) return;
  moved_.resize(size());
  changed_.resize(size());
  steps_.resize(size());
}

int SundialsOde::jacobian(sunrealtype t, N_Vector y, N_Vector fy, SUNMatrix jacobian, void* self, N_Vector /*scratch*/,
                          N_Vector /*scratch*/, N_Vector /*scratch*/) {
  auto& solver = *static_cast<SundialsOde*>(self);
  auto& linear = *solver.linear_;
  const auto n = solver.size();
  if (linear.kind() == LinearSolver::dense && solver.ode_.jacobian.dense) {
    const Vector out(SM_DATA_D(jacobian), n * n);
    const int flag = guarded(solver.trouble_, t, {},
                             [&] { solver.ode_.jacobian.dense(t, const_view(y), out, solver.state_.switches); });
    return flag == 0 && !all_finite(out) ? 1 : flag;
  }
  bool found = false;
  const int flag =
      guarded(solver.trouble_, t, {}, [&] { found = solver.fill_values(t, const_view(y), const_view(fy)); });
  if (flag != 0 || !found || !all_finite(linear.values())) return flag != 0 ? flag : 1;
  linear.store(jacobian);
  return 0;
}

bool SundialsOde::fill_values(Time t, ConstVector y, ConstVector fy) {
  if (ode_.jacobian.sparse) {
    ode_.jacobian.sparse(t, y, linear_->values(), state_.switches);
    return true;
  }
  // For a small component the absolute tolerance gives the scale.
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  for (std::size_t j = 0; j < size(); ++j) steps_[j] = root * std::max(std::abs(y[j]), state_.atol[j] / options_.rtol);
  const auto perturb = [&](std::span<const std::size_t> columns) {
    std::copy(y.begin(), y.end(), moved_.begin());
    for (const auto j : columns) {
      moved_[j] += steps_[j];
      steps_[j] = moved_[j] - y[j];
    }
    ++evaluations_;
    ++difference_evaluations_;
    ode_.rhs(t, moved_, changed_, state_.switches);
    return all_finite(changed_);
  };
  return linear_->differences().evaluate(ode_.jacobian.pattern, fy, changed_, steps_, linear_->values(), perturb);
}

int SundialsOde::jacobian_times(N_Vector v, N_Vector jv, sunrealtype t, N_Vector y, N_Vector /*fy*/, void* self,
                                N_Vector /*scratch*/) {
  auto& solver = *static_cast<SundialsOde*>(self);
  const auto out = view(jv);
  return guarded(solver.trouble_, t, out,
                 [&] { solver.ode_.jacobian.times(t, const_view(y), const_view(v), out, solver.state_.switches); });
}

}  // namespace consort::solve
