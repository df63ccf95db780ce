// graph::Document as YAML text: what reader.hpp reads back as the same document.
#pragma once

#include <filesystem>
#include <string>

#include "graph/run_settings.hpp"

namespace consort::yaml {

// Paths below `folder` are written relative to it: give the folder that the text will be saved in. Nested systems are
// written in place. What a run takes by default is left out. Throws Error (input) for what the format cannot say.
[[nodiscard]] std::string write_system(const graph::Document& document, const std::filesystem::path& folder = {});

}  // namespace consort::yaml
