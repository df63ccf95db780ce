// Writes graph::Document as YAML text, which reader.hpp reads as an equal document.
#pragma once

#include <filesystem>
#include <string>

#include "graph/document.hpp"

namespace consort::yaml {

// Paths below `folder` are written relative to it: give the folder that the text will be saved in. Nested systems are
// written in place. Defaults of a run are not written. Throws Error (input) if the format cannot express the document.
[[nodiscard]] std::string write_system(const graph::Document& document, const std::filesystem::path& folder = {});

}  // namespace consort::yaml
