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
// Sets values before initialization. Some tools refuse that, although the standard allows it. Then a warning is added,
// and the caller has to set the values in initialization mode. Passes the error on if the unit has no such mode.
void set_early(const unit::Variables& unit, const std::function<void()>& set, std::vector<std::string>& warnings);
// Sets again in initialization mode what may be set there: inputs, and parameters and other variables whose initial
// value is exact (FMI 2.0, 2.2.7; FMI 3.0, 2.4.7.5). Some tools compute or reset values when they enter this mode.
void apply_again(const StartValues& starts, unit::Variables& unit);

// Warns of values that the unit has not kept: of inputs in initialization mode, of parameters after it. Other variables
// may have been computed. check_parameters() also warns of parameters without a given value that do not hold the number
// that the description declares. Both skip variables that the unit refuses to read, and those for which `is_driven` is
// true.
using IsDriven = std::function<bool(describe::VariableId)>;
void check_inputs(const StartValues& starts, unit::Variables& unit, const IsDriven& is_driven,
                  std::vector<std::string>& warnings);
void check_parameters(const StartValues& starts, unit::Variables& unit, const IsDriven& is_driven,
                      std::vector<std::string>& warnings);

}  // namespace consort::engine
