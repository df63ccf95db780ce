// Applies start values that the user gives by name.
#pragma once

#include "describe/start_values.hpp"
#include "unit/unit.hpp"

namespace consort::engine {

using describe::resolve_start_values;
using describe::StartValues;

// Sets structural parameters in configuration mode; does nothing when there are none.
void apply_structural(const StartValues& starts, unit::Variables& unit);
// Sets all other start values; before initialization.
void apply(const StartValues& starts, unit::Variables& unit);
// Sets the inputs among them again in initialization mode, as the standard requires (FMI 2.0, 4.2.4).
void apply_inputs(const StartValues& starts, unit::Variables& unit);

}  // namespace consort::engine
