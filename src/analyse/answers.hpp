// Finds units whose outputs respond to new inputs without a step. The standard does not guarantee this for
// co-simulation FMUs, so each of them is tested.
#pragma once

#include <filesystem>

#include "analyse/probe.hpp"
#include "graph/system.hpp"

namespace consort::analyse {

// True if the outputs responded; false if they did not or if the test is not possible. Throws like probe().
[[nodiscard]] bool answers_without_step(const std::filesystem::path& file, const ProbeOptions& options = {});

// Sets graph::Component::answers of all components that run as co-simulation and responded. Each file is tested once.
void mark_units_that_answer(graph::System& system, const ProbeOptions& options = {});

}  // namespace consort::analyse
