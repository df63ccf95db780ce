// A step of the coupling: from where to where, and what inputs know when it begins.
#pragma once

#include <cstdint>

#include "base/time.hpp"

namespace consort::couple {

enum class Past : std::uint8_t {
  usual,   // outputs as they are at its beginning, and what was known before as far as the approximation needs it
  kept,    // the same, and it is kept for a step with `alone`, whatever the approximation
  alone,   // what was known before: inputs go on as in the step before, as if nothing new had been seen since
  coarse,  // as usual, with what was known at the ends of accepted steps alone
};

struct Interval {
  Time t = 0;
  Duration h = 0;
  Time end = 0;  // t + h as it is counted, not added up
  bool may_roll_back = false;
  Past past = Past::usual;
  bool stop_at_event = false;  // an event inside ends the step there, see unit::StepRequest
  bool may_discard = false;    // whether the caller takes back a step that does not converge
};

}  // namespace consort::couple
