// The parts of the reader, each implemented in its own file. Internal to yaml/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "graph/document.hpp"
#include "yaml/reader.hpp"
#include "yaml/tree.hpp"
#include "yaml/view.hpp"

namespace consort::yaml {

// Data shared by all files of one read operation.
struct Context {
  const Load& load;
  const Header& header;
  Budget budget{};
  std::vector<std::filesystem::path> open{};  // files being read, the outermost first
  const Problems* problems = nullptr;         // see Origin
};

// Reads one file. `run` receives the run settings; null for an included file.
[[nodiscard]] graph::System read_file_of_system(std::string_view text, const std::filesystem::path& file,
                                                Context& context, graph::RunSettings* run);

// Throws Error (input) if the file is already being read or files are nested too deeply.
void require_includable(const std::filesystem::path& file, const Context& context);

// Reads the elements, connectors, connections and settings of a system.
void read_contents(const Fields& fields, const std::filesystem::path& folder, Context& context, graph::System& system);

// run, record, bonds, scenario.
void read_run_settings(const Fields& file, const std::filesystem::path& folder, graph::RunSettings& run);
// These and experiment.
void read_run(const Fields& file, const std::filesystem::path& folder, graph::System& system, graph::RunSettings& run);

// Reads a value and its unit of measure: 3, 3 cm, [1, 2, 3], [one, "a text"], {value: 3, unit: cm}.
void read_value(const View& view, std::string_view what, graph::Setting& setting);
// Reads a value without a unit of measure as text: one value, or a list of numbers.
[[nodiscard]] std::string read_plain_value(const View& view, std::string_view what);

// The path relative to `folder`, which is that of the file that names it.
[[nodiscard]] std::filesystem::path beside(const std::filesystem::path& folder, const std::string& path);

}  // namespace consort::yaml
