// Linear algebra of implicit methods: the Jacobian of an Ode in any form that the problem provides, and the factorised
// M = I - gamma * J.
//
// The values of a Jacobian are a plain vector (dense: column after column; sparse: in the order of the pattern), so
// that they can be part of a solver's state. The factorisation is not part of it: it is recomputed from the values,
// with the same bits.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "solve/problem.hpp"
#include "solve/solver.hpp"

namespace consort::solve {

class OdeLinear {
 public:
  // Throws Error (input) if a sparse solver is requested and there is no pattern.
  OdeLinear(const Ode& ode, LinearSolver choice);
  ~OdeLinear();
  OdeLinear(const OdeLinear&) = delete;
  OdeLinear& operator=(const OdeLinear&) = delete;

  [[nodiscard]] std::size_t value_count() const;

  struct Place {
    Time t;
    ConstVector y;
    ConstVector f;        // f(t, y)
    ConstVector weights;  // the error tolerance of each component
    Duration h;           // of the step
    const Switches& switches;
  };
  // Evaluates f(t, y) into dy; false: a value is not finite.
  using Evaluate = std::function<bool(Time, ConstVector, Vector)>;
  // False: a value is not finite.
  bool jacobian(const Place& place, const Evaluate& evaluate, std::vector<double>& values);
  // False: M is singular.
  bool factorise(const std::vector<double>& values, double gamma);
  // b becomes M^-1 b.
  void solve(Vector b) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace consort::solve
