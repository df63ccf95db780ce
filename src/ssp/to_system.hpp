// From the files of a package to a system that can be compiled and run.
#pragma once

#include <filesystem>
#include <string>

#include "base/diagnostic.hpp"
#include "graph/run_settings.hpp"
#include "ssp/document.hpp"
#include "ssp/package.hpp"

namespace consort::ssp {

struct ReadOptions {
  std::string variant{};       // which SSD of the package, see Package::find_structure()
  bool allow_outside = false;  // see Package::open()
  // To be looked at, not run: what is wrong is told in the notes, and units whose FMU is not there are what the file
  // says about them.
  bool look = false;
};

// A package (.ssp), a folder that one was unpacked into, or an SSD file. Throws Error (input) for what cannot be made a
// system, with the first reason and how many others there are. What was assumed is in the notes of the system.
[[nodiscard]] graph::Document read_system(const std::filesystem::path& file, const ReadOptions& options = {});

// The same with everything that is wrong in `diagnostics`; as much of the system as there is.
[[nodiscard]] graph::Document to_system(const std::shared_ptr<const Package>& package, const std::string& structure,
                                        Diagnostics& diagnostics);

}  // namespace consort::ssp
