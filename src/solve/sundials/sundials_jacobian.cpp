#include "solve/sundials/sundials_jacobian.hpp"

#include <algorithm>
#include <new>

#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "base/error.hpp"

namespace consort::solve {

namespace {

// Below this size or above this density, KLU's bookkeeping costs more than a dense factorisation.
constexpr std::size_t sparse_pays_from = 50;
constexpr double sparse_pays_up_to = 0.2;

LinearSolver choose(LinearSolver wanted, const LinearPart::Offer& offer, std::size_t n) {
  if (wanted != LinearSolver::automatic) return wanted;
  const double density = static_cast<double>(offer.pattern.count()) / (static_cast<double>(n) * static_cast<double>(n));
  const bool pays = !offer.pattern.empty() && n >= sparse_pays_from && density <= sparse_pays_up_to;
  return pays ? LinearSolver::sparse : LinearSolver::dense;
}

}  // namespace

// Greedy, in column order: each column goes to the first group that uses none of its rows.
ColouredDifferences::ColouredDifferences(const Pattern& pattern) {
  const std::size_t n = pattern.starts.size() - 1;
  std::vector<std::vector<bool>> taken;  // per group
  for (std::size_t j = 0; j < n; ++j) {
    const auto rows = std::span(pattern.rows)
                          .subspan(static_cast<std::size_t>(pattern.starts[j]),
                                   static_cast<std::size_t>(pattern.starts[j + 1] - pattern.starts[j]));
    const auto is_free = [&](const std::vector<bool>& in_group) {
      return std::none_of(rows.begin(), rows.end(), [&](int i) { return in_group[static_cast<std::size_t>(i)]; });
    };
    const auto found = std::find_if(taken.begin(), taken.end(), is_free);
    const auto group = static_cast<std::size_t>(found - taken.begin());
    if (found == taken.end()) {
      taken.emplace_back(n);
      groups_.emplace_back();
    }
    for (const int i : rows) taken[group][static_cast<std::size_t>(i)] = true;
    groups_[group].push_back(j);
  }
}

LinearPart::LinearPart(std::string_view solver, LinearSolver wanted, const Offer& offer, N_Vector like,
                       SUNContext context)
    : pattern_(offer.pattern), n_(static_cast<std::size_t>(NV_LENGTH_S(like))) {
  kind_ = choose(wanted, offer, n_);
  require(kind_ != LinearSolver::sparse || !pattern_.empty(),
          "solver '{}' cannot use the sparse linear solver: the problem has no sparsity pattern; give "
          "`jacobian.pattern`, or choose the dense or Krylov one",
          solver);
  if (kind_ == LinearSolver::krylov) {
    constexpr int default_dimension = 0;
    solver_.reset(SUNLinSol_SPGMR(like, SUN_PREC_NONE, default_dimension, context));
    library_differences_ = !offer.times;
    if (!solver_) throw std::bad_alloc();
    return;
  }
  library_differences_ = !offer.dense && pattern_.empty();
  if (!pattern_.empty()) values_.resize(pattern_.count());
  if (!pattern_.empty() && !offer.sparse) differences_ = ColouredDifferences(pattern_);
  if (kind_ == LinearSolver::sparse) {
    make_sparse(like, context);
  } else {
    matrix_.reset(SUNDenseMatrix(static_cast<sunindextype>(n_), static_cast<sunindextype>(n_), context));
    if (matrix_) solver_.reset(SUNLinSol_Dense(like, matrix_.get(), context));
  }
  if (!matrix_ || !solver_) throw std::bad_alloc();
}

void LinearPart::make_sparse(N_Vector like, SUNContext context) {
  add_diagonal();
  const auto n = static_cast<sunindextype>(n_);
  matrix_.reset(SUNSparseMatrix(n, n, static_cast<sunindextype>(rows_.size()), CSC_MAT, context));
  if (matrix_) solver_.reset(SUNLinSol_KLU(like, matrix_.get(), context));
}

void LinearPart::add_diagonal() {
  starts_.assign(1, 0);
  for (std::size_t j = 0; j < n_; ++j) {
    bool placed = false;
    const auto put = [&](std::size_t i) { rows_.push_back(static_cast<sunindextype>(i)); };
    for (auto k = static_cast<std::size_t>(pattern_.starts[j]); k < static_cast<std::size_t>(pattern_.starts[j + 1]);
         ++k) {
      const auto i = static_cast<std::size_t>(pattern_.rows[k]);
      if (!placed && i > j) put(j);
      placed = placed || i >= j;
      places_.push_back(rows_.size());
      put(i);
    }
    if (!placed) put(j);
    starts_.push_back(static_cast<sunindextype>(rows_.size()));
  }
}

void LinearPart::store(SUNMatrix matrix) const {
  if (kind_ == LinearSolver::sparse) {
    // Writes everything, because SUNMatZero() also removes the structure of a sparse matrix.
    double* const data = SM_DATA_S(matrix);
    std::copy(starts_.begin(), starts_.end(), SM_INDEXPTRS_S(matrix));
    std::copy(rows_.begin(), rows_.end(), SM_INDEXVALS_S(matrix));
    std::fill(data, data + rows_.size(), 0.0);
    for (std::size_t k = 0; k < values_.size(); ++k) data[places_[k]] = values_[k];
    return;
  }
  double* const data = SM_DATA_D(matrix);
  std::fill(data, data + n_ * n_, 0.0);
  for (std::size_t j = 0; j < n_; ++j) {
    for (auto k = static_cast<std::size_t>(pattern_.starts[j]); k < static_cast<std::size_t>(pattern_.starts[j + 1]);
         ++k) {
      data[j * n_ + static_cast<std::size_t>(pattern_.rows[k])] = values_[k];
    }
  }
}

}  // namespace consort::solve
