#include <algorithm>
#include <array>
#include <string>

#include "base/registry.hpp"
#include "couple/approximation.hpp"

namespace consort::couple {

namespace {

constexpr auto approximation_rows = std::to_array<Approximation>({
    {"poly-1", "held at the value at the beginning of the step (order 0)", 1, 0, derivative_weights, error_ratio},
    {"poly-2", "a line through the last two points (order 1)", 2, 0, derivative_weights, error_ratio},
    {"poly-3", "a parabola through the last three points (order 2)", 3, 0, derivative_weights, error_ratio},
    {"poly-4", "a cubic through the last four points (order 3)", 4, 0, derivative_weights, error_ratio},
    {"poly-5", "degree 4 through the last five points (order 4)", 5, 0, derivative_weights, error_ratio},
    {"poly-6", "degree 5 through the last six points (order 5)", 6, 0, derivative_weights, error_ratio},
    {"hermite-1", "a line with the slope at the beginning (order 1)", 1, 1, hermite_weights, error_ratio},
    {"hermite-2", "a cubic through the last two values and slopes (order 3)", 2, 1, hermite_weights, error_ratio},
    {"hermite-3", "degree 5 through the last three values and slopes (order 5)", 3, 1, hermite_weights, error_ratio},
});

}  // namespace

std::span<const Approximation> approximations() { return approximation_rows; }

const Approximation& find_approximation(std::string_view name) {
  const bool is_order = name.size() == 1 && name[0] >= '0' && name[0] <= '9';
  const std::string full = is_order ? "poly-" + std::to_string(name[0] - '0' + 1) : std::string(name);
  return find_row(approximation_rows, full, "extrapolation", "", "extrapolation");
}

}  // namespace consort::couple
