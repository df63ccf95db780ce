// Outputs that fit the inputs at one point in time, found without stepping: u = c(g(x, u)).
//
// Used at initialization by all units, and at communication points by those that answer without a step. Units are
// refreshed in the plan's order of evaluation; algebraic loops are solved one by one.
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
#include "graph/plan.hpp"
#include "graph/run_settings.hpp"
#include "solve/nonlinear.hpp"

namespace consort::couple {

class Consistency {
 public:
  // `takes_part`: by unit; the others' outputs are taken as they are. The plan must outlive it. Declares waves of the
  // fleet, which is not connected yet.
  Consistency(const graph::Plan& plan, fleet::Fleet& fleet, const graph::LoopSettings& settings,
              std::vector<bool> takes_part);
  ~Consistency();
  Consistency(const Consistency&) = delete;
  Consistency& operator=(const Consistency&) = delete;

  // Whether there is anything to do: somebody takes part whose outputs follow inputs.
  [[nodiscard]] bool needed() const { return !order_.empty(); }

  // What changes inputs after they have been routed: scenarios. To be set before the first use.
  void set_overrides(std::function<void(RunState&)> overrides) { overrides_ = std::move(overrides); }

  // What loops take is added to state.loops. Throws Error (run) when one does not converge; it names the variables and
  // shows the last residuals.
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
