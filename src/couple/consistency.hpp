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
#include "graph/plan.hpp"
#include "graph/run_settings.hpp"
#include "solve/nonlinear.hpp"
#include "unit/fleet.hpp"

namespace consort::couple {

struct LoopReport {
  std::vector<std::string> variables;
  std::uint64_t solved = 0;
  std::uint64_t iterations = 0;
  std::uint64_t evaluations = 0;
  double largest_residual = 0;  // relative, over all solutions
};

class Consistency {
 public:
  // `takes_part`: by unit; the others' outputs are taken as they are. The plan must outlive it.
  Consistency(const graph::Plan& plan, const graph::LoopSettings& settings, std::vector<bool> takes_part);
  ~Consistency();
  Consistency(const Consistency&) = delete;
  Consistency& operator=(const Consistency&) = delete;

  // Whether there is anything to do: somebody takes part whose outputs follow inputs.
  [[nodiscard]] bool needed() const { return !order_.empty(); }

  // What changes inputs after they have been routed: scenarios. To be set before the first use.
  void set_overrides(std::function<void(RunState&)> overrides) { overrides_ = std::move(overrides); }

  // Throws Error (run) when a loop does not converge; it names the variables and shows the last residuals.
  void operator()(unit::Fleet& fleet, RunState& state);

  [[nodiscard]] const std::vector<LoopReport>& loops() const { return reports_; }
  // Counts from here on; what was counted before is somebody else's business.
  void reset_counts();

 private:
  class LoopSolver;
  void refresh(graph::UnitId unit, unit::Fleet& fleet, RunState& state);

  std::vector<graph::Evaluation> order_;
  std::vector<Gather> gathers_;  // by unit
  std::vector<std::unique_ptr<LoopSolver>> solvers_;
  std::vector<LoopReport> reports_;
  std::function<void(RunState&)> overrides_;
};

}  // namespace consort::couple
