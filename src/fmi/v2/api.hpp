// The functions of an FMI 2.0 binary.
#pragma once

#include <vector>

#include "describe/description.hpp"
#include "fmi/headers/fmi2/fmi2FunctionTypes.h"
#include "fmi/library.hpp"

namespace consort::fmi::v2 {

struct Api {
  explicit Api(const Library& library);

  Function<fmi2InstantiateTYPE> instantiate;
  Function<fmi2FreeInstanceTYPE> free_instance;
  Function<fmi2SetDebugLoggingTYPE> set_debug_logging;
  Function<fmi2SetupExperimentTYPE> setup_experiment;
  Function<fmi2EnterInitializationModeTYPE> enter_initialization;
  Function<fmi2ExitInitializationModeTYPE> exit_initialization;
  Function<fmi2TerminateTYPE> terminate;
  Function<fmi2ResetTYPE> reset;
  Function<fmi2GetRealTYPE> get_real;
  Function<fmi2GetIntegerTYPE> get_integer;
  Function<fmi2GetBooleanTYPE> get_boolean;
  Function<fmi2GetStringTYPE> get_string;
  Function<fmi2SetRealTYPE> set_real;
  Function<fmi2SetIntegerTYPE> set_integer;
  Function<fmi2SetBooleanTYPE> set_boolean;
  Function<fmi2SetStringTYPE> set_string;
  Function<fmi2GetFMUstateTYPE> get_state;
  Function<fmi2SetFMUstateTYPE> set_state;
  Function<fmi2FreeFMUstateTYPE> free_state;
  Function<fmi2SerializedFMUstateSizeTYPE> serialized_size;
  Function<fmi2SerializeFMUstateTYPE> serialize;
  Function<fmi2DeSerializeFMUstateTYPE> deserialize;
  Function<fmi2GetDirectionalDerivativeTYPE> directional;
  // Model Exchange
  Function<fmi2EnterEventModeTYPE> enter_event_mode;
  Function<fmi2NewDiscreteStatesTYPE> new_discrete_states;
  Function<fmi2EnterContinuousTimeModeTYPE> enter_continuous_time_mode;
  Function<fmi2CompletedIntegratorStepTYPE> completed_integrator_step;
  Function<fmi2SetTimeTYPE> set_time;
  Function<fmi2SetContinuousStatesTYPE> set_states;
  Function<fmi2GetDerivativesTYPE> get_derivatives;
  Function<fmi2GetEventIndicatorsTYPE> get_event_indicators;
  Function<fmi2GetContinuousStatesTYPE> get_states;
  Function<fmi2GetNominalsOfContinuousStatesTYPE> get_nominals;
  // Co-Simulation
  Function<fmi2SetRealInputDerivativesTYPE> set_input_derivatives;
  Function<fmi2GetRealOutputDerivativesTYPE> get_output_derivatives;
  Function<fmi2DoStepTYPE> do_step;
  Function<fmi2CancelStepTYPE> cancel_step;
  Function<fmi2GetStatusTYPE> get_status;
  Function<fmi2GetRealStatusTYPE> get_real_status;
  Function<fmi2GetBooleanStatusTYPE> get_boolean_status;
};

// The functions that the standard requires a binary with this interface to export.
[[nodiscard]] std::vector<const char*> required_functions(describe::InterfaceType type);

}  // namespace consort::fmi::v2
