// Dormand and Prince 1980, order 5(4) with seven stages of which the last is the next step's first; dense output of
// order 4 after Shampine. Coefficients as in Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, II.5
// and II.6.
#include <array>
#include <memory>
#include <vector>

#include "solve/own/pair_solver.hpp"
#include "solve/solvers.hpp"

namespace consort::solve {
namespace {

constexpr std::size_t stage_count = 7;

constexpr std::array<double, stage_count> c{0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr std::array<std::array<double, 6>, stage_count> a{{
    {},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},  // the solution of order 5
}};
// The solution of order 5 minus that of order 4.
constexpr std::array<double, stage_count> e{71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                            -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
constexpr std::array<double, stage_count> d{-12715105075.0 / 11282082432,  0,
                                            87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                            701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                            69997945.0 / 29380423};

class Dopri5 : public PairSolver {
 public:
  Dopri5(const SolverRow& row, const Ode& ode, const SolverOptions& options)
      : PairSolver(row, ode, options,
                   {.exponent = 0.2 - 0.04 * 0.75, .beta = 0.04, .growth = 10, .stable_limit = 3.25, .dense = 5}),
        y_(ode.y0.size()) {
    for (auto& k : k_) k.resize(size());
  }

  void interpolate(Time t, Vector y) const override {
    if (common_.t == common_.from) {
      std::copy(common_.y.begin(), common_.y.end(), y.begin());
      return;
    }
    const double s = part(t);
    const double r = 1 - s;
    for (std::size_t i = 0; i < size(); ++i) {
      y[i] = dense(0)[i] + s * (dense(1)[i] + r * (dense(2)[i] + s * (dense(3)[i] + r * dense(4)[i])));
    }
    // Equals the polynomial except for rounding; the root finder relies on the exact state.
    if (t == common_.t) std::copy(common_.y.begin(), common_.y.end(), y.begin());
  }

  void interpolate_derivative(Time t, Vector ydot) const override {
    const Duration h = common_.t - common_.from;
    const double s = part(t);
    const double r = 1 - s;
    for (std::size_t i = 0; i < size(); ++i) {
      const double slope = dense(1)[i] + (1 - 2 * s) * dense(2)[i] + s * (2 - 3 * s) * dense(3)[i] +
                           2 * s * r * (1 - 2 * s) * dense(4)[i];
      ydot[i] = h > 0 ? slope / h : memory_.f[i];
    }
  }

 private:
  bool stages(Duration h) override {
    const std::size_t n = size();
    for (std::size_t s = 1; s < stage_count; ++s) {
      auto& to = s + 1 < stage_count ? y_ : y1_;
      const auto& row = a[s];
      for (std::size_t i = 0; i < n; ++i) {
        double sum = row[0] * memory_.f[i];
        for (std::size_t j = 1; j < s; ++j) sum += row[j] * k_[j][i];
        to[i] = common_.y[i] + h * sum;
      }
      if (!stage(common_.t + c[s] * h, to, s + 1 < stage_count ? Vector(k_[s]) : Vector(f1_))) return false;
    }
    for (std::size_t i = 0; i < n; ++i) {
      error_[i] = h * (e[0] * memory_.f[i] + e[2] * k_[2][i] + e[3] * k_[3][i] + e[4] * k_[4][i] + e[5] * k_[5][i] +
                       e[6] * f1_[i]);
    }
    return true;
  }

  [[nodiscard]] double stiffness(Duration h) const override { return h * slope(k_[5], y_); }

  void prepare_dense(Duration h) override {
    for (std::size_t i = 0; i < size(); ++i) {
      const double rise = y1_[i] - common_.y[i];
      const double bend = h * memory_.f[i] - rise;
      dense(0)[i] = common_.y[i];
      dense(1)[i] = rise;
      dense(2)[i] = bend;
      dense(3)[i] = rise - h * f1_[i] - bend;
      dense(4)[i] = h * (d[0] * memory_.f[i] + d[2] * k_[2][i] + d[3] * k_[3][i] + d[4] * k_[4][i] + d[5] * k_[5][i] +
                         d[6] * f1_[i]);
    }
  }

  std::array<std::vector<double>, stage_count - 1> k_;  // k_[0] is memory_.f, the last stage is f1_
  std::vector<double> y_;
};

}  // namespace

std::unique_ptr<Solver> make_dopri5(const SolverRow& row, const Ode& ode, const SolverOptions& options) {
  return std::make_unique<Dopri5>(row, ode, options);
}

}  // namespace consort::solve
