// Turns the files of a package into a system that can be compiled and run.
#pragma once

#include <filesystem>
#include <string>

#include "base/diagnostic.hpp"
#include "graph/document.hpp"
#include "ssp/document.hpp"
#include "ssp/package.hpp"

namespace consort::ssp {

struct ReadOptions {
  std::string variant{};       // the SSD of the package, see Package::find_structure()
  bool allow_outside = false;  // see Package::open()
  // For drawing, not for running: errors become notes, and a unit whose FMU is missing has only the properties given in
  // the SSD file.
  bool look = false;
};

// Reads a package (.ssp), a folder with an unpacked package, or an SSD file. Throws Error (input) with the first error
// and the number of further errors. Assumptions are added to the notes of the system.
[[nodiscard]] graph::Document read_system(const std::filesystem::path& file, const ReadOptions& options = {});

// Like read_system(), but all problems go to `diagnostics`, and the result contains everything that could be read.
[[nodiscard]] graph::Document to_system(const std::shared_ptr<const Package>& package, const std::string& structure,
                                        Diagnostics& diagnostics);

}  // namespace consort::ssp
