// The size of the next step, from the error of the last ones.
#pragma once

#include "base/time.hpp"
#include "couple/run_state.hpp"
#include "graph/run_settings.hpp"

namespace consort::step {

// Limits and rules, checked and complete.
struct StepSizeRules {
  Duration initial = 1e-3;
  Duration minimum = 0;
  Duration maximum = 1;
  double safety = 0.9;
  double shrink = 0.2;
  double grow = 5;
  bool pi = false;
};
// Throws Error (input) for what makes no sense.
[[nodiscard]] StepSizeRules step_size_rules(const graph::StepControl& control, const Grid& grid);
// The tolerances that were asked for, or that of the run; throws Error (input) when they are not positive.
struct Tolerances {
  double relative = 1e-4;
  double absolute = 1e-4;
};
[[nodiscard]] Tolerances tolerances(const graph::StepControl& control, double of_run);

// What a step is multiplied with after an error (relative to the tolerance) of a method whose local error has this
// order. `previous`: the error of the accepted step before; 0: none.
[[nodiscard]] double step_factor(const StepSizeRules& rules, double error, double previous, int local_order);

// A step to try, and what decided on its size.
struct Attempt {
  Duration wanted = 0;
  Duration step = 0;
  Time end = 0;
  bool cut = false;         // shorter than wanted, to land on the limit
  bool at_maximum = false;  // longer is not allowed
};
// From t, with control.next as the step of choice (the initial one where there is none yet).
[[nodiscard]] Attempt next_attempt(const StepSizeRules& rules, couple::ControlState& control, Time t, Time limit);
// An accepted step: its error, and what decided on its size.
void count_accepted(couple::ControlState& control, const Attempt& attempt, Time t, double error);

// The part of the way to `limit` that is taken when `wanted` is the step of choice: all of it when that is not much
// more, half of it when the rest would be a small step otherwise.
[[nodiscard]] Duration fit_step(Duration wanted, Duration to_limit);

}  // namespace consort::step
