// Systems written by hand: `.yaml` into graph::Document. docs/systems.md describes the format.
//
// All throw Error (input) whose text begins with "file:line:column: ": what is not YAML, unknown keys (with the
// nearest), wrong kinds, connections of elements that do not exist, files that include themselves, and whatever is
// larger or deeper than can be right. Every `where` of the result says where in which file it was written.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "graph/run_settings.hpp"

namespace consort::yaml {

// The text of a file that a system names as a part of it. Throws Error (input) when there is none.
using Load = std::function<std::string(const std::filesystem::path&)>;

// Paths in the file are relative to its folder, and so are they in the result when `file` is relative.
[[nodiscard]] graph::Document read_system(const std::filesystem::path& file);

// The same from a text. `name` is what messages call it; paths are relative to its folder.
[[nodiscard]] graph::Document parse_system(std::string_view text, const std::filesystem::path& name, const Load& load);
[[nodiscard]] graph::Document parse_system(std::string_view text, const std::filesystem::path& name = "system.yaml");

// Settings alone, into `run`: a mapping with the keys `experiment`, `run`, `record`, `bonds` and `scenario` of a system
// file. Settings that are not named stay as they are. `shown` is the name in messages; files are relative to `folder`.
void read_settings(std::string_view text, const std::string& shown, const std::filesystem::path& folder,
                   graph::RunSettings& run);
// One setting by its path ("control.safety") as a system file would write it ("0.8", "[a, b]", "10 ms"). `shown` begins
// messages.
void read_setting(std::string_view path, std::string_view text, const std::string& shown, graph::RunSettings& run);

}  // namespace consort::yaml
