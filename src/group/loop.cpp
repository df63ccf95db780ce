#include "group/loop.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "fmi/instance.hpp"

namespace consort::group {

namespace {

constexpr int most_iterations = 50;
// An iteration that reduces the residual by less than this asks for a new Jacobian.
constexpr double slow = 0.2;
// Times the tolerance: an error that rounding inside of units may leave.
constexpr double acceptable = 1e4;
// Of the reciprocal condition: below it the solution is made of the errors of the Jacobian.
constexpr double singular = 1e-11;

// A solver takes a smaller step, if the point is one of its trials.
template <class... Args>
fmi::Discarded failed(fmt::format_string<Args...> text, Args&&... args) {
  return {Fault::run, fmt::format(text, std::forward<Args>(args)...)};
}

}  // namespace

struct LoopSolver::Factors {
  Eigen::MatrixXd matrix;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;
  Eigen::VectorXd rhs, update;
  bool valid = false;
};

LoopSolver::LoopSolver(Problem problem) : problem_(std::move(problem)), factors_(std::make_unique<Factors>()) {
  const std::size_t n = problem_.variables.size();
  const auto size = static_cast<Eigen::Index>(n);
  for (auto* const v : {&image_, &difference_, &shifted_}) v->resize(n);
  jacobian_.reserve(n * n);
  factors_->matrix.resize(size, size);
  factors_->lu = Eigen::PartialPivLU<Eigen::MatrixXd>(size);
  factors_->rhs.resize(size);
  factors_->update.resize(size);
}
LoopSolver::~LoopSolver() = default;
LoopSolver::LoopSolver(LoopSolver&&) noexcept = default;

double LoopSolver::residual(std::span<const double> u, double tolerance) {
  problem_.image(u, image_);
  double largest = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    difference_[i] = image_[i] - u[i];
    const double part = std::abs(difference_[i]) / (tolerance * std::max(std::abs(u[i]), problem_.nominals[i]));
    if (!(part <= largest)) largest = part;  // also takes NaN
    if (!std::isfinite(difference_[i])) return std::numeric_limits<double>::quiet_NaN();
  }
  return largest;
}

void LoopSolver::evaluate_jacobian(std::span<const double> u) {
  const std::size_t n = u.size();
  ++statistics_.jacobians;
  jacobian_.resize(n * n);
  if (problem_.jacobian && problem_.jacobian(jacobian_)) return;
  std::copy(u.begin(), u.end(), shifted_.begin());
  for (std::size_t j = 0; j < n; ++j) {
    const double step =
        std::sqrt(std::numeric_limits<double>::epsilon()) * std::max(std::abs(u[j]), problem_.nominals[j]);
    shifted_[j] = u[j] + step;
    const double taken = shifted_[j] - u[j];
    const auto column = std::span(jacobian_).subspan(j * n, n);
    problem_.image(shifted_, column);
    for (std::size_t i = 0; i < n; ++i) column[i] = (column[i] - image_[i]) / taken;
    shifted_[j] = u[j];
  }
}

bool LoopSolver::factorise() {
  const auto n = static_cast<Eigen::Index>(problem_.variables.size());
  factors_->matrix = -Eigen::Map<const Eigen::MatrixXd>(jacobian_.data(), n, n);
  factors_->matrix.diagonal().array() += 1;
  factors_->lu.compute(factors_->matrix);
  factors_->valid = factors_->matrix.allFinite() && factors_->lu.rcond() > singular;
  return factors_->valid;
}

void LoopSolver::restore(const std::vector<double>& memory) {
  jacobian_ = memory;
  factors_->valid = !jacobian_.empty() && factorise();
}

std::string LoopSolver::residual_text() const {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < difference_.size() && i < 8; ++i)
    parts.push_back(fmt::format("{} {:.3g}", problem_.variables[i], difference_[i]));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Down to rounding errors, because the differences of a solver would see the rest. Values of an FMU that have larger
// errors (from an inner iteration) stop the progress before.
void LoopSolver::operator()(std::span<double> u, double tolerance, Time t) {
  ++statistics_.solutions;
  double error = residual(u, tolerance);
  bool is_fresh = false;
  bool goes_on = !std::isnan(error) && error > 0;
  for (int i = 0; i < most_iterations && goes_on; ++i) {
    if (!factors_->valid) {
      evaluate_jacobian(u);
      is_fresh = true;
      if (!factorise())
        throw failed(
            "the algebraic loop {} has no unique solution at t = {} s (its matrix is singular; residuals: {}); check "
            "the gains around the loop, or break it with a unit that has a delay",
            fmt::join(problem_.variables, " → "), t, residual_text());
    }
    ++statistics_.iterations;
    std::copy(difference_.begin(), difference_.end(), factors_->rhs.data());
    factors_->update.noalias() = factors_->lu.permutationP() * factors_->rhs;
    factors_->lu.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(factors_->update);
    factors_->lu.matrixLU().triangularView<Eigen::Upper>().solveInPlace(factors_->update);
    for (std::size_t k = 0; k < u.size(); ++k) u[k] += factors_->update[static_cast<Eigen::Index>(k)];
    const double before = error;
    error = residual(u, tolerance);
    // Damping: a step that makes things worse is shortened; a kept Jacobian is replaced first.
    for (double part = 0.5; is_fresh && !(error < before || error <= acceptable) && part > 1e-3; part /= 2) {
      for (std::size_t k = 0; k < u.size(); ++k) u[k] -= part * factors_->update[static_cast<Eigen::Index>(k)];
      error = residual(u, tolerance);
    }
    const bool is_slow = !(error <= slow * before);
    goes_on = error > 1 && !(is_slow && is_fresh && error <= acceptable) && !std::isnan(error);
    if (is_slow && error > 1) factors_->valid = false;
    is_fresh = is_fresh && !factors_->valid;
  }
  if (error <= acceptable) return;
  throw failed(
      "the algebraic loop {} does not converge at t = {} s (residuals: {}); try other start values, or break the loop "
      "with a unit that has a delay",
      fmt::join(problem_.variables, " → "), t, residual_text());
}

}  // namespace consort::group
