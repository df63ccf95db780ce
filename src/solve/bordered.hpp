// ∂f/∂y from the bordered form of a Jacobian, for methods that need it: A - B D⁻¹ C of the matrix [A B; C D].
#pragma once

#include <cstddef>
#include <memory>

#include "solve/problem.hpp"

namespace consort::solve {

class Elimination {
 public:
  // `bordered` must outlive this object. `n`: the number of components of y.
  Elimination(const BorderedJacobian& bordered, std::size_t n);
  ~Elimination();
  Elimination(const Elimination&) = delete;
  Elimination& operator=(const Elimination&) = delete;

  // The entries of ∂f/∂y that may be nonzero.
  [[nodiscard]] const Pattern& pattern() const;
  // In the order of pattern(). The values are not finite if D is singular.
  void operator()(ConstVector bordered_values, Vector values);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace consort::solve
