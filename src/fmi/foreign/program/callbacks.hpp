// The functions that FMUs in this program call. They forward to the engine; memory stays here.
#pragma once

#include "fmi/headers/fmi1/fmi1Shared.h"
#include "fmi/headers/fmi2/fmi2FunctionTypes.h"
#include "fmi/headers/fmi3/fmi3FunctionTypes.h"

namespace consort::fmi::foreign {

// P: the type that a function of FMI 1.0 or 2.0 takes.
template <class P>
[[nodiscard]] P callbacks();

void log_message3(fmi3InstanceEnvironment, fmi3Status status, fmi3String category, fmi3String text);
void intermediate_update(fmi3InstanceEnvironment, fmi3Float64 t, fmi3Boolean set_requested, fmi3Boolean get_allowed,
                         fmi3Boolean step_finished, fmi3Boolean can_return_early, fmi3Boolean* early_return,
                         fmi3Float64* early_time);
void clock_update(fmi3InstanceEnvironment);
void preemption();

}  // namespace consort::fmi::foreign
