// Everything that is wrong with an FMU as a whole: its description, its files, its binary.
#pragma once

#include "base/diagnostic.hpp"
#include "fmi/fmu.hpp"

namespace consort::fmi {

// What reading found, the rules of describe/check.hpp, and what the binary lacks. The binary is read, never loaded.
// Sorted as they are to be shown.
[[nodiscard]] Diagnostics check(const Fmu& fmu);

}  // namespace consort::fmi
