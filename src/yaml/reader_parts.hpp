// The parts of the reader that one file each implements. Internal to yaml/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "graph/run_settings.hpp"
#include "yaml/reader.hpp"
#include "yaml/tree.hpp"
#include "yaml/view.hpp"

namespace consort::yaml {

// What one read shares among all files of a system.
struct Context {
  const Load& load;
  Budget budget{};
  std::vector<std::filesystem::path> open{};  // the files that are being read, the outermost first
};

// One file. `run` takes what is said about running it; null for a file that is part of another.
[[nodiscard]] graph::System read_file_of_system(std::string_view text, const std::filesystem::path& file,
                                                Context& context, graph::RunSettings* run);

// Throws Error (input) when the file is being read already, or too many are.
void require_includable(const std::filesystem::path& file, const Context& context);

// The elements, connectors, connections and settings of a system.
void read_contents(const Fields& fields, const std::filesystem::path& folder, Context& context, graph::System& system);

// run, record, bonds, scenario.
void read_settings(const Fields& file, const std::filesystem::path& folder, graph::RunSettings& run);
// These and experiment.
void read_run(const Fields& file, const std::filesystem::path& folder, graph::System& system, graph::RunSettings& run);

// A value as text, and the unit of measure that it is given in: 3, 3 cm, [1, 2, 3], {value: 3, unit: cm}.
void read_value(const View& view, std::string_view what, std::string& value, std::string* unit);

// Relative to the folder of the file that names it.
[[nodiscard]] std::filesystem::path beside(const std::filesystem::path& folder, const std::string& path);

}  // namespace consort::yaml
