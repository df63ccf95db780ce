// The coefficients of one step of a BDF with fixed leading coefficient, for any sequence of step sizes.
//
// Jackson and Sacks-Davis 1980, in the notation of Byrne and Hindmarsh: with xi_i = (t_n - t_{n-i}) / h, the correction
// of a step adds `correction * L(x)` to the predicted polynomial, x = (t - t_n) / h, where
//   L(x) = (1 + x / xi*) * product over i < q of (1 + x / xi_i),
// and xi* is chosen so that L'(0) = 1 + 1/2 + … + 1/q for any step sizes: the leading coefficient is fixed.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "base/time.hpp"

namespace consort::solve {

inline constexpr int bdf_max_order = 5;

// past[i] is the step size i steps ago, past[0] the last one.
using StepHistory = std::array<Duration, bdf_max_order + 2>;
using Polynomial = std::array<double, bdf_max_order + 2>;  // ascending powers of x

struct BdfCoefficients {
  Polynomial l{};
  double leading = 1;      // L'(0); gamma = h / leading
  double error = 0;        // local error = error * |correction|
  double error_lower = 0;  // at order q - 1: error_lower * |h^q y^(q) / q!|, the last column of the array
  double error_upper = 0;  // at order q + 1: error_upper * |difference of scaled corrections|
  double scale = 0;        // scales corrections, to compare two steps
};

// For a step of order q and size h that starts now. `past` must hold q steps; q - 1 are enough if `error_upper` is not
// used.
inline BdfCoefficients bdf_coefficients(int q, Duration h, const StepHistory& past) {
  BdfCoefficients result;
  auto& l = result.l;
  l[0] = 1;
  double harmonic = 0;  // 1 + 1/2 + … + 1/q
  for (int j = 1; j <= q; ++j) harmonic += 1.0 / j;

  Duration back = h;  // t_n - t_{n-i}
  double inverse_sum = 0;
  double inverse = 1;
  const auto multiply = [&l](double factor) {
    for (std::size_t i = l.size() - 1; i > 0; --i) l[i] += l[i - 1] * factor;
  };
  for (int i = 1; i < q; ++i) {
    inverse = h / back;
    inverse_sum += inverse;
    multiply(inverse);
    back += past[static_cast<std::size_t>(i - 1)];
  }
  const double star = harmonic - inverse_sum;
  multiply(star);
  inverse = h / back;  // 1 / xi_q
  result.leading = harmonic;

  const double order = q;
  const double last = l[static_cast<std::size_t>(q)];
  const double inverse_all = inverse_sum + inverse;
  const double a1 = 1 + inverse_all - harmonic;
  const double a2 = 1 + order * a1;
  result.error = std::abs(a1 / (harmonic * a2));
  result.scale = std::abs(a2 * star / (last * inverse));
  if (q > 1) {
    const double lower = harmonic - 1 / order;
    result.error_lower = std::abs(star / last * (1 + inverse_sum - lower) / lower);
  } else {
    result.error_lower = 1;
  }
  back += past[static_cast<std::size_t>(q - 1)];
  const double inverse_next = h / back;
  const double upper = harmonic + 1 / (order + 1);
  result.error_upper = std::abs((1 + inverse_all + inverse_next - upper) / a2 / (inverse_next * (order + 2) * upper));
  return result;
}

// x^2 * product over i = 1 … k of (x + xi_i), with the xi relative to the end of the last step. An order change adds a
// multiple of it.
inline Polynomial order_change_polynomial(int k, Duration h, const StepHistory& past) {
  Polynomial result{};
  result[2] = 1;
  Duration back = 0;
  for (int i = 1; i <= k; ++i) {
    back += past[static_cast<std::size_t>(i - 1)];
    const double xi = back / h;
    for (std::size_t j = result.size() - 1; j > 2; --j) result[j] = result[j] * xi + result[j - 1];
    result[2] *= xi;
  }
  return result;
}

// The new last column when the order is raised after a step of order q, as a multiple of the step's correction.
inline double raised_column(int q, Duration h, const StepHistory& past) {
  double harmonic = 0;
  double inverse_sum = 0;
  double product = 1;
  Duration back = 0;
  for (int i = 1; i <= q; ++i) {
    back += past[static_cast<std::size_t>(i - 1)];
    harmonic += 1.0 / i;
    inverse_sum += h / back;
    product *= back / h;
  }
  return (harmonic - inverse_sum) / product;
}

}  // namespace consort::solve
