// Implicit coupling: repeats the step from saved states until the inputs used agree with the outputs at its end.
//
// Unknowns are the values U of continuous Float64 inputs at the end of the step; all other inputs are held. With order
// 0 the inputs are U throughout the step, as in the implicit Euler method. With order k they follow the polynomial of
// degree k through U and the past, as in the trapezoidal rule and its relatives. A unit that accepts no input
// derivatives gets the constant with the same mean. Units that are not part of a cycle are stepped once, in order, with
// new values of their sources.
#pragma once

#include <memory>

#include "step/stepper.hpp"

namespace consort::step {

// Throws Error (input) if a unit in a cycle cannot save its state, or if a setting is out of range.
[[nodiscard]] std::unique_ptr<Stepper> make_iterated(const StepperSetup& setup);

}  // namespace consort::step
