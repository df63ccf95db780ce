// The geometry in SSD files.
#pragma once

#include "graph/sheet.hpp"
#include "ssp/document.hpp"

namespace consort::ssp {

// The geometry of one system without its inner systems. Unusable values (infinite numbers, boxes without a size) are
// omitted. Icon files are not resolved.
[[nodiscard]] graph::Sheet sheet_of(const System& system);

}  // namespace consort::ssp
