// Solves systems of equations in fixed-point form, x = g(x), as they occur in coupling.
//
// The methods are rows of a table and are selected by name. They do not throw if they fail to converge: the outcome
// contains the progress and the residuals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace consort::solve {

struct FixedPoint {
  std::size_t size = 0;
  // image = g(x).
  std::function<void(std::span<const double> x, std::span<double> image)> g;
  // ∂g/∂x at x, column after column. If it is empty or returns false, differences are used.
  std::function<bool(std::span<const double> x, std::span<double> jacobian)> jacobian{};
};

struct NonlinearOptions {
  double tolerance = 1e-8;  // of |g(x) - x| in every component, relative to max(1, |x|)
  int iterations = 100;
};

struct NonlinearOutcome {
  bool converged = false;
  int iterations = 0;
  std::uint64_t evaluations = 0;
  std::vector<double> residuals;  // g(x) - x at the end
  double largest = 0;             // the largest residual, relative as in the options
};

struct NonlinearMethod {
  std::string_view name;
  std::string_view description;
  NonlinearOutcome (*solve)(const FixedPoint&, const NonlinearOptions&, std::span<double> x) = nullptr;
};

[[nodiscard]] std::span<const NonlinearMethod> nonlinear_methods();
// Throws Error (input) with the available names if the name is unknown.
[[nodiscard]] const NonlinearMethod& find_nonlinear_method(std::string_view name);

// The Jacobian at x by differences; `image` is g(x).
void difference_jacobian(const FixedPoint& problem, std::span<const double> x, std::span<const double> image,
                         std::span<double> jacobian, std::uint64_t& evaluations);
// Fills residuals and largest. True if all residuals are within the tolerance; false if one is not finite.
bool judge(std::span<const double> x, std::span<const double> image, double tolerance, NonlinearOutcome& outcome);

NonlinearOutcome solve_with_kinsol(const FixedPoint& problem, const NonlinearOptions& options, std::span<double> x);

}  // namespace consort::solve
