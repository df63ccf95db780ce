// The size of the next step, from the errors of the last steps.
#pragma once

#include <string>
#include <string_view>

#include "base/time.hpp"
#include "couple/run_state.hpp"
#include "graph/document.hpp"

namespace consort::step {

// Limits and rules, checked and with defaults.
struct StepSizeRules {
  Duration initial = 1e-3;
  Duration minimum = 0;
  Duration maximum = 1;
  double safety = 0.9;
  double shrink = 0.2;
  double grow = 5;
  bool pi = false;
};
// Without a given maximum, steps are at most this multiple of the communication step, so that a change that no estimate
// shows (before anything moves, or inside of a unit) is not passed in one step.
inline constexpr double most_growth = 100;
// Throws Error (input) for invalid settings.
[[nodiscard]] StepSizeRules step_size_rules(const graph::StepControl& control, const Grid& grid);
// A line for the report on a maximum that the user did not choose: "… 100 times the communication step …".
[[nodiscard]] std::string note_on_maximum(const StepSizeRules& rules, double multiple, std::string_view basis);
// The tolerances of the settings, or that of the run; throws Error (input) if they are not positive.
struct Tolerances {
  double relative = 1e-4;
  double absolute = 1e-4;
};
[[nodiscard]] Tolerances tolerances(const graph::StepControl& control, double of_run);

// What a step is multiplied with after an error (relative to the tolerance) of a method whose local error has this
// order. `previous`: the error of the accepted step before; 0: none.
[[nodiscard]] double step_factor(const StepSizeRules& rules, double error, double previous, int local_order);

// A step to try, and what limits its size.
struct Attempt {
  Duration wanted = 0;
  Duration step = 0;
  Time end = 0;
  bool cut = false;         // shortened to end at the limit
  bool at_maximum = false;  // a longer step is not allowed
};
// The next step from t: control.next, or the initial size if it is not set yet.
[[nodiscard]] Attempt next_attempt(const StepSizeRules& rules, couple::ControlState& control, Time t, Time limit);
// Counts an accepted step, its error, and what limited its size.
void count_accepted(couple::ControlState& control, const Attempt& attempt, Time t, double error);

// The step to take towards `limit` if `wanted` is preferred: the whole distance if it is not much longer, half of it if
// a small step would remain otherwise.
[[nodiscard]] Duration fit_step(Duration wanted, Duration to_limit);

}  // namespace consort::step
