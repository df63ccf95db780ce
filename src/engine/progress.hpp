// How far a run has come, for whoever watches it.
#pragma once

#include "base/time.hpp"

namespace consort::engine {

struct Progress {
  Time start = 0, t = 0, stop = 0;
  Duration step = 0;
  double wall_seconds = 0;
  Time since = start;  // where it was when the clock began: later than the start after a checkpoint
};

}  // namespace consort::engine
