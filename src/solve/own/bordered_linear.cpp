#include "solve/own/bordered_linear.hpp"

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <algorithm>

#include "solve/sparsity.hpp"

namespace consort::solve {

class BorderedLinear::Impl {
 public:
  Impl(const BorderedJacobian& bordered, std::size_t n)
      : pattern_(bordered.pattern), n_(n), size_(n + bordered.inner), sparse_(sparse_pays(size_, pattern_.count())) {
    const auto size = static_cast<Eigen::Index>(size_);
    rhs_.resize(size);
    solution_.resize(size);
    if (!sparse_) {
      dense_.resize(size, size);
      lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(size);
      return;
    }
    prepare();
  }

  bool factorise(const std::vector<double>& values, double gamma) {
    if (!sparse_) return factorise_dense(values, gamma);
    double* const entries = matrix_.valuePtr();
    std::fill(entries, entries + matrix_.nonZeros(), 0.0);
    for (std::size_t k = 0; k < values.size(); ++k) entries[places_[k]] = is_upper(k) ? -gamma * values[k] : values[k];
    for (const auto k : diagonal_) entries[k] += 1;
    sparse_lu_.factorize(matrix_);
    return sparse_lu_.info() == Eigen::Success;
  }

  void solve(Vector b) {
    rhs_.setZero();
    std::copy(b.begin(), b.end(), rhs_.data());
    if (sparse_) {
      solution_ = sparse_lu_.solve(rhs_);
    } else {
      // Row exchanges and two substitutions in place: solve() of the decomposition would allocate.
      solution_.noalias() = lu_.permutationP() * rhs_;
      lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(solution_);
      lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(solution_);
    }
    std::copy(solution_.data(), solution_.data() + b.size(), b.begin());
  }

 private:
  using SparseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

  [[nodiscard]] bool is_upper(std::size_t k) const { return static_cast<std::size_t>(pattern_.rows[k]) < n_; }

  template <class F>
  void for_each_entry(F&& f) const {  // f(row, column, index in the pattern)
    for (std::size_t j = 0; j < size_; ++j)
      for (auto k = static_cast<std::size_t>(pattern_.starts[j]); k < static_cast<std::size_t>(pattern_.starts[j + 1]);
           ++k)
        f(static_cast<Eigen::Index>(pattern_.rows[k]), static_cast<Eigen::Index>(j), k);
  }

  bool factorise_dense(const std::vector<double>& values, double gamma) {
    dense_.setZero();
    for_each_entry([&](Eigen::Index i, Eigen::Index j, std::size_t k) {
      dense_(i, j) = is_upper(k) ? -gamma * values[k] : values[k];
    });
    dense_.diagonal().head(static_cast<Eigen::Index>(n_)).array() += 1;
    lu_.compute(dense_);
    const auto pivots = lu_.matrixLU().diagonal().array();
    return size_ == 0 || (pivots.isFinite().all() && (pivots != 0).all());
  }

  void prepare() {
    const auto size = static_cast<Eigen::Index>(size_);
    matrix_.resize(size, size);
    std::vector<Eigen::Triplet<double, int>> triplets;
    for (std::size_t i = 0; i < n_; ++i) triplets.emplace_back(static_cast<int>(i), static_cast<int>(i), 1.0);
    for_each_entry([&](Eigen::Index i, Eigen::Index j, std::size_t) {
      triplets.emplace_back(static_cast<int>(i), static_cast<int>(j), 1.0);
    });
    matrix_.setFromTriplets(triplets.begin(), triplets.end());
    matrix_.makeCompressed();
    for_each_entry([&](Eigen::Index i, Eigen::Index j, std::size_t) { places_.push_back(place_of(i, j)); });
    for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(n_); ++i) diagonal_.push_back(place_of(i, i));
    sparse_lu_.analyzePattern(matrix_);
  }

  [[nodiscard]] std::size_t place_of(Eigen::Index row, Eigen::Index column) const {
    const int* const rows = matrix_.innerIndexPtr();
    const int* const starts = matrix_.outerIndexPtr();
    return static_cast<std::size_t>(
        std::lower_bound(rows + starts[column], rows + starts[column + 1], static_cast<int>(row)) - rows);
  }

  const Pattern& pattern_;
  std::size_t n_, size_;
  bool sparse_;
  Eigen::VectorXd rhs_, solution_;
  Eigen::MatrixXd dense_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  SparseMatrix matrix_;
  std::vector<std::size_t> places_, diagonal_;
  Eigen::SparseLU<SparseMatrix> sparse_lu_;
};

BorderedLinear::BorderedLinear(const BorderedJacobian& bordered, std::size_t n)
    : impl_(std::make_unique<Impl>(bordered, n)) {}
BorderedLinear::~BorderedLinear() = default;
bool BorderedLinear::factorise(const std::vector<double>& values, double gamma) {
  return impl_->factorise(values, gamma);
}
void BorderedLinear::solve(Vector b) const { impl_->solve(b); }

}  // namespace consort::solve
