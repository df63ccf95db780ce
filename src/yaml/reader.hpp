// Reads systems from `.yaml` files into graph::Document. docs/systems.md describes the format.
//
// All functions throw Error (input) whose text begins with "file:line:column: ", for invalid YAML, unknown keys (with
// the nearest key), wrong kinds of values, connections of missing elements, files that include themselves, and files
// that are too large or too deeply nested. Every `where` of the result gives file, line and column.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "graph/document.hpp"

namespace consort::yaml {

// Returns the text of a file that a system includes. Throws Error (input) if the file does not exist.
using Load = std::function<std::string(const std::filesystem::path&)>;
// Returns the names of the columns of a table that a system names. Throws Error (input) if the file is not a table.
using Header = std::function<std::vector<std::string>(const std::filesystem::path&)>;

// Paths in the file are relative to its folder. In the result, they include that folder, so they are relative to the
// working directory if `file` is relative.
[[nodiscard]] graph::Document read_system(const std::filesystem::path& file);

// Like read_system(), but goes on after an error in a unit, a connection, a value or a setting and gives it to
// `problem`. A unit that cannot be read becomes a component without a source.
[[nodiscard]] graph::Document check_system(const std::filesystem::path& file,
                                           const std::function<void(const Error&)>& problem);

// The same for a text. `name` is used in messages; paths are relative to its folder. Files are read with `load` and
// `header` only.
[[nodiscard]] graph::Document parse_system(std::string_view text, const std::filesystem::path& name, const Load& load,
                                           const Header& header = read_csv_header);
[[nodiscard]] graph::Document parse_system(std::string_view text, const std::filesystem::path& name = "system.yaml");

// Settings alone, into `run`: a mapping with the keys `experiment`, `run`, `record`, `bonds` and `scenario` of a system
// file. Settings that are not named stay as they are. `shown` is the name in messages; files are relative to `folder`.
void read_settings(std::string_view text, const std::string& shown, const std::filesystem::path& folder,
                   graph::RunSettings& run);
// One setting by its path ("control.safety") as a system file would write it ("0.8", "[a, b]", "10 ms"). `shown` begins
// messages.
void read_setting(std::string_view path, std::string_view text, const std::string& shown, graph::RunSettings& run);

// What write_words() wrote, into a system that has the units and connectors.
void read_words(std::string_view text, const std::string& shown, graph::System& system);

}  // namespace consort::yaml
