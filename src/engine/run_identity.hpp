// What two runs must have in common for one to go on where the other was.
#pragma once

#include <string>
#include <vector>

#include "engine/experiment.hpp"
#include "engine/tables_read.hpp"
#include "graph/document.hpp"
#include "graph/files.hpp"
#include "graph/plan.hpp"

namespace consort::engine {

struct RunParts {
  const graph::Plan& plan;
  const graph::RunSettings& settings;
  const SystemExperiment& experiment;
  const std::vector<graph::FileUse>& files;  // graph::files_of()
};

// Units, connections and settings as lines of text, with checksums in place of files: whatever the numbers of a run
// depend on. When it ends, where it runs and what is recorded is not part of it. Throws Error (input) when a file
// cannot be read.
[[nodiscard]] std::string run_identity(const RunParts& run, TablesRead& tables);

}  // namespace consort::engine
