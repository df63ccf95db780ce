// BDF of variable order (1 to 5) and step in Nordsieck form with fixed leading coefficient, for stiff problems.
//
// The complete history of the method is in BdfMemory, so that a copy continues bit for bit. The strategy is that of the
// VODE family (Brown, Byrne, Hindmarsh 1989): modified Newton with a Jacobian that is kept for many steps; the error is
// estimated from the correction; of the orders q - 1, q, q + 1 the one that allows the largest step is chosen for the
// next q + 1 steps.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "solve/own/bdf_coefficients.hpp"
#include "solve/own/linear.hpp"
#include "solve/own/ode_solver.hpp"
#include "solve/solvers.hpp"

namespace consort::solve {
namespace {

constexpr std::size_t columns = bdf_max_order + 1;

// --- step size and order
constexpr double bias_lower = 6;  // safety factors of the estimates at orders q - 1, q, q + 1
constexpr double bias_same = 6;
constexpr double bias_upper = 10;
constexpr double worth_changing = 1.5;
constexpr double most_growth_first = 1e4;
constexpr double most_growth = 10;
constexpr double least_shrinking = 0.1;
constexpr double repeated_shrinking = 0.2;
constexpr double convergence_shrinking = 0.25;
constexpr int error_failures_before_order = 3;
constexpr int most_error_failures = 7;
constexpr int most_convergence_failures = 10;
constexpr int long_wait = 10;
// --- Newton
constexpr int most_newton_iterations = 3;
constexpr double newton_part = 0.1;  // of the error test, allowed as iteration error
constexpr double rate_memory = 0.3;
constexpr double diverging = 2;
constexpr std::uint64_t matrix_age = 20;  // in steps
constexpr std::uint64_t jacobian_age = 50;
constexpr double gamma_drift = 0.3;
constexpr double gamma_drift_jacobian = 0.2;

struct BdfMemory {
  bool started = false;
  int order = 1;
  int next_order = 1;
  Duration h = 0;     // scale of the columns
  double growth = 1;  // of h, for the next step
  double most = most_growth_first;
  int wait = 2;  // steps until the order may change
  StepHistory past{};
  std::vector<double> z{};           // column j: h^j y^(j) / j!
  std::vector<double> correction{};  // of the last step
  std::vector<double> earlier{};     // of the previous step, saved for a change of order
  double earlier_scale = 0;
  double rate = 1;  // of convergence of Newton's iteration
  std::vector<double> jacobian{};
  bool has_jacobian = false;
  double matrix_gamma = 0;  // of the factorised matrix; 0: no matrix
  std::uint64_t matrix_step = 0;
  std::uint64_t jacobian_step = 0;

  template <class Archive>
  void fields(Archive& archive) {
    archive(started, order, next_order, h, growth, most, wait, past, z, correction, earlier, earlier_scale, rate);
    archive(jacobian, has_jacobian, matrix_gamma, matrix_step, jacobian_step);
  }
};

double step_factor(double error, double bias, int power) { return 1 / (std::pow(bias * error, 1.0 / power) + 1e-6); }

class Bdf : public RememberingSolver<BdfMemory> {
 public:
  Bdf(const SolverRow& row, const Ode& ode, const SolverOptions& options)
      : RememberingSolver(row, ode, options),
        linear_(ode, options.linear),
        evaluate_([this](Time t, ConstVector y, Vector dy) {
          ++common_.statistics.jacobian_evaluations;
          return evaluate(t, y, dy) == size();
        }),
        max_order_(options.max_order == 0 ? bdf_max_order : std::min(options.max_order, bdf_max_order)),
        predicted_(columns * ode.y0.size()),
        y_(ode.y0.size()),
        f_(ode.y0.size()),
        correction_(ode.y0.size()),
        change_(ode.y0.size()),
        weights_(ode.y0.size()) {
    memory_.z.resize(columns * size());
    memory_.correction.resize(size());
    memory_.earlier.resize(size());
    memory_.jacobian.resize(linear_.value_count());
  }

  StepResult step(Time limit) override {
    check_limit(limit);
    set_weights();
    if (!memory_.started) start(limit);
    change_order_and_step();
    int error_failures = 0;
    int convergence_failures = 0;
    for (;;) {
      const Time end = cut_to(limit);
      predict();
      const Newton outcome = correct(end, error_failures > 0);
      if (outcome != Newton::converged) {
        after_convergence_failure(++convergence_failures, outcome, end);
        continue;
      }
      const double error = coefficients_.error * correction_norm_;
      if (error <= 1) {
        accept(end, error);
        return {.from = common_.from, .to = end, .order = memory_.order, .next = memory_.h * memory_.growth};
      }
      after_error_failure(++error_failures, error);
    }
  }

