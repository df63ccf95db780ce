// Checks a whole FMU: description, files, binary.
#pragma once

#include "base/diagnostic.hpp"
#include "fmi/fmu.hpp"

namespace consort::fmi {

// The findings of the reader, violations of the rules of describe/check.hpp, and findings about the binary, which is
// read but never loaded. Sorted for display.
[[nodiscard]] Diagnostics check(const Fmu& fmu);

}  // namespace consort::fmi
