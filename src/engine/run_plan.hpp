// From when to when, in which steps and how exactly: what was asked for, then the unit's default experiment, then
// defaults.
#pragma once

#include <string>
#include <vector>

#include "describe/description.hpp"
#include "engine/simulate_cs.hpp"

namespace consort::engine {

struct RunPlan {
  Time start = 0;
  Time stop = 1;
  Duration step = 0;  // communication step; for Model Exchange the time between rows
  double tolerance = 1e-4;
};

// Adds a text to `assumed` for everything that nobody said.
[[nodiscard]] RunPlan make_run_plan(const describe::Description& description, describe::InterfaceType interface,
                                    const SimulateOptions& options, std::vector<std::string>& assumed);

}  // namespace consort::engine
