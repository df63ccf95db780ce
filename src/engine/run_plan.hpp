// Start time, stop time, step and tolerance of one unit: from the request, else from the unit's default experiment,
// else defaults.
#pragma once

#include <string>
#include <vector>

#include "describe/description.hpp"
#include "engine/simulate_cs.hpp"

namespace consort::engine {

struct RunPlan {
  Time start = 0;
  Time stop = 1;
  Duration step = 0;  // communication step; Model Exchange: the time between rows
  double tolerance = 1e-4;
};

// Adds a text to `assumed` for every value that was not given.
[[nodiscard]] RunPlan make_run_plan(const describe::Description& description, describe::InterfaceType interface,
                                    const SimulateOptions& options, std::vector<std::string>& assumed);

}  // namespace consort::engine
