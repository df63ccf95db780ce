// Makes outputs consistent with inputs at one point in time, without a step: u = c(g(x, u)).
//
// Used at initialization for all units, and at communication points for units that evaluate outputs without a step.
// Units are refreshed in the plan's order of evaluation; algebraic loops are solved one by one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "couple/gather.hpp"
#include "couple/run_state.hpp"
#include "fleet/fleet.hpp"
#include "graph/document.hpp"
#include "graph/plan.hpp"
#include "solve/nonlinear.hpp"

namespace consort::couple {

class Consistency {
 public:
  // `takes_part`: by unit; outputs of the other units are not refreshed. The plan must outlive this object. Declares
  // waves, so the fleet must not be connected yet.
  Consistency(const graph::Plan& plan, fleet::Fleet& fleet, const graph::LoopSettings& settings,
              std::vector<bool> takes_part);
  ~Consistency();
  Consistency(const Consistency&) = delete;
  Consistency& operator=(const Consistency&) = delete;

  // False if no participating unit has outputs that depend on its inputs; then there is nothing to do.
  [[nodiscard]] bool needed() const { return !order_.empty(); }

  // Sets a function that changes inputs after routing (scenarios). Call it before the first use.
  void set_overrides(std::function<void(RunState&)> overrides) { overrides_ = std::move(overrides); }

  // Adds the loops' statistics to state.loops. Throws Error (run) if a loop does not converge; the message names the
  // variables and shows the last residuals.
  void operator()(fleet::Fleet& fleet, RunState& state);

 private:
  class LoopSolver;
  void refresh(graph::UnitId unit, fleet::Fleet& fleet, RunState& state);

  std::vector<graph::Evaluation> order_;
  std::vector<Gather> gathers_;  // by unit
  std::vector<std::unique_ptr<LoopSolver>> solvers_;
  std::function<void(RunState&)> overrides_;
};

}  // namespace consort::couple
