// Runs one unit as a system of its own: what simulate_cs() and simulate_me() have in common.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "engine/library.hpp"
#include "engine/run_plan.hpp"
#include "engine/simulate_cs.hpp"
#include "engine/simulation.hpp"
#include "graph/system.hpp"

namespace consort::engine {

struct AloneRun {
  graph::Component component{};  // without start values
  std::shared_ptr<Library> library{};
  RunPlan plan{};
  std::optional<Duration> output_interval{};  // none: every communication point is recorded
  const input::InputTable* table = nullptr;   // as in Solo
  OwnInputs inputs{};
  unit::MeAlone* ahead = nullptr;  // as in Solo
};

// A component for an existing unit, which the library lends to the system. The unit must outlive the library.
[[nodiscard]] graph::Component borrow(unit::Unit& unit, Library& library);

// `options`: those that are not in the plan. Writes times, counts, notes and the final state to the report, and adds
// assumptions and warnings.
void run_alone(AloneRun run, const SimulateOptions& options, std::span<record::Sink* const> sinks,
               report::FmuReport& report);

}  // namespace consort::engine
