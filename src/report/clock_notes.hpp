// Warnings about clocks (FMI 3.0) that do not tick.
#pragma once

#include <string>
#include <vector>

#include "describe/description.hpp"
#include "graph/plan.hpp"
#include "input/table.hpp"

namespace consort::report {

// True if events must be handled in event mode even if not requested, because clocks tick only there.
[[nodiscard]] bool clocks_need_event_mode(const describe::Description& description,
                                          const describe::Interface& interface);

// Names every clock that does not tick as its model expects; empty if there is none. `table` may be null.
[[nodiscard]] std::string clock_warning(const describe::Description& description, const describe::Interface& interface,
                                        const input::InputTable* table);

// The same for a system: one line for each unit whose input clocks never tick. `has_event_mode`: by unit.
// `passes_ticks`: clocks that are connected to other units tick.
[[nodiscard]] std::vector<std::string> clock_warnings(const graph::Plan& plan, const std::vector<bool>& has_event_mode,
                                                      bool passes_ticks);

}  // namespace consort::report
