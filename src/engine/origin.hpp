// Where a result comes from: facts from which the run can be repeated (recorded_system.hpp).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/tables_read.hpp"
#include "graph/document.hpp"
#include "graph/files.hpp"
#include "graph/plan.hpp"
#include "record/sink.hpp"

namespace consort::engine {

struct Origin {
  std::string command{};                  // the command line; empty: a program started the run
  std::filesystem::path result_folder{};  // paths of files are recorded relative to it; empty: the working one
};

// Names of facts.
inline constexpr const char* program_fact = "program";              // "consort 1.2.3"
inline constexpr const char* command_fact = "command";              // Origin::command
inline constexpr const char* description_fact = "system file";      // the whole system as YAML
inline constexpr const char* obstacle_fact = "cannot be repeated";  // the reason if there is no description
inline constexpr const char* contents_fact = "contents of ";        // + the path of a table of inputs; of small ones
inline constexpr const char* digest_fact = "sha256 of ";            // begins the name; the path of the file follows

// The origin of a run of a system. The description has the start values of the plan, with paths relative to the folder
// of the result; files in an archive are below its path ("car.ssp/resources/wheel.fmu"), pipes have a name of their
// own. Throws Error (input) if a file cannot be read.
[[nodiscard]] std::vector<record::Fact> origin_facts(const Origin& origin, graph::Document document,
                                                     const graph::Plan& plan, TablesRead& tables);
// The origin of a run of a single FMU: of the files that were read.
[[nodiscard]] std::vector<record::Fact> origin_facts(const Origin& origin, const std::vector<graph::FileUse>& files,
                                                     TablesRead& tables);

// SHA-256 of a file. Of a folder: of its list of files, in the form of the program sha256sum. Throws Error (input) if
// a file or folder cannot be read.
[[nodiscard]] std::string digest_of(const std::filesystem::path& path);

}  // namespace consort::engine
