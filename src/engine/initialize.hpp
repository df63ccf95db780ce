// Initializes all units of a system with consistent values at the start time.
#pragma once

#include <string>
#include <vector>

#include "couple/consistency.hpp"
#include "couple/point.hpp"
#include "couple/run_state.hpp"
#include "engine/own_inputs.hpp"
#include "fleet/fleet.hpp"
#include "graph/document.hpp"
#include "graph/plan.hpp"

namespace consort::engine {

// Created before the fleet is connected, used once afterwards.
class Initialization {
 public:
  // All arguments must outlive this object. `sets_before`: inputs are also set before units enter initialization mode,
  // for units that already compute there. `own`: those of a unit that runs alone.
  Initialization(const graph::Plan& plan, const graph::LoopSettings& loops, fleet::Fleet& fleet,
                 const couple::Point& point, bool sets_before = false, OwnInputs own = {});

  // Units must be fresh and `state` newly created. Afterwards all units are in step mode, the signals have consistent
  // values, and loops are solved. FMI 1.0 units have no initialization mode: they are initialised one after another
  // with the values known at that time; assumptions about these values are added to `assumed`. Warnings are about start
  // values that units do not take.
  void operator()(couple::RunState& state, const unit::Experiment& experiment, std::vector<std::string>& assumed,
                  std::vector<std::string>& warnings);

 private:
  class Run;

  const graph::Plan& plan_;
  fleet::Fleet& fleet_;
  const couple::Point& point_;
  bool sets_before_;
  OwnInputs own_;
  std::vector<graph::UnitId> modern_, old_;    // with and without initialization mode
  std::vector<graph::UnitId> sources_, ends_;  // modern units that drive other units, and the remaining ones
  couple::Consistency consistency_;
};

// Sets external signals to the start values of the inputs that they drive, so that a value set for such an input is
// kept until a table or a caller changes it. `state` must be newly created.
void seed_externals(const graph::Plan& plan, couple::RunState& state);

}  // namespace consort::engine
