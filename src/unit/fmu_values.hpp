// Reads and writes the values of an FMU instance by SignalSet, with one call per type.
#pragma once

#include <string>

#include "describe/signals.hpp"
#include "fmi/instance.hpp"

namespace consort::unit {

// `at`: position in `values` at which the signals begin.
void get_values(fmi::Instance& instance, const describe::SignalSet& signals, Columns& values,
                const describe::Offsets& at = {});
// For values that are not essential: returns the reason if the instance refuses to tell them. Throws Error (run) if it
// cannot continue.
[[nodiscard]] std::string try_get_values(fmi::Instance& instance, const describe::SignalSet& signals, Columns& values);
// Flips the sign of negated aliases in `values` for the call and restores it afterwards.
void set_values(fmi::Instance& instance, const describe::SignalSet& signals, Columns& values,
                const describe::Offsets& at = {});
// Sets structural parameters in configuration mode. Returns false if the instance has no configuration mode.
bool configure_values(fmi::Instance& instance, const describe::SignalSet& signals, Columns& values);
// Returns false if the instance cannot be reset.
[[nodiscard]] bool reset_instance(fmi::Instance& instance);

}  // namespace consort::unit
