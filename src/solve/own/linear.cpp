#include "solve/own/linear.hpp"

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "solve/own/bordered_linear.hpp"
#include "solve/problem.hpp"
#include "solve/sparsity.hpp"

namespace consort::solve {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

bool use_sparse(const Ode& ode, LinearSolver choice) {
  const auto n = ode.y0.size();
  const bool known = !ode.jacobian.pattern.empty();
  require(choice != LinearSolver::sparse || known,
          "the sparse linear solver needs the sparsity pattern of the Jacobian; give `jacobian.pattern`, or choose the "
          "dense one");
  if (choice != LinearSolver::automatic) return choice == LinearSolver::sparse;
  return known && sparse_pays(n, ode.jacobian.pattern.count());
}

}  // namespace

class OdeLinear::Impl {
 public:
  Impl(const Ode& ode, LinearSolver choice)
      : ode_(ode),
        n_(ode.y0.size()),
        sparse_(use_sparse(ode, choice)),
        groups_(colour(ode.jacobian.pattern, n_)),
        y_(n_),
        f_(n_),
        increments_(n_),
        entries_(ode.jacobian.pattern.count()) {
    if (!ode.jacobian.bordered.pattern.empty()) {
      bordered_.emplace(ode.jacobian.bordered, n_);
      return;
    }
    const auto size = static_cast<Eigen::Index>(n_);
    rhs_.resize(size);
    solution_.resize(size);
    if (sparse_) {
      prepare_sparse();
    } else {
      dense_.resize(size, size);
      lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(size);
    }
  }

  [[nodiscard]] std::size_t value_count() const {
    if (bordered_) return ode_.jacobian.bordered.pattern.count();
    return sparse_ ? ode_.jacobian.pattern.count() : n_ * n_;
  }

  bool jacobian(const Place& place, const Evaluate& evaluate, std::vector<double>& values) {
    const auto& given = ode_.jacobian;
    const bool by_entries = given.sparse && (sparse_ || !given.dense);
    if (bordered_) {
      given.bordered.values(place.t, place.y, values, place.switches);
    } else if (by_entries) {
      given.sparse(place.t, place.y, sparse_ ? Vector(values) : Vector(entries_), place.switches);
      if (!sparse_) scatter(values);
    } else if (given.dense) {
      given.dense(place.t, place.y, sparse_ ? full() : Vector(values), place.switches);
      if (sparse_) gather(values);
    } else if (!(given.times ? by_products(place, values) : by_differences(place, evaluate, values))) {
      return false;
    }
    return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  }

  bool factorise(const std::vector<double>& values, double gamma) {
    if (bordered_) return bordered_->factorise(values, gamma);
    if (sparse_) return factorise_sparse(values, gamma);
    const auto n = static_cast<Eigen::Index>(n_);
    dense_ = -gamma * Eigen::Map<const Eigen::MatrixXd>(values.data(), n, n);
    dense_.diagonal().array() += 1;
    lu_.compute(dense_);
    const auto pivots = lu_.matrixLU().diagonal().array();
    return n_ == 0 || (pivots.isFinite().all() && (pivots != 0).all());
  }

  void solve(Vector b) {
    if (bordered_) return bordered_->solve(b);
    const auto n = static_cast<Eigen::Index>(n_);
    Eigen::Map<Eigen::VectorXd> map(b.data(), n);
    if (!sparse_) {
      // Row exchanges and two substitutions in place: solve() of the decomposition would allocate.
      rhs_ = map;
      map.noalias() = lu_.permutationP() * rhs_;
      lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(map);
      lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(map);
      return;
    }
    rhs_ = map;
    solution_ = sparse_lu_.solve(rhs_);
    map = solution_;
  }

 private:
  // --- sparse

  void prepare_sparse() {
    // M has a diagonal even if the pattern has none.
    const auto& pattern = ode_.jacobian.pattern;
    const auto size = static_cast<Eigen::Index>(n_);
    matrix_.resize(size, size);
    std::vector<Eigen::Triplet<double, int>> triplets;
    for (std::size_t j = 0; j < n_; ++j) {
      const int column = static_cast<int>(j);
      triplets.emplace_back(column, column, 1.0);
      for (int k = pattern.starts[j]; k < pattern.starts[j + 1]; ++k) {
        triplets.emplace_back(pattern.rows[static_cast<std::size_t>(k)], column, 1.0);
      }
    }
    matrix_.setFromTriplets(triplets.begin(), triplets.end());
    matrix_.makeCompressed();
    for (std::size_t j = 0; j < n_; ++j) {
      for (int k = pattern.starts[j]; k < pattern.starts[j + 1]; ++k) {
        places_.push_back(place_of(pattern.rows[static_cast<std::size_t>(k)], j));
      }
      diagonals_.push_back(place_of(static_cast<int>(j), j));
    }
    sparse_lu_.analyzePattern(matrix_);
  }

  [[nodiscard]] std::size_t place_of(int row, std::size_t column) const {
    const int* const rows = matrix_.innerIndexPtr();
    const int* const starts = matrix_.outerIndexPtr();
    const int* const found = std::lower_bound(rows + starts[column], rows + starts[column + 1], row);
    return static_cast<std::size_t>(found - rows);
  }

