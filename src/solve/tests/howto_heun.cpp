// Heun's method, order 2: the mean of the slopes at the beginning of the step and at the end that Euler predicts.
#include <memory>
#include <vector>

#include "solve/own/fixed_solver.hpp"
#include "solve/solvers.hpp"

namespace consort::solve {
namespace {

class Heun final : public FixedSolver {
 public:
  Heun(const SolverRow& row, const Ode& ode, const SolverOptions& options)
      : FixedSolver(row, ode, options), predicted_(ode.y0.size()), slope_(ode.y0.size()) {}

 private:
  void formula(Time t, Duration h, ConstVector y, ConstVector f, Vector y1) override {
    for (std::size_t i = 0; i < y.size(); ++i) predicted_[i] = y[i] + h * f[i];
    rate(t + h, predicted_, slope_);
    for (std::size_t i = 0; i < y.size(); ++i) y1[i] = y[i] + h / 2 * (f[i] + slope_[i]);
  }

  std::vector<double> predicted_;
  std::vector<double> slope_;
};

}  // namespace

std::unique_ptr<Solver> make_heun(const SolverRow& row, const Ode& ode, const SolverOptions& options) {
  return std::make_unique<Heun>(row, ode, options);
}

}  // namespace consort::solve
