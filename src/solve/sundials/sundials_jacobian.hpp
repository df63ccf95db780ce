// The linear part of an implicit method of SUNDIALS: choice of matrix and linear solver, and transfer of the problem's
// Jacobian into the matrix.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "solve/problem.hpp"
#include "solve/solver.hpp"
#include "solve/sundials/sundials_support.hpp"

namespace consort::solve {

// Perturbs columns without common rows together: one evaluation per colour instead of one per column.
class ColouredDifferences {
 public:
  ColouredDifferences() = default;
  explicit ColouredDifferences(const Pattern& pattern);

  [[nodiscard]] std::size_t colours() const { return groups_.size(); }
  // values[k] = ΔF(row k) / step(column of k). `perturb(columns)` evaluates into `changed` with all these columns moved
  // by their steps. It returns false if a value is not finite, and then this function does, too.
  template <class Perturb>
  bool evaluate(const Pattern& pattern, ConstVector base, ConstVector changed, ConstVector steps, Vector values,
                Perturb&& perturb) const {
    for (const auto& group : groups_) {
      if (!perturb(std::span<const std::size_t>(group))) return false;
      for (const auto j : group) {
        for (auto k = static_cast<std::size_t>(pattern.starts[j]); k < static_cast<std::size_t>(pattern.starts[j + 1]);
             ++k) {
          const auto i = static_cast<std::size_t>(pattern.rows[k]);
          values[k] = (changed[i] - base[i]) / steps[j];
        }
      }
    }
    return true;
  }

 private:
  std::vector<std::vector<std::size_t>> groups_;
};

class LinearPart {
 public:
  // The forms of the Jacobian that the problem provides.
  struct Offer {
    const Pattern& pattern;
    bool dense = false;
    bool sparse = false;
    bool times = false;
  };
  // Throws Error (input) if a sparse solver is requested without a pattern.
  LinearPart(std::string_view solver, LinearSolver wanted, const Offer& offer, N_Vector like, SUNContext context);

  [[nodiscard]] SUNLinearSolver solver() const { return solver_.get(); }
  [[nodiscard]] SUNMatrix matrix() const { return matrix_.get(); }  // null for Krylov
  [[nodiscard]] LinearSolver kind() const { return kind_; }
  // True if the library's own differences are used: for a full matrix without Jacobian and pattern, or for products
  // that the problem does not provide.
  [[nodiscard]] bool library_differences() const { return library_differences_; }
  [[nodiscard]] const ColouredDifferences& differences() const { return differences_; }
  // One value per entry of the pattern. Fill them before store().
  [[nodiscard]] Vector values() { return values_; }
  // Writes the values into a matrix of the kind of matrix(), dense or sparse.
  void store(SUNMatrix matrix) const;

 private:
  void make_sparse(N_Vector like, SUNContext context);
  void add_diagonal();

  const Pattern& pattern_;
  LinearSolver kind_ = LinearSolver::dense;
  bool library_differences_ = false;
  std::size_t n_ = 0;
  ColouredDifferences differences_;
  std::vector<double> values_;
  // The pattern with its diagonal in the library's index type, and the positions of the pattern's entries in it. Newton
  // matrices need the diagonal, and SUNDIALS would allocate a missing one.
  std::vector<sunindextype> starts_;
  std::vector<sunindextype> rows_;
  std::vector<std::size_t> places_;
  Matrix matrix_;
  LinearSolverHandle solver_;
};

}  // namespace consort::solve
