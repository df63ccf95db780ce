// What a run of one FMU does not do for its clocks (FMI 3.0), said before somebody believes the result.
#pragma once

#include <string>

#include "describe/description.hpp"
#include "input/table.hpp"

namespace consort::report {

// Whether events have to be handled in event mode although nobody asked for it: clocks tick nowhere else.
[[nodiscard]] bool clocks_need_event_mode(const describe::Description& description,
                                          const describe::Interface& interface);

// Names every clock that does not tick as its model expects; empty when there is none. `table` may be null.
[[nodiscard]] std::string clock_warning(const describe::Description& description, const describe::Interface& interface,
                                        const input::InputTable* table);

}  // namespace consort::report
