// Values of an FMU's instance by SignalSet: one call per type.
#pragma once

#include "describe/signals.hpp"
#include "fmi/instance.hpp"

namespace consort::unit {

// `at`: where in `values` the signals begin.
void get_values(fmi::Instance& instance, const describe::SignalSet& signals, Columns& values,
                const describe::Offsets& at = {});
// Turns negated aliases around in place and back.
void set_values(fmi::Instance& instance, const describe::SignalSet& signals, Columns& values,
                const describe::Offsets& at = {});
// Sets structural parameters in configuration mode; false when there is none.
bool configure_values(fmi::Instance& instance, const describe::SignalSet& signals, Columns& values);

}  // namespace consort::unit
