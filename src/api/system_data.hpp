// What a public System holds, for those that run it.
#pragma once

#include "consort/system.hpp"
#include "engine/simulation.hpp"
#include "graph/run_settings.hpp"

namespace consort {

struct System::Data {
  graph::Document document;
};

namespace api {

// What the system says about runs, as far as the options do not say otherwise.
[[nodiscard]] engine::SimulationOptions simulation_options(const graph::RunSettings& said, const RunOptions& options);

}  // namespace api
}  // namespace consort
