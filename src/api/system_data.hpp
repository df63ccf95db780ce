// What a public System holds, for those that run it.
#pragma once

#include "consort/system.hpp"
#include "engine/simulation.hpp"
#include "graph/document.hpp"

namespace consort {

struct System::Data {
  graph::Document document;
};

namespace api {

[[nodiscard]] engine::SimulationOptions simulation_options(const RunSettings& settings, const RunOptions& options);

}  // namespace api
}  // namespace consort
