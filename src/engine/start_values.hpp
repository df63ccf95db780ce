// Applies start values that the user gives by name.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "describe/start_values.hpp"
#include "unit/unit.hpp"

namespace consort::engine {

using describe::resolve_start_values;
using describe::StartValues;

// Sets structural parameters in configuration mode; does nothing when there are none.
void apply_structural(const StartValues& starts, unit::Variables& unit);
// Sets all other start values; before initialization.
void apply(const StartValues& starts, unit::Variables& unit);
// Before initialization: sets structural parameters and all other start values, and calls `set_inputs`. Some tools
// refuse values at this time, although the standard allows it. Then the unit is reset and gets only structural
// parameters and those values that cannot be set in initialization mode; a warning is added. The caller has to set
// inputs in initialization mode, too, and to call apply_again(). Throws Error (run) if the unit cannot be reset, has no
// initialization mode, or refuses a value that cannot be set there.
void set_early(const StartValues& starts, unit::Variables& unit, const std::function<void()>& set_inputs,
               std::vector<std::string>& warnings);
// Sets again in initialization mode what may be set there: inputs, and parameters and other variables whose initial
// value is exact (FMI 2.0, 2.2.7; FMI 3.0, 2.4.7.5). Some tools compute or reset values when they enter this mode.
void apply_again(const StartValues& starts, unit::Variables& unit);

// After initialization: warns of inputs and parameters that have not kept their values. Other variables may have been
// computed. Also warns of parameters without a given value that do not hold the number that the description declares.
// Variables for which `is_driven` is true are skipped. A run does not need these values, so nothing more is
// read if the unit refuses to tell them: after an error, some FMUs refuse all calls.
using IsDriven = std::function<bool(describe::VariableId)>;
void check_kept(const StartValues& starts, unit::Variables& unit, const IsDriven& is_driven,
                std::vector<std::string>& warnings);

}  // namespace consort::engine
