// How inputs move within a step, as far as the past tells: polynomials through what was known at communication points.
//
// A table in approximations.cpp: a new approximation is one row with the function that finds its weights.
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
  int points = 1;       // of the past that it goes through, the beginning of the step included
  int derivatives = 0;  // of the source that it goes through at each of them, beside its value
  // Weights for the derivatives at `at` of what goes through these points, for any step sizes: each of them once for
  // its value and, right behind, once for each derivative. Fewer than order() + 1 at the beginning of a run and after
  // events; where the end of the step is known, its value comes first and the last datum is left out.
  void (*weights)(std::span<const Time> points, Time at, Weights& weights) = nullptr;
  // Of a step against two halves of it, for error estimates.
  ErrorRatio (*error_ratio)(const Nodes& coarse, const Nodes& first, const Nodes& second) = nullptr;

  // What it goes through at a point.
  [[nodiscard]] int each() const { return 1 + derivatives; }
  // Of the polynomials: the highest derivative that inputs have, at most fleet::highest_order.
  [[nodiscard]] int order() const { return points * each() - 1; }
};

[[nodiscard]] std::span<const Approximation> approximations();
// By name, or by its order as a number: "1" is short for "poly-2". Throws Error (input) that lists those available.
[[nodiscard]] const Approximation& find_approximation(std::string_view name);

}  // namespace consort::couple
