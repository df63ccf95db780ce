// Brings all units of a system to the start time with values that fit each other.
#pragma once

#include <string>
#include <vector>

#include "couple/consistency.hpp"
#include "couple/point.hpp"
#include "couple/run_state.hpp"
#include "fleet/fleet.hpp"
#include "graph/plan.hpp"
#include "graph/run_settings.hpp"

namespace consort::engine {

// Made before the fleet is connected, used once after.
class Initialization {
 public:
  // All must outlive it. `sets_before`: what tables drive is set before units enter initialization mode, too, for those
  // that compute already then.
  Initialization(const graph::Plan& plan, const graph::LoopSettings& loops, fleet::Fleet& fleet,
                 const couple::Point& point, bool sets_before = false);

  // Units are fresh, `state` newly made. Afterwards all are in step mode and the signals hold consistent values, loops
  // solved. FMI 1.0 units have no initialization mode: they are initialised one after another with the values that are
  // known then; what had to be assumed for that is added to `assumed`.
  void operator()(couple::RunState& state, const unit::Experiment& experiment, std::vector<std::string>& assumed);

 private:
  class Run;

  const graph::Plan& plan_;
  fleet::Fleet& fleet_;
  const couple::Point& point_;
  bool sets_before_;
  std::vector<graph::UnitId> modern_, old_;    // with initialization mode, and without
  std::vector<graph::UnitId> sources_, ends_;  // of the modern ones: those that drive others, and the rest
  couple::Consistency consistency_;
};

// What drives the system's own inputs begins with the start value of what it drives, so that a value set for such an
// input lasts until a table or a caller says otherwise. `state` is newly made.
void seed_externals(const graph::Plan& plan, couple::RunState& state);

}  // namespace consort::engine
