// Newton's matrix in bordered form: [I - gamma A, -gamma B; C, D] of a Jacobian [A B; C D], factorised as a whole.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "solve/problem.hpp"

namespace consort::solve {

class BorderedLinear {
 public:
  // `bordered` must outlive this object. `n`: the number of components of y.
  BorderedLinear(const BorderedJacobian& bordered, std::size_t n);
  ~BorderedLinear();
  BorderedLinear(const BorderedLinear&) = delete;
  BorderedLinear& operator=(const BorderedLinear&) = delete;

  // False: the matrix is singular. `values` in the order of the pattern.
  bool factorise(const std::vector<double>& values, double gamma);
  // b becomes the upper part of the solution for the right-hand side (b, 0).
  void solve(Vector b) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace consort::solve