  void reinitialise(const Restart& restart) override {
    take(restart);
    memory_.started = false;
    memory_.matrix_gamma = 0;
    memory_.has_jacobian = false;
  }

  void interpolate(Time t, Vector y) const override {
    if (common_.t == common_.from || t == common_.t) {
      std::copy(common_.y.begin(), common_.y.end(), y.begin());
      return;
    }
    const double x = (t - common_.t) / memory_.h;
    const auto last = column(memory_.order);
    std::copy(last.begin(), last.end(), y.begin());
    for (int j = memory_.order - 1; j >= 0; --j) {
      const auto z = column(j);
      for (std::size_t i = 0; i < size(); ++i) y[i] = y[i] * x + z[i];
    }
  }

  void interpolate_derivative(Time t, Vector ydot) const override {
    const double x = (t - common_.t) / memory_.h;
    std::fill(ydot.begin(), ydot.end(), 0.0);
    for (int j = memory_.order; j >= 1; --j) {
      const auto z = column(j);
      for (std::size_t i = 0; i < size(); ++i) ydot[i] = ydot[i] * x + j * z[i];
    }
    for (double& value : ydot) value /= memory_.h;
  }

 private:
  enum class Newton : std::uint8_t { converged, diverged, not_finite, singular };

  [[nodiscard]] std::size_t offset(int j) const { return static_cast<std::size_t>(j) * size(); }
  [[nodiscard]] Vector column(int j) { return Vector(memory_.z).subspan(offset(j), size()); }
  [[nodiscard]] ConstVector column(int j) const { return ConstVector(memory_.z).subspan(offset(j), size()); }

  void restored() override {
    if (memory_.matrix_gamma != 0) linear_.factorise(memory_.jacobian, memory_.matrix_gamma);
  }

  void set_weights() {
    for (std::size_t i = 0; i < size(); ++i) weights_[i] = common_.atol[i] + options_.rtol * std::abs(common_.y[i]);
  }

  [[nodiscard]] double norm(ConstVector v) const {
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += (v[i] / weights_[i]) * (v[i] / weights_[i]);
    return v.empty() ? 0 : std::sqrt(sum / static_cast<double>(v.size()));
  }
  [[nodiscard]] std::string worst(ConstVector v) const {
    return component_text(ode_.components, largest_error(v, common_.y, common_.y));
  }

  // --- between steps

  void start(Time limit) {
    if (const auto bad = evaluate(common_.t, common_.y, f_); bad != size()) fail_not_finite(bad, common_.t);
    const Duration h = options_.initial_step > 0 ? options_.initial_step : first_step(f_, 2, limit - common_.t);
    memory_.order = memory_.next_order = 1;
    memory_.h = h;
    memory_.growth = 1;
    memory_.most = most_growth_first;
    memory_.wait = 2;
    memory_.past.fill(0);
    memory_.rate = 1;
    std::copy(common_.y.begin(), common_.y.end(), column(0).begin());
    for (std::size_t i = 0; i < size(); ++i) column(1)[i] = h * f_[i];
    memory_.started = true;
  }

  void rescale(double factor) {
    double power = 1;
    for (int j = 1; j <= memory_.order; ++j) {
      power *= factor;
      for (double& value : column(j)) value *= power;
    }
    memory_.h *= factor;
  }

  // Applies the order and step size chosen at the end of the last step.
  void change_order_and_step() {
    if (memory_.next_order > memory_.order) raise_order();
    if (memory_.next_order < memory_.order) lower_order();
    if (memory_.growth != 1) rescale(std::exchange(memory_.growth, 1));
    if (memory_.h > options_.max_step) rescale(options_.max_step / memory_.h);
  }

  void raise_order() {
    const int q = memory_.order;
    const auto shape = order_change_polynomial(q - 1, memory_.h, memory_.past);
    const double factor = raised_column(q, memory_.h, memory_.past);
    const auto fresh = column(q + 1);
    for (std::size_t i = 0; i < size(); ++i) fresh[i] = factor * memory_.correction[i];
    for (int j = 2; j <= q; ++j) {
      for (std::size_t i = 0; i < size(); ++i) column(j)[i] += shape[static_cast<std::size_t>(j)] * fresh[i];
    }
    set_order(q + 1);
  }

  void lower_order() {
    const int q = memory_.order;
    const auto shape = order_change_polynomial(q - 2, memory_.h, memory_.past);
    const auto old = column(q);
    for (int j = 2; j < q; ++j) {
      for (std::size_t i = 0; i < size(); ++i) column(j)[i] -= shape[static_cast<std::size_t>(j)] * old[i];
    }
    set_order(q - 1);
  }

  void set_order(int q) {
    memory_.order = memory_.next_order = q;
    memory_.wait = q + 1;
  }

  // --- one attempt

