#include "solve/bordered.hpp"

#include <Eigen/Sparse>
#include <algorithm>
#include <limits>
#include <vector>

#include "solve/sparsity.hpp"

namespace consort::solve {

class Elimination::Impl {
 public:
  Impl(const BorderedJacobian& bordered, std::size_t n) : bordered_(bordered), n_(n), m_(bordered.inner) {
    find_pattern();
    groups_ = colour(pattern_, n_);
    prepare_inner();
    v_.resize(static_cast<Eigen::Index>(m_));
    row_.resize(n_);
  }

  [[nodiscard]] const Pattern& pattern() const { return pattern_; }

  void operator()(ConstVector given, Vector values) {
    for (std::size_t k = 0; k < inner_places_.size(); ++k) inner_.valuePtr()[k] = given[inner_places_[k]];
    if (m_ > 0) lu_.factorize(inner_);
    if (m_ > 0 && lu_.info() != Eigen::Success)
      return std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
    for (const auto& group : groups_) {
      std::fill(row_.begin(), row_.end(), 0.0);
      v_.setZero();
      for (const auto j : group) add_column(given, j, 1.0);
      if (m_ > 0) {
        const Eigen::VectorXd z = lu_.solve(v_);
        for (std::size_t i = 0; i < m_; ++i)
          if (const double by = z[static_cast<Eigen::Index>(i)]; by != 0) add_column(given, n_ + i, -by);
      }
      for (const auto j : group)
        for (auto k = first(pattern_, j); k < first(pattern_, j + 1); ++k)
          values[k] = row_[static_cast<std::size_t>(pattern_.rows[k])];
    }
  }

 private:
  using SparseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

  static std::size_t first(const Pattern& pattern, std::size_t column) {
    return static_cast<std::size_t>(pattern.starts[column]);
  }
  template <class F>
  void for_each_entry(std::size_t column, F&& f) const {  // f(row, index)
    for (auto k = first(bordered_.pattern, column); k < first(bordered_.pattern, column + 1); ++k)
      f(static_cast<std::size_t>(bordered_.pattern.rows[k]), k);
  }

  // Adds a multiple of a column: the upper part to row_, the lower part (of a state's column) to v_.
  void add_column(ConstVector given, std::size_t column, double by) {
    for_each_entry(column, [&](std::size_t row, std::size_t k) {
      if (row < n_)
        row_[row] += by * given[k];
      else if (column < n_)
        v_[static_cast<Eigen::Index>(row - n_)] += by * given[k];
    });
  }

  // The inner unknowns that a state changes are found by following the columns of D.
  void find_pattern() {
    pattern_.starts.push_back(0);
    std::vector<std::size_t> seen(n_ + m_, n_ + m_);  // by row: the last column that marked it
    for (std::size_t j = 0; j < n_; ++j) {
      std::vector<int> rows;
      std::vector<std::size_t> open{j};
      while (!open.empty()) {
        const auto column = open.back();
        open.pop_back();
        for_each_entry(column, [&](std::size_t row, std::size_t) {
          if (seen[row] == j) return;
          seen[row] = j;
          if (row < n_)
            rows.push_back(static_cast<int>(row));
          else
            open.push_back(row);
        });
      }
      std::sort(rows.begin(), rows.end());
      pattern_.rows.insert(pattern_.rows.end(), rows.begin(), rows.end());
      pattern_.starts.push_back(static_cast<int>(pattern_.rows.size()));
    }
  }

  void prepare_inner() {
    const auto size = static_cast<Eigen::Index>(m_);
    inner_.resize(size, size);
    std::vector<Eigen::Triplet<double, int>> triplets;
    for (std::size_t i = 0; i < m_; ++i)
      for_each_entry(n_ + i, [&](std::size_t row, std::size_t k) {
        if (row < n_) return;
        triplets.emplace_back(static_cast<int>(row - n_), static_cast<int>(i), 1.0);
        inner_places_.push_back(k);
      });
    inner_.setFromTriplets(triplets.begin(), triplets.end());
    inner_.makeCompressed();
    if (m_ > 0) lu_.analyzePattern(inner_);
  }

  const BorderedJacobian& bordered_;
  std::size_t n_, m_;
  Pattern pattern_;
  std::vector<std::vector<std::size_t>> groups_;
  SparseMatrix inner_;
  std::vector<std::size_t> inner_places_;
  Eigen::SparseLU<SparseMatrix> lu_;
  Eigen::VectorXd v_;
  std::vector<double> row_;
};

Elimination::Elimination(const BorderedJacobian& bordered, std::size_t n)
    : impl_(std::make_unique<Impl>(bordered, n)) {}
Elimination::~Elimination() = default;
const Pattern& Elimination::pattern() const { return impl_->pattern(); }
void Elimination::operator()(ConstVector bordered_values, Vector values) { (*impl_)(bordered_values, values); }

}  // namespace consort::solve
