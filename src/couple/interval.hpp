// A step of the coupling: its interval, and the data that inputs use when it begins.
#pragma once

#include <cstdint>

#include "base/time.hpp"

namespace consort::couple {

enum class Past : std::uint8_t {
  usual,   // present outputs, and the past as far as the approximation needs it
  kept,    // the same; in addition, inputs are kept for a later step with `alone`, for any approximation
  alone,   // the past only: inputs continue as in the step before, without newer data
  coarse,  // as usual, but the past contains only ends of accepted steps
};

struct Interval {
  Time t = 0;
  Duration h = 0;
  Time end = 0;  // t + h, without the rounding error of the sum
  bool may_roll_back = false;
  Past past = Past::usual;
  bool stop_at_event = false;  // an event inside ends the step, see unit::StepRequest
  bool may_discard = false;    // true if the caller rolls back a step that does not converge
  // True if the caller rolls back a step that a unit discards: all units that the stepper lets discard steps, to
  // interval.t.
  bool units_may_discard = false;
};

}  // namespace consort::couple
