// The geometry that SSD files hold.
#pragma once

#include "graph/sheet.hpp"
#include "ssp/document.hpp"

namespace consort::ssp {

// Of one system, without those inside. Numbers that no drawing has (infinite ones, boxes without a size) are left out.
// Files of icons are as the file has them.
[[nodiscard]] graph::Sheet sheet_of(const System& system);

}  // namespace consort::ssp
