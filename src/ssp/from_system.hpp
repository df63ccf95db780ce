// Writes any system as an SSP package.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "graph/compile.hpp"
#include "graph/document.hpp"
#include "ssp/document.hpp"

namespace consort::ssp {

struct WriteOptions {
  Version version = Version::v2_0;
  // Gives kinds, types and units of measure of the units' connectors. Empty: they are derived from the connections as
  // far as possible.
  graph::Catalogue catalogue{};
};

struct Export {
  SystemStructure structure;
  struct Resource {
    std::filesystem::path from;  // an FMU, or a folder with an unpacked FMU
    std::string inside;          // "resources/wheel.fmu"
  };
  std::vector<Resource> resources;
  std::vector<std::string> notes;  // facts that the standard cannot express
};

// Throws Error (input) for native models, undefined units of measure and, in version 1.0, features that are new in 2.0.
[[nodiscard]] Export from_system(const graph::Document& document, const WriteOptions& options);

// Writes the result of from_system() as an archive (.ssp) and returns the notes. Throws Error (run) if it cannot be
// written.
std::vector<std::string> write_package(const graph::Document& document, const std::filesystem::path& file,
                                       const WriteOptions& options);

// Rewrites every SSP file of a package in another version and copies all other files unchanged.
void convert_package(const std::filesystem::path& from, const std::filesystem::path& to, Version version);

}  // namespace consort::ssp
