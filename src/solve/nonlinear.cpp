#include "solve/nonlinear.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "base/registry.hpp"

namespace consort::solve {

bool judge(std::span<const double> x, std::span<const double> image, double tolerance, NonlinearOutcome& outcome) {
  outcome.residuals.resize(x.size());
  outcome.largest = 0;
  bool finite = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    outcome.residuals[i] = image[i] - x[i];
    finite = finite && std::isfinite(outcome.residuals[i]);
    outcome.largest = std::max(outcome.largest, std::abs(outcome.residuals[i]) / std::max(1.0, std::abs(x[i])));
  }
  return finite && outcome.largest <= tolerance;
}

void difference_jacobian(const FixedPoint& problem, std::span<const double> x, std::span<const double> image,
                         std::span<double> jacobian, std::uint64_t& evaluations) {
  const std::size_t n = problem.size;
  std::vector<double> moved(x.begin(), x.end());
  std::vector<double> there(n);
  const double root_of_epsilon = std::sqrt(std::numeric_limits<double>::epsilon());
  for (std::size_t j = 0; j < n; ++j) {
    const double old = moved[j];
    moved[j] += root_of_epsilon * std::max(1.0, std::abs(old));
    const double step = moved[j] - old;
    problem.g(moved, there);
    ++evaluations;
    for (std::size_t i = 0; i < n; ++i) jacobian[j * n + i] = (there[i] - image[i]) / step;
    moved[j] = old;
  }
}

namespace {

NonlinearOutcome iterate_fixed_point(const FixedPoint& problem, const NonlinearOptions& options, std::span<double> x) {
  NonlinearOutcome outcome;
  std::vector<double> image(problem.size);
  for (; outcome.iterations < options.iterations; ++outcome.iterations) {
    problem.g(x, image);
    ++outcome.evaluations;
    outcome.converged = judge(x, image, options.tolerance, outcome);
    if (outcome.converged || !std::isfinite(outcome.largest)) return outcome;
    std::copy(image.begin(), image.end(), x.begin());
  }
  return outcome;
}

double norm(std::span<const double> x, std::span<const double> image) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (image[i] - x[i]) * (image[i] - x[i]);
  return std::sqrt(sum);
}

// Balances the matrix by scaling the unknowns, and returns the scales: m becomes S⁻¹ m S. Whether a matrix is singular
// must not depend on units such as N or MN.
Eigen::VectorXd balance(Eigen::MatrixXd& m) {
  const auto n = m.rows();
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(n);
  constexpr int sweeps = 5;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (Eigen::Index i = 0; i < n; ++i) {
      const double column = m.col(i).lpNorm<1>() - std::abs(m(i, i));
      const double row = m.row(i).lpNorm<1>() - std::abs(m(i, i));
      double factor = 1;
      if (column > 0 && row > 0) factor = std::sqrt(row / column);
      if (column > 0 && row == 0) factor = 1 / column;
      if (column == 0 && row > 0) factor = row;
      if (!std::isfinite(factor) || factor <= 0) continue;
      factor = std::exp2(std::round(std::log2(factor)));  // exact
      m.col(i) *= factor;
      m.row(i) /= factor;
      scale(i) *= factor;
    }
  }
  return scale;
}

// Newton's method; a step that increases the residual is halved.
NonlinearOutcome newton(const FixedPoint& problem, const NonlinearOptions& options, std::span<double> x) {
  const auto n = static_cast<Eigen::Index>(problem.size);
  NonlinearOutcome outcome;
  std::vector<double> image(problem.size), trial(problem.size), jacobian(problem.size * problem.size);
  problem.g(x, image);
  ++outcome.evaluations;
  for (; outcome.iterations < options.iterations; ++outcome.iterations) {
    outcome.converged = judge(x, image, options.tolerance, outcome);
    if (outcome.converged || !std::isfinite(norm(x, image))) return outcome;
    if (!problem.jacobian || !problem.jacobian(x, jacobian))
      difference_jacobian(problem, x, image, jacobian, outcome.evaluations);
    Eigen::MatrixXd m = Eigen::MatrixXd::Identity(n, n) - Eigen::Map<Eigen::MatrixXd>(jacobian.data(), n, n);
    const Eigen::VectorXd scale = balance(m);
    Eigen::FullPivLU<Eigen::MatrixXd> lu(m);
    // A loop with gain 1 has no solution or many; it must not yield a distant one. The threshold allows for derivatives
    // with errors of about 1e-8, since units may compute them by differences.
    lu.setThreshold(1e-7);
    if (!lu.isInvertible()) return outcome;
    const Eigen::Map<const Eigen::VectorXd> residuals(outcome.residuals.data(), n);
    const Eigen::VectorXd delta = scale.cwiseProduct(lu.solve(residuals.cwiseQuotient(scale)));
    if (!delta.allFinite()) return outcome;
    const double before = norm(x, image);
    double damping = 1;
    for (int halvings = 0; halvings < 12; ++halvings, damping /= 2) {
      for (std::size_t i = 0; i < problem.size; ++i) trial[i] = x[i] + damping * delta[static_cast<Eigen::Index>(i)];
      problem.g(trial, image);
      ++outcome.evaluations;
      if (norm(trial, image) < before) break;
    }
    std::copy(trial.begin(), trial.end(), x.begin());
  }
  outcome.converged = judge(x, image, options.tolerance, outcome);
  return outcome;
}

constexpr std::array<NonlinearMethod, 3> methods{{
    {"newton", "Newton's method with damping; Jacobian from the units if they provide it, otherwise differences",
     newton},
    {"fixed-point", "takes each value as the next guess; converges if loop gains are below 1", iterate_fixed_point},
    {"kinsol", "Newton with line search of SUNDIALS", solve_with_kinsol},
}};

}  // namespace

std::span<const NonlinearMethod> nonlinear_methods() { return methods; }

const NonlinearMethod& find_nonlinear_method(std::string_view name) {
  return find_row(methods, name, "method", " for loops", "loops.method");
}

}  // namespace consort::solve
