// A binary that this process cannot load: for Windows, or for 32 bits. A small program loads it and executes the calls;
// each library has a program of its own.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "describe/description.hpp"
#include "fmi/binaries.hpp"
#include "fmi/library.hpp"

namespace consort::fmi::foreign {

// Empty, or the reason why this machine cannot run binaries of the platform, and what to install.
[[nodiscard]] std::string cannot_run(Platform platform);

// Throws Error (input) if the binary cannot be run or loaded, Error (run) if its program cannot be started.
[[nodiscard]] std::shared_ptr<Library> open_library(const BinaryFile& binary, const LibraryOptions& options);

}  // namespace consort::fmi::foreign
