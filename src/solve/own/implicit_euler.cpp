// Implicit Euler with fixed steps: y1 = y + h f(t + h, y1), by Newton's iteration; the Jacobian is kept as long as the
// iteration converges.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "solve/own/fixed_solver.hpp"
#include "solve/own/linear.hpp"
#include "solve/solvers.hpp"

namespace consort::solve {
namespace {

constexpr int most_iterations = 7;
constexpr double converged = 0.01;  // of the tolerance
constexpr int most_halvings = 10;

class ImplicitEuler : public FixedSolver {
 public:
  ImplicitEuler(const SolverRow& row, const Ode& ode, const SolverOptions& options)
      : FixedSolver(row, ode, options),
        linear_(ode, options.linear),
        evaluate_([this](Time t, ConstVector y, Vector dy) {
          ++common_.statistics.jacobian_evaluations;
          return evaluate(t, y, dy) == size();
        }),
        y_(ode.y0.size()),
        f_(ode.y0.size()),
        change_(ode.y0.size()),
        weights_(ode.y0.size()),
        start_(ode.y0.size()) {
    memory_.jacobian.resize(linear_.value_count());
  }

  void reinitialise(const Restart& restart) override {
    FixedSolver::reinitialise(restart);
    memory_.gamma = 0;
  }

  // Linear in the states: on stiff problems the derivatives at the ends say little about the values between them.
  void interpolate(Time t, Vector y) const override {
    const Duration h = common_.t - common_.from;
    const double s = h > 0 ? (t - common_.from) / h : 1;
    for (std::size_t i = 0; i < size(); ++i) y[i] = (1 - s) * memory_.y0[i] + s * common_.y[i];
  }
  void interpolate_derivative(Time /*t*/, Vector ydot) const override {
    const Duration h = common_.t - common_.from;
    for (std::size_t i = 0; i < size(); ++i) ydot[i] = h > 0 ? (common_.y[i] - memory_.y0[i]) / h : memory_.f1[i];
  }

 private:
  void restored() override {
    if (memory_.gamma != 0) linear_.factorise(memory_.jacobian, memory_.gamma);
  }

  void end_rate(Time /*end*/, Duration /*h*/, ConstVector /*y*/, ConstVector /*y1*/, Vector f1) override {
    std::copy(f_.begin(), f_.end(), f1.begin());
  }

  // One step, or 2, 4, … parts if Newton's iteration does not converge.
  void formula(Time t, Duration h, ConstVector y, ConstVector f, Vector y1) override {
    for (int halvings = 0; halvings <= most_halvings; ++halvings) {
      const int parts = 1 << halvings;
      std::copy(y.begin(), y.end(), start_.begin());
      std::copy(f.begin(), f.end(), f_.begin());
      int done = 0;
      while (done < parts && solve_part(t + h * done / parts, h / parts)) ++done;
      if (done == parts) {
        std::copy(start_.begin(), start_.end(), y1.begin());
        return;
      }
      ++common_.statistics.convergence_failures;
      if (h / parts < smallest_step()) break;
    }
    if (bad_ != size()) fail_not_finite(bad_, t + h);
    fail_step_size(h / (1 << most_halvings),
                   "Newton's iteration does not converge; " +
                       component_text(ode_.components, largest_error(change_, start_, start_)) + " changes most");
  }

  // Advances start_ and f_ from t to t + h; false: no convergence.
  bool solve_part(Time t, Duration h) {
    bool fresh = false;
    if (memory_.gamma != h) {
      // A new step size needs a new matrix, which is cheap compared to the evaluations for a Jacobian.
      if (memory_.gamma == 0) {
        if (!new_jacobian(t, h)) return false;
        fresh = true;
      } else if (!factorise(h)) {
        return false;
      }
    }
    if (newton(t, h)) return true;
    if (fresh || !new_jacobian(t, h)) return false;
    return newton(t, h);
  }

  bool newton(Time t, Duration h) {
    for (std::size_t i = 0; i < size(); ++i) y_[i] = start_[i] + h * f_[i];
    double last = 0;
    for (int k = 0; k < most_iterations; ++k) {
      bad_ = evaluate(t + h, y_, change_);
      if (bad_ != size()) return false;
      ++common_.statistics.newton_iterations;
      for (std::size_t i = 0; i < size(); ++i) change_[i] = start_[i] + h * change_[i] - y_[i];
      linear_.solve(change_);
      for (std::size_t i = 0; i < size(); ++i) y_[i] += change_[i];
      const double size_of_change = error_norm(change_, start_, y_);
      if (!std::isfinite(size_of_change) || (k > 0 && size_of_change > 2 * last)) return false;
      const double rate = k > 0 ? std::min(size_of_change / last, 0.9) : 0.5;
      if (size_of_change * rate / (1 - rate) <= converged) {
        for (std::size_t i = 0; i < size(); ++i) {
          f_[i] = (y_[i] - start_[i]) / h;
          start_[i] = y_[i];
        }
        return true;
      }
      last = size_of_change;
    }
    return false;
  }

  bool new_jacobian(Time t, Duration h) {
    bad_ = evaluate(t, start_, change_);
    if (bad_ != size()) return false;
    for (std::size_t i = 0; i < size(); ++i) {
      weights_[i] = common_.atol[i] + options_.rtol * std::abs(start_[i]);
    }
    ++common_.statistics.jacobians;
    memory_.gamma = 0;
    const OdeLinear::Place place{t, start_, change_, weights_, h, common_.switches};
    return linear_.jacobian(place, evaluate_, memory_.jacobian) && factorise(h);
  }

  bool factorise(Duration h) {
    ++common_.statistics.factorisations;
    const bool regular = linear_.factorise(memory_.jacobian, h);
    memory_.gamma = regular ? h : 0;
    return regular;
  }

  OdeLinear linear_;
  OdeLinear::Evaluate evaluate_;
  std::vector<double> y_;
  std::vector<double> f_;  // the slope of the last part
  std::vector<double> change_;
  std::vector<double> weights_;
  std::vector<double> start_;  // of the part
  std::size_t bad_ = 0;
};

}  // namespace

std::unique_ptr<Solver> make_implicit_euler(const SolverRow& row, const Ode& ode, const SolverOptions& options) {
  return std::make_unique<ImplicitEuler>(row, ode, options);
}

}  // namespace consort::solve
