#include "solve/solver.hpp"

#include <cmath>

#include "base/error.hpp"

namespace consort::solve {

std::vector<double> absolute_tolerances(const SolverOptions& options, const Components& components, std::size_t n) {
  std::vector<double> result(n);
  if (!options.atol.empty()) {
    require(options.atol.size() == 1 || options.atol.size() == n,
            "there are {} absolute tolerances for {} components; give one each, or one for all", options.atol.size(),
            n);
    for (std::size_t i = 0; i < n; ++i) result[i] = options.atol[options.atol.size() == 1 ? 0 : i];
  } else if (!components.absolute_tolerances.empty()) {
    result = components.absolute_tolerances;
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      result[i] = options.rtol / 100 * (components.nominals.empty() ? 1 : std::abs(components.nominals[i]));
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    require(std::isfinite(result[i]) && result[i] > 0,
            "the absolute tolerance of {} is {}; it must be positive (a nominal of zero makes it zero)",
            component_text(components, i), result[i]);
  }
  return result;
}

void check(const SolverOptions& options, std::string_view solver, const Capabilities& capabilities) {
  require(std::isfinite(options.rtol) && options.rtol > 0 && options.rtol < 1,
          "the relative tolerance is {}; choose one between 0 and 1, for example 1e-6", options.rtol);
  require(std::isfinite(options.initial_step) && options.initial_step >= 0,
          "the initial step is {} s; it must be positive, or 0 to let the solver choose", options.initial_step);
  require(capabilities.adaptive || options.initial_step > 0,
          "solver '{}' takes steps of fixed size; give the step (initial_step > 0), or choose a solver with step size "
          "control",
          solver);
  require(options.min_step >= 0 && options.max_step > 0 && options.min_step <= options.max_step,
          "the smallest step is {} s and the largest {} s; the smallest must not be negative or exceed the largest",
          options.min_step, options.max_step);
  require(options.initial_step == 0 ||
              (options.initial_step >= options.min_step && options.initial_step <= options.max_step),
          "the initial step of {} s is outside of the smallest and largest step, {} s and {} s; change one of them",
          options.initial_step, options.min_step, options.max_step);
  require(options.max_order >= 0, "the highest order is {}; it must be positive, or 0 for the solver's own",
          options.max_order);
  require(
      options.max_order == 0 || options.max_order >= capabilities.min_order,
      "solver '{}' has at least order {}, but at most {} is requested; choose another solver or leave the order out",
      solver, capabilities.min_order, options.max_order);
}

}  // namespace consort::solve
