// Checks whether values of a Dae satisfy its equations, independent of the scaling of the equations.
#pragma once

#include <functional>
#include <string>

#include "solve/problem.hpp"

namespace consort::solve {

struct DaeValues {
  ConstVector y;
  ConstVector ydot;
  ConstVector atol;
  double rtol = 0;
};

using Residual = std::function<void(ConstVector y, ConstVector ydot, Vector r)>;

// Empty, or the largest residuals as text: "residual 0 ('x') is 0.12, at most 1e-6 is allowed, …". A residual is too
// large if moving every y and ẏ by its tolerance could not have caused it. Takes 2n + 1 evaluations in case of doubt.
[[nodiscard]] std::string inconsistency(const Dae& dae, const DaeValues& values, const Residual& residual);

}  // namespace consort::solve
