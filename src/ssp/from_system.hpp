// From a system, wherever it comes from, to a package of the SSP standard.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "graph/compile.hpp"
#include "graph/run_settings.hpp"
#include "ssp/document.hpp"

namespace consort::ssp {

struct WriteOptions {
  Version version = Version::v2_0;
  // What the units are like: kinds, types and units of their connectors. Without one they are taken from the
  // connections, as far as those say.
  graph::Catalogue catalogue{};
};

struct Export {
  SystemStructure structure;
  struct Resource {
    std::filesystem::path from;  // an FMU, or the folder that one was unpacked into
    std::string inside;          // "resources/wheel.fmu"
  };
  std::vector<Resource> resources;
  std::vector<std::string> notes;  // what the standard has no way to say
};

// Throws Error (input) for what cannot be part of a package: models written in C++, units of measure that nobody
// defines, and in version 1.0 whatever is new in 2.0.
[[nodiscard]] Export from_system(const graph::Document& document, const WriteOptions& options);

// The same as an archive (.ssp); returns the notes. Throws Error (run) when it cannot be written.
std::vector<std::string> write_package(const graph::Document& document, const std::filesystem::path& file,
                                       const WriteOptions& options);

// A package with every SSP file in it written anew in another version, everything else as it is.
void convert_package(const std::filesystem::path& from, const std::filesystem::path& to, Version version);

}  // namespace consort::ssp
