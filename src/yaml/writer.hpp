// Writes graph::Document as YAML text, which reader.hpp reads as an equal document.
#pragma once

#include <filesystem>
#include <string>

#include "graph/document.hpp"

namespace consort::yaml {

// Paths below `folder` are written relative to it: give the folder that the text will be saved in. Nested systems are
// written in place. Defaults of a run are not written. Throws Error (input) if the format cannot express the document.
[[nodiscard]] std::string write_system(const graph::Document& document, const std::filesystem::path& folder = {});

// The part of a system, without inner ones, that other formats have no words for: its solver, values of parameters,
// connections by expressions, and events. Empty if there is none. See read_words().
[[nodiscard]] std::string write_words(const graph::System& system);

}  // namespace consort::yaml