  Time cut_to(Time limit) {
    const Time end = step_end(common_.t, memory_.h, limit);
    if (end == limit) rescale((limit - common_.t) / memory_.h);
    return end;
  }

  // Computes predicted_, the columns at the end of the step, by Pascal's triangle.
  void predict() {
    const int q = memory_.order;
    const std::size_t n = size();
    std::copy(memory_.z.begin(), memory_.z.begin() + static_cast<std::ptrdiff_t>(offset(q + 1)), predicted_.begin());
    for (int k = 1; k <= q; ++k) {
      for (int j = q; j >= k; --j) {
        double* const to = predicted_.data() + offset(j - 1);
        const double* const from = predicted_.data() + offset(j);
        for (std::size_t i = 0; i < n; ++i) to[i] += from[i];
      }
    }
    coefficients_ = bdf_coefficients(q, memory_.h, memory_.past);
    gamma_ = memory_.h / coefficients_.leading;
  }

  // Solves y = predicted + correction, h f(t, y) = predicted h y' + leading * correction.
  Newton correct(Time end, bool repeated) {
    const auto now = common_.statistics.steps;
    double drift = memory_.matrix_gamma == 0 ? 1 : std::abs(gamma_ / memory_.matrix_gamma - 1);
    bool set_up =
        memory_.matrix_gamma == 0 || now >= memory_.matrix_step + matrix_age || drift > gamma_drift || repeated;
    bool jacobian = !memory_.has_jacobian || now >= memory_.jacobian_step + jacobian_age;
    for (;;) {
      std::copy(predicted_.begin(), predicted_.begin() + static_cast<std::ptrdiff_t>(size()), y_.begin());
      std::fill(correction_.begin(), correction_.end(), 0.0);
      bad_ = evaluate(end, y_, f_);
      if (bad_ != size()) return Newton::not_finite;
      if (set_up) {
        if (const Newton outcome = set_up_matrix(end, jacobian); outcome != Newton::converged) return outcome;
      }
      const Newton outcome = iterate(end);
      // With an old matrix the cause may be the matrix, not the step. The Jacobian is renewed if gamma is not the
      // cause.
      if (outcome == Newton::converged || memory_.jacobian_step == now) return outcome;
      jacobian = set_up || drift < gamma_drift_jacobian;
      set_up = true;
      drift = 0;
    }
  }

  Newton set_up_matrix(Time end, bool jacobian) {
    auto& statistics = common_.statistics;
    memory_.matrix_gamma = 0;
    if (jacobian) {
      memory_.has_jacobian = false;
      ++statistics.jacobians;
      const OdeLinear::Place place{end, y_, f_, weights_, memory_.h, common_.switches};
      if (!linear_.jacobian(place, evaluate_, memory_.jacobian)) return Newton::not_finite;
      memory_.has_jacobian = true;
      memory_.jacobian_step = statistics.steps;
    }
    ++statistics.factorisations;
    if (!linear_.factorise(memory_.jacobian, gamma_)) return Newton::singular;
    memory_.matrix_gamma = gamma_;
    memory_.matrix_step = statistics.steps;
    memory_.rate = 1;
    return Newton::converged;
  }

  Newton iterate(Time end) {
    const double* const predicted_rate = predicted_.data() + size();  // h y'
    const double allowed = newton_part / coefficients_.error;
    const double ratio = gamma_ / memory_.matrix_gamma;
    const double relaxation = ratio == 1 ? 1 : 2 / (1 + ratio);
    double last = 0;
    for (int k = 0;; ++k) {
      ++common_.statistics.newton_iterations;
      for (std::size_t i = 0; i < size(); ++i) {
        change_[i] = gamma_ * f_[i] - predicted_rate[i] / coefficients_.leading - correction_[i];
      }
      linear_.solve(change_);
      for (std::size_t i = 0; i < size(); ++i) {
        change_[i] *= relaxation;
        correction_[i] += change_[i];
        y_[i] = predicted_[i] + correction_[i];
      }
      const double moved = norm(change_);
      if (!std::isfinite(moved)) return Newton::diverged;
      if (k > 0) memory_.rate = std::max(rate_memory * memory_.rate, moved / last);
      if (moved * std::min(1.0, memory_.rate) <= allowed) {
        correction_norm_ = k == 0 ? moved : norm(correction_);
        return Newton::converged;
      }
      if (k + 1 == most_newton_iterations || (k > 0 && moved > diverging * last)) return Newton::diverged;
      last = moved;
      bad_ = evaluate(end, y_, f_);
      if (bad_ != size()) return Newton::not_finite;
    }
  }

  // --- after an attempt

