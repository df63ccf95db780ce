// Everything that the coupling remembers, in one object that can be copied: rollback and checkpoints cannot miss a
// part.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "couple/accelerator.hpp"
#include "couple/history.hpp"
#include "graph/plan.hpp"
#include "unit/fleet.hpp"

namespace consort::couple {

struct RunState {
  Time t = 0;
  std::uint64_t steps = 0;
  unit::Signals signals;
  Columns previous;                           // outputs at the beginning of the step, where a stepper needs them
  History history;                            // of the inputs' Float64 column
  Columns overrides;                          // values that a scenario puts in place of connections
  std::vector<AccelerationMemory> iteration;  // what an iterating stepper has learned, per component
  bool stopped = false;                       // a unit asked to end the run
};

[[nodiscard]] RunState make_run_state(const graph::Plan& plan);

}  // namespace consort::couple
