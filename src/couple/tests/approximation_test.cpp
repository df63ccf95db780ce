#include "couple/approximation.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace consort::couple {
namespace {

// A row of the table goes through polynomials of its order exactly, for any step sizes.
TEST(Approximations, AreExactForPolynomialsOfTheirOrder) {
  const std::vector<Time> all{1.0, 0.9, 0.75, 0.7, 0.4, 0.1};
  for (const auto& row : approximations()) {
    const auto points = std::span(all).first(static_cast<std::size_t>(row.points));
    Weights w{};
    row.weights(points, points[0], w);
    const int n = row.order();
    for (const Duration h : {0.05, 0.2}) {
      double value = 0;
      double term = 1;
      for (int m = 0; m <= n; ++m) {
        double derivative = 0;
        for (std::size_t k = 0; k < points.size(); ++k)
          derivative += w[static_cast<std::size_t>(m)][k] * std::pow(points[k], n);
        value += derivative * term;
        term *= h / (m + 1);
      }
      EXPECT_NEAR(value, std::pow(1.0 + h, n), 1e-9) << row.name;  // rounding grows with the weights
    }
  }
}

TEST(Approximations, AreFoundByNameAndByOrder) {
  EXPECT_EQ(find_approximation("poly-3").order(), 2);
  EXPECT_EQ(find_approximation("2").name, "poly-3");
  EXPECT_EQ(find_approximation("0").points, 1);
  for (const char* const name : {"6", "poly-0", "poly-7", "", "line"})
    EXPECT_THROW(static_cast<void>(find_approximation(name)), Error);
}

}  // namespace
}  // namespace consort::couple
