// Warnings about clocks (FMI 3.0) that do not tick when one FMU runs alone.
#pragma once

#include <string>

#include "describe/description.hpp"
#include "input/table.hpp"

namespace consort::report {

// True if events must be handled in event mode even if not requested, because clocks tick only there.
[[nodiscard]] bool clocks_need_event_mode(const describe::Description& description,
                                          const describe::Interface& interface);

// Names every clock that does not tick as its model expects; empty if there is none. `table` may be null.
[[nodiscard]] std::string clock_warning(const describe::Description& description, const describe::Interface& interface,
                                        const input::InputTable* table);

}  // namespace consort::report
