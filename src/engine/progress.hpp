// Progress of a run, for callbacks.
#pragma once

#include "base/time.hpp"

namespace consort::engine {

struct Progress {
  Time start = 0, t = 0, stop = 0;
  Duration step = 0;
  double wall_seconds = 0;
  Time since = start;  // simulated time when the clock began: after the start if the run was resumed from a checkpoint
};

}  // namespace consort::engine
