// Units by name, so that tests can make the same units in their own process and in workers.
//
//   "toy SEED INDEX WORK"   unit INDEX of ToySystem::random(SEED, …, WORK)
//   "count BEHAVIOUR"       counts its steps in y; plain, "ends 3" (requests to end the run in the middle of its third
//                           step), "fails 3" (every third step throws), bad_alloc, early (stops at a quarter of every
//                           odd step), discards (every fifth step, if it is longer than 8 ms)
//   "linear SEED"           a LinearUnit of random matrices, with derivatives; inputs of order 3
//   "types"                 inputs and outputs of every type
//   "event"                 has event mode, discrete inputs, arrays, its own events, and output derivatives
//   "ball"                  a bouncing ball with a solver: events inside its steps, and unit::Events
//   "group"                 two native models under one solver
//   "bad HOW N"             misbehaves in its N-th step: exits, aborts, crashes, raises, sleeps, prints, closes,
//                           throws (not a std::exception)
//   "talks"                 logs a line and traces a call in every step
//   "large BYTES"           has a text and a state of that many bytes
//   "refuses"               cannot be made
#pragma once

#include <memory>

#include "fleet/spec.hpp"
#include "host/process/unit_server.hpp"

namespace consort::host {

// Throws Error (input) for unknown names.
[[nodiscard]] std::unique_ptr<unit::Unit> make_test_unit(const fleet::UnitSpec& spec, const Voice& voice = {});

}  // namespace consort::host
