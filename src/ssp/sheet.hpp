// The geometry that SSD files hold.
#pragma once

#include <filesystem>

#include "graph/sheet.hpp"
#include "ssp/document.hpp"
#include "ssp/to_system.hpp"

namespace consort::ssp {

// Of the system that read_system() makes of the same file; systems from other files are inside as well. Throws Error
// (input) for what is no package.
[[nodiscard]] graph::Sheet read_sheet(const std::filesystem::path& file, const ReadOptions& options = {});

// Of one system, without those inside. Numbers that no drawing has (infinite ones, boxes without a size) are left out.
[[nodiscard]] graph::Sheet sheet_of(const System& system);

}  // namespace consort::ssp
