// Implicit coupling: the step is repeated from saved states until the inputs that it was done with are those that its
// outputs give.
//
// Unknowns are the values U of continuous Float64 inputs at the end of the step; everything else is held. With order
// 0 the inputs are U throughout the step, as in the implicit Euler method; with order k they follow the polynomial of
// degree k through U and the past, as in the trapezoidal rule and its relatives. A unit that takes no derivatives gets
// the constant of the same mean. Units that do not depend on each other in a circle are stepped once, in order, with
// the new values of those before them.
#pragma once

#include <memory>

#include "step/stepper.hpp"

namespace consort::step {

// Throws Error (input): a unit that has to be repeated cannot save its state; settings out of range.
[[nodiscard]] std::unique_ptr<Stepper> make_iterated(const StepperSetup& setup);

}  // namespace consort::step
