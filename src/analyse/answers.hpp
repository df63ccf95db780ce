// Which units of a system answer new inputs without a step. The standard does not promise it of co-simulation FMUs, so
// each of them is tried.
#pragma once

#include <filesystem>

#include "analyse/probe.hpp"
#include "graph/system.hpp"

namespace consort::analyse {

// True when that was seen, false when not or when it cannot be tried. Otherwise as probe().
[[nodiscard]] bool answers_without_step(const std::filesystem::path& file, const ProbeOptions& options = {});

// Sets graph::Component::answers of all components that run as co-simulation and were seen to answer; each file is
// tried once.
void mark_units_that_answer(graph::System& system, const ProbeOptions& options = {});

}  // namespace consort::analyse
