// Approximations of inputs within a step: polynomials through values known at communication points.
//
// To add an approximation, add one row with its weight function to the table in approximations.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/time.hpp"
#include "couple/error_ratio.hpp"
#include "couple/history.hpp"

namespace consort::couple {

struct Approximation {
  std::string_view name;
  std::string_view description;
  int points = 1;       // number of interpolation points, including the beginning of the step
  int derivatives = 0;  // of the source that are interpolated at each point, besides its value
  // Computes weights for the derivatives at `at` of the polynomial through `points`, for any step sizes. A point is
  // listed once for its value and, directly behind, once for each derivative. Fewer than order() + 1 points are passed
  // at the beginning of a run and after events. If the end of the step is known, its value comes first and the last
  // datum is left out.
  void (*weights)(std::span<const Time> points, Time at, Weights& weights) = nullptr;
  // Of one step relative to two half steps, for error estimates.
  ErrorRatio (*error_ratio)(const Nodes& coarse, const Nodes& first, const Nodes& second) = nullptr;

  // Number of data per point: value and derivatives.
  [[nodiscard]] int each() const { return 1 + derivatives; }
  // Degree of the polynomials: the highest derivative of inputs, at most fleet::highest_order.
  [[nodiscard]] int order() const { return points * each() - 1; }
};

[[nodiscard]] std::span<const Approximation> approximations();
// By name, or by order as a number: "1" means "poly-2". Throws Error (input) that lists the available ones.
[[nodiscard]] const Approximation& find_approximation(std::string_view name);

}  // namespace consort::couple
