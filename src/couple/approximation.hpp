// How inputs move within a step, as far as the past tells: polynomials through what was known at communication points.
//
// A table: a new approximation is one row with the function that finds its weights.
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
  int points = 1;  // of the past that it goes through, the beginning of the step included
  // Weights for the derivatives at `at` of what goes through these points, for any step sizes: at most `points` of
  // them, fewer at the beginning of a run and after events.
  void (*weights)(std::span<const Time> points, Time at, Weights& weights) = nullptr;
  // Of a step against two halves of it, for error estimates.
  ErrorRatio (*error_ratio)(const Nodes& coarse, const Nodes& first, const Nodes& second) = nullptr;

  // Of the polynomials: the highest derivative that inputs have.
  [[nodiscard]] int order() const { return points - 1; }
};

[[nodiscard]] std::span<const Approximation> approximations();
// By name, or by its order as a number: "1" is short for "poly-2". Throws Error (input) that lists those available.
[[nodiscard]] const Approximation& find_approximation(std::string_view name);

}  // namespace consort::couple
