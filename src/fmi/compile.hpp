// Builds the binary of a source FMU for this machine, with Consort's own headers for the functions of the standard.
#pragma once

#include <filesystem>
#include <string>

#include "describe/description.hpp"

namespace consort::fmi {

// Does nothing if the FMU has a binary for this platform. Compiles into binaries/ of the unpacked folder with $CC
// (default cc). Throws Error (input) with the compiler's first errors, or if the FMU has no sources.
void compile_if_needed(const std::filesystem::path& folder, const std::string& shown,
                       const describe::Description& description, const describe::Interface& interface);

}  // namespace consort::fmi