  bool factorise_sparse(const std::vector<double>& values, double gamma) {
    double* const entries = matrix_.valuePtr();
    std::fill(entries, entries + matrix_.nonZeros(), 0.0);
    for (std::size_t k = 0; k < values.size(); ++k) entries[places_[k]] = -gamma * values[k];
    for (const auto k : diagonals_) entries[k] += 1;
    sparse_lu_.factorize(matrix_);
    return sparse_lu_.info() == Eigen::Success;
  }

  // --- conversion between the forms

  template <class F>
  void for_each_entry(F&& f) const {  // f(row, column, index in the pattern)
    const auto& pattern = ode_.jacobian.pattern;
    for (std::size_t j = 0; j < n_; ++j) {
      for (int k = pattern.starts[j]; k < pattern.starts[j + 1]; ++k) {
        f(static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(k)]), j, static_cast<std::size_t>(k));
      }
    }
  }
  void scatter(std::vector<double>& values) const {
    std::fill(values.begin(), values.end(), 0.0);
    for_each_entry([&](std::size_t i, std::size_t j, std::size_t k) { values[j * n_ + i] = entries_[k]; });
  }
  void gather(std::vector<double>& values) const {
    for_each_entry([&](std::size_t i, std::size_t j, std::size_t k) { values[k] = full_[j * n_ + i]; });
  }
  Vector full() {
    full_.resize(n_ * n_);
    return full_;
  }

  // Stores `column / by` as column j, restricted to the pattern.
  void take_column(std::size_t j, ConstVector column, double by, std::vector<double>& values) const {
    const auto& pattern = ode_.jacobian.pattern;
    if (pattern.empty()) {
      for (std::size_t i = 0; i < n_; ++i) values[j * n_ + i] = column[i] / by;
      return;
    }
    for (int k = pattern.starts[j]; k < pattern.starts[j + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const auto i = static_cast<std::size_t>(pattern.rows[at]);
      values[sparse_ ? at : j * n_ + i] = column[i] / by;
    }
  }

  bool by_products(const Place& place, std::vector<double>& values) {
    std::fill(values.begin(), values.end(), 0.0);
    for (const auto& group : groups_) {
      std::fill(y_.begin(), y_.end(), 0.0);
      for (const auto j : group) y_[j] = 1;
      ode_.jacobian.times(place.t, place.y, y_, f_, place.switches);
      for (const auto j : group) take_column(j, f_, 1, values);
    }
    return true;
  }

  // The increments are large enough to exceed the rounding of f, and not smaller than the tolerances resolve.
  bool by_differences(const Place& place, const Evaluate& evaluate, std::vector<double>& values) {
    double norm = 0;
    for (std::size_t i = 0; i < n_; ++i) norm += std::pow(place.f[i] / place.weights[i], 2);
    norm = std::sqrt(norm / static_cast<double>(std::max<std::size_t>(n_, 1)));
    const double floor = norm == 0 ? 1 : 1000 * std::abs(place.h) * rounding * static_cast<double>(n_) * norm;
    std::fill(values.begin(), values.end(), 0.0);
    std::copy(place.y.begin(), place.y.end(), y_.begin());
    for (const auto& group : groups_) {
      for (const auto j : group) {
        const double y = place.y[j];
        const double wanted = std::max(std::sqrt(rounding) * std::abs(y), floor * place.weights[j]);
        y_[j] = y + (y < 0 ? -wanted : wanted);
        increments_[j] = y_[j] - y;  // the increment after rounding
      }
      if (!evaluate(place.t, y_, f_)) return false;
      for (std::size_t i = 0; i < n_; ++i) f_[i] -= place.f[i];
      for (const auto j : group) {
        take_column(j, f_, increments_[j], values);
        y_[j] = place.y[j];
      }
    }
    return true;
  }

  const Ode& ode_;
  std::size_t n_;
  bool sparse_;
  std::vector<std::vector<std::size_t>> groups_;
  std::vector<double> y_;
  std::vector<double> f_;
  std::vector<double> increments_;
  std::vector<double> entries_;
  std::vector<double> full_;
  Eigen::VectorXd rhs_;
  Eigen::VectorXd solution_;
  Eigen::MatrixXd dense_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  SparseMatrix matrix_;
  std::vector<std::size_t> places_;
  std::vector<std::size_t> diagonals_;
  Eigen::SparseLU<SparseMatrix> sparse_lu_;
  std::optional<BorderedLinear> bordered_;
};

OdeLinear::OdeLinear(const Ode& ode, LinearSolver choice) : impl_(std::make_unique<Impl>(ode, choice)) {}
OdeLinear::~OdeLinear() = default;

std::size_t OdeLinear::value_count() const { return impl_->value_count(); }
bool OdeLinear::jacobian(const Place& place, const Evaluate& evaluate, std::vector<double>& values) {
  return impl_->jacobian(place, evaluate, values);
}
bool OdeLinear::factorise(const std::vector<double>& values, double gamma) { return impl_->factorise(values, gamma); }
void OdeLinear::solve(Vector b) const { impl_->solve(b); }

}  // namespace consort::solve
