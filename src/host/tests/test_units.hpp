// Units by name, so that tests can have the same ones in their own process and in workers.
//
//   "toy SEED INDEX WORK"   unit INDEX of ToySystem::random(SEED, …, WORK)
//   "count BEHAVIOUR"       counts its steps in y; plain, "ends 3" (wants the run to end in the middle of its third
//                           step), "fails 3" (every third step throws), bad_alloc, early (stops at a quarter of every
//                           odd step), discards (every fifth step, where it is longer than 8 ms)
//   "linear SEED"           a LinearUnit of random matrices, with derivatives; inputs of order 3
//   "types"                 inputs and outputs of every type
//   "event"                 has event mode, discrete inputs, arrays, events of its own, and derivatives of its output
//   "ball"                  a bouncing ball with a solver: events inside of its steps, and event verbs
//   "bad HOW N"             does something bad in its N-th step: exits, aborts, crashes, raises, sleeps, prints,
//   closes,
//                           throws
//                           (something that is no exception of the standard library)
//   "talks"                 says a line and traces a call in every step
//   "large BYTES"           a text and a state of so many bytes
//   "refuses"               cannot be made
#pragma once

#include <memory>

#include "fleet/spec.hpp"
#include "host/process/unit_server.hpp"

namespace consort::host {

// Throws Error (input) for names that it does not know.
[[nodiscard]] std::unique_ptr<unit::Unit> make_test_unit(const fleet::UnitSpec& spec, const Voice& voice = {});

}  // namespace consort::host
