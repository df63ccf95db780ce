// Dense output of one-step methods: the cubic through the states and derivatives at both ends of a step.
#pragma once

#include <cstddef>

#include "base/time.hpp"
#include "solve/problem.hpp"

namespace consort::solve {

struct HermiteStep {
  Time from;
  Time to;
  ConstVector y0;
  ConstVector y1;
  ConstVector f0;
  ConstVector f1;

  void value(Time t, Vector y) const {
    const Duration h = to - from;
    const double s = h > 0 ? (t - from) / h : 1;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double rise = y1[i] - y0[i];
      y[i] = (1 - s) * y0[i] + s * y1[i] + s * (s - 1) * ((1 - 2 * s) * rise + (s - 1) * h * f0[i] + s * h * f1[i]);
    }
  }

  void derivative(Time t, Vector ydot) const {
    const Duration h = to - from;
    const double s = h > 0 ? (t - from) / h : 1;
    for (std::size_t i = 0; i < ydot.size(); ++i) {
      const double slope = h > 0 ? (y1[i] - y0[i]) / h : 0;
      ydot[i] = 6 * s * (1 - s) * slope + (1 - s) * (1 - 3 * s) * f0[i] + s * (3 * s - 2) * f1[i];
    }
  }
};

}  // namespace consort::solve