  void after_convergence_failure(int failures, Newton outcome, Time end) {
    ++common_.statistics.convergence_failures;
    memory_.most = 1;
    memory_.has_jacobian = false;  // the next attempt starts with a new Jacobian
    memory_.matrix_gamma = 0;
    const Duration h = memory_.h * convergence_shrinking;
    if (failures >= most_convergence_failures || h < smallest_step()) {
      if (outcome == Newton::not_finite && bad_ != size()) fail_not_finite(bad_, end);
      fail_step_size(h, outcome == Newton::singular
                            ? std::string("the matrix of Newton's iteration is singular")
                            : "Newton's iteration does not converge; " + worst(change_) + " changes most");
    }
    rescale(convergence_shrinking);
  }

  void after_error_failure(int failures, double error) {
    ++common_.statistics.error_test_failures;
    memory_.most = 1;
    double factor = least_shrinking;
    if (failures <= error_failures_before_order) {
      factor = std::max(least_shrinking, step_factor(error, bias_same, memory_.order + 1));
      if (failures >= 2) factor = std::min(factor, repeated_shrinking);
    }
    const Duration h = memory_.h * factor;
    if (failures >= most_error_failures || h < smallest_step()) {
      fail_step_size(h, "the error of " + worst(correction_) + " does not get small enough");
    }
    if (failures > error_failures_before_order) {
      if (memory_.order > 1) {
        lower_order();
      } else {
        restart_order_one();
      }
    }
    rescale(factor);
  }

  // The columns may be inaccurate, so the derivative is evaluated again.
  void restart_order_one() {
    if (const auto bad = evaluate(common_.t, common_.y, f_); bad != size()) fail_not_finite(bad, common_.t);
    for (std::size_t i = 0; i < size(); ++i) column(1)[i] = memory_.h * f_[i];
    memory_.wait = long_wait;
  }

  void accept(Time end, double error) {
    const int q = memory_.order;
    for (int j = 0; j <= q; ++j) {
      const double l = coefficients_.l[static_cast<std::size_t>(j)];
      const double* const from = predicted_.data() + offset(j);
      for (std::size_t i = 0; i < size(); ++i) column(j)[i] = from[i] + l * correction_[i];
    }
    std::swap(memory_.correction, correction_);
    std::copy(column(0).begin(), column(0).end(), common_.y.begin());
    common_.from = std::exchange(common_.t, end);
    for (std::size_t i = memory_.past.size() - 1; i > 0; --i) memory_.past[i] = memory_.past[i - 1];
    memory_.past[0] = memory_.h;
    ++common_.statistics.steps;
    --memory_.wait;
    prepare_next(error);
    if (memory_.wait == 1 && q < max_order_) {
      memory_.earlier = memory_.correction;
      memory_.earlier_scale = coefficients_.scale;
    }
    memory_.most = most_growth;
  }

  void prepare_next(double error) {
    const int q = memory_.order;
    memory_.next_order = q;
    memory_.growth = 1;
    if (memory_.most == 1) {  // the step was repeated: do not enlarge it at once
      memory_.wait = std::max(memory_.wait, 2);
      return;
    }
    double best = step_factor(error, bias_same, q + 1);
    if (memory_.wait <= 0) {
      memory_.wait = 2;
      const double lower = q > 1 ? step_factor(coefficients_.error_lower * norm(column(q)), bias_lower, q) : 0;
      const double upper = q < max_order_ ? step_factor(upper_error(), bias_upper, q + 2) : 0;
      if (lower > best && lower >= upper) {
        best = lower;
        memory_.next_order = q - 1;
      } else if (upper > best) {
        best = upper;
        memory_.next_order = q + 1;
      }
    }
    if (best < worth_changing) {
      memory_.next_order = q;
    } else {
      memory_.growth = std::min({best, memory_.most, options_.max_step / memory_.h});
    }
  }

  double upper_error() {
    if (memory_.earlier_scale == 0) return 0;
    const int q = memory_.order;
    const double factor = coefficients_.scale / memory_.earlier_scale * std::pow(memory_.h / memory_.past[1], q + 1);
    for (std::size_t i = 0; i < size(); ++i) change_[i] = memory_.correction[i] - factor * memory_.earlier[i];
    return coefficients_.error_upper * norm(change_);
  }

  OdeLinear linear_;
  OdeLinear::Evaluate evaluate_;
  int max_order_;
  BdfCoefficients coefficients_;
  double gamma_ = 0;
  double correction_norm_ = 0;
  std::size_t bad_ = 0;
  std::vector<double> predicted_;
  std::vector<double> y_;
  std::vector<double> f_;
  std::vector<double> correction_;
  std::vector<double> change_;
  std::vector<double> weights_;
};

}  // namespace

std::unique_ptr<Solver> make_bdf(const SolverRow& row, const Ode& ode, const SolverOptions& options) {
  return std::make_unique<Bdf>(row, ode, options);
}

}  // namespace consort::solve
