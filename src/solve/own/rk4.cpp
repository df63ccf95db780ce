// The classical method of Kutta, order 4.
#include <memory>
#include <vector>

#include "solve/own/fixed_solver.hpp"
#include "solve/solvers.hpp"

namespace consort::solve {
namespace {

class Rk4 : public FixedSolver {
 public:
  Rk4(const SolverRow& row, const Ode& ode, const SolverOptions& options)
      : FixedSolver(row, ode, options), k_(ode.y0.size()), sum_(ode.y0.size()), stage_(ode.y0.size()) {}

 private:
  void formula(Time t, Duration h, ConstVector y, ConstVector f, Vector y1) override {
    const std::size_t n = y.size();
    for (std::size_t i = 0; i < n; ++i) stage_[i] = y[i] + h / 2 * f[i];
    rate(t + h / 2, stage_, sum_);
    for (std::size_t i = 0; i < n; ++i) stage_[i] = y[i] + h / 2 * sum_[i];
    rate(t + h / 2, stage_, k_);
    for (std::size_t i = 0; i < n; ++i) {
      sum_[i] += k_[i];
      stage_[i] = y[i] + h * k_[i];
    }
    rate(t + h, stage_, k_);
    for (std::size_t i = 0; i < n; ++i) y1[i] = y[i] + h / 6 * (f[i] + 2 * sum_[i] + k_[i]);
  }

  std::vector<double> k_;
  std::vector<double> sum_;
  std::vector<double> stage_;
};

}  // namespace

std::unique_ptr<Solver> make_rk4(const SolverRow& row, const Ode& ode, const SolverOptions& options) {
  return std::make_unique<Rk4>(row, ode, options);
}

}  // namespace consort::solve
