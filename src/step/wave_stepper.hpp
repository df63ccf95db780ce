// Jacobi, Gauss–Seidel and mixtures: units step in waves. Inputs are extrapolated from the past, or interpolated if
// their source has already stepped.
#pragma once

#include <memory>

#include "step/schedule.hpp"
#include "step/stepper.hpp"

namespace consort::step {

[[nodiscard]] std::unique_ptr<Stepper> make_jacobi(const StepperSetup& setup);
[[nodiscard]] std::unique_ptr<Stepper> make_gauss_seidel(const StepperSetup& setup);
[[nodiscard]] std::unique_ptr<Stepper> make_scheduled(const StepperSetup& setup);

}  // namespace consort::step
