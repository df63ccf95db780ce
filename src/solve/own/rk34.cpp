// The classical method of order 4. The error is estimated with Kutta's method of order 3, which shares its first two
// stages.
#include <memory>
#include <vector>

#include "solve/own/hermite.hpp"
#include "solve/own/pair_solver.hpp"
#include "solve/solvers.hpp"

namespace consort::solve {
namespace {

class Rk34 : public PairSolver {
 public:
  Rk34(const SolverRow& row, const Ode& ode, const SolverOptions& options)
      : PairSolver(row, ode, options, {.exponent = 0.25, .beta = 0, .growth = 5, .stable_limit = 2.5, .dense = 2}),
        k2_(ode.y0.size()),
        k3_(ode.y0.size()),
        k4_(ode.y0.size()),
        z3_(ode.y0.size()),
        y_(ode.y0.size()) {}

  void interpolate(Time t, Vector y) const override { cubic().value(t, y); }
  void interpolate_derivative(Time t, Vector ydot) const override { cubic().derivative(t, ydot); }

 private:
  [[nodiscard]] HermiteStep cubic() const {
    return {common_.from, common_.t, dense(0), common_.y, dense(1), memory_.f};
  }

  bool stages(Duration h) override {
    const Time t = common_.t;
    const auto& y = common_.y;
    const auto& k1 = memory_.f;
    const std::size_t n = size();
    for (std::size_t i = 0; i < n; ++i) y_[i] = y[i] + h / 2 * k1[i];
    if (!stage(t + h / 2, y_, k2_)) return false;
    for (std::size_t i = 0; i < n; ++i) y_[i] = y[i] + h * (2 * k2_[i] - k1[i]);
    if (!stage(t + h, y_, z3_)) return false;
    for (std::size_t i = 0; i < n; ++i) y_[i] = y[i] + h / 2 * k2_[i];
    if (!stage(t + h / 2, y_, k3_)) return false;
    for (std::size_t i = 0; i < n; ++i) y_[i] = y[i] + h * k3_[i];
    if (!stage(t + h, y_, k4_)) return false;
    for (std::size_t i = 0; i < n; ++i) {
      y1_[i] = y[i] + h / 6 * (k1[i] + 2 * (k2_[i] + k3_[i]) + k4_[i]);
      error_[i] = h / 6 * (2 * (k2_[i] - k3_[i]) + z3_[i] - k4_[i]);
    }
    return stage(t + h, y1_, f1_);
  }

  [[nodiscard]] double stiffness(Duration h) const override { return h * slope(k4_, y_); }

  void prepare_dense(Duration /*h*/) override {
    for (std::size_t i = 0; i < size(); ++i) {
      dense(0)[i] = common_.y[i];
      dense(1)[i] = memory_.f[i];
    }
  }

  std::vector<double> k2_;
  std::vector<double> k3_;
  std::vector<double> k4_;
  std::vector<double> z3_;
  std::vector<double> y_;
};

}  // namespace

std::unique_ptr<Solver> make_rk34(const SolverRow& row, const Ode& ode, const SolverOptions& options) {
  return std::make_unique<Rk34>(row, ode, options);
}

}  // namespace consort::solve
