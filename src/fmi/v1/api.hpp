// The functions of an FMI 1.0 binary. Every name has the model identifier as prefix.
#pragma once

#include <vector>

#include "describe/description.hpp"
#include "fmi/headers/fmi1/fmiFunctions.h"
#include "fmi/headers/fmi1/fmiModelFunctions.h"
#include "fmi/library.hpp"

namespace consort::fmi::v1 {

struct Api {
  explicit Api(const Library& library);

  Function<fmiGetRealTYPE> get_real;
  Function<fmiGetIntegerTYPE> get_integer;
  Function<fmiGetBooleanTYPE> get_boolean;
  Function<fmiGetStringTYPE> get_string;
  Function<fmiSetRealTYPE> set_real;
  Function<fmiSetIntegerTYPE> set_integer;
  Function<fmiSetBooleanTYPE> set_boolean;
  Function<fmiSetStringTYPE> set_string;
  Function<fmiSetDebugLoggingTYPE> set_debug_logging;
  // Co-Simulation
  Function<fmiInstantiateSlaveTYPE> instantiate_slave;
  Function<fmiInitializeSlaveTYPE> initialize_slave;
  Function<fmiTerminateSlaveTYPE> terminate_slave;
  Function<fmiResetSlaveTYPE> reset_slave;
  Function<fmiFreeSlaveInstanceTYPE> free_slave;
  Function<fmiSetRealInputDerivativesTYPE> set_input_derivatives;
  Function<fmiGetRealOutputDerivativesTYPE> get_output_derivatives;
  Function<fmiDoStepTYPE> do_step;
  Function<fmiCancelStepTYPE> cancel_step;
  Function<fmiGetStatusTYPE> get_status;
  Function<fmiGetRealStatusTYPE> get_real_status;
  Function<fmiGetBooleanStatusTYPE> get_boolean_status;
  // Model Exchange
  Function<fmiInstantiateModelTYPE> instantiate_model;
  Function<fmiFreeModelInstanceTYPE> free_model;
  Function<fmiSetTimeTYPE> set_time;
  Function<fmiSetContinuousStatesTYPE> set_states;
  Function<fmiCompletedIntegratorStepTYPE> completed_integrator_step;
  Function<fmiInitializeTYPE> initialize;
  Function<fmiGetDerivativesTYPE> get_derivatives;
  Function<fmiGetEventIndicatorsTYPE> get_event_indicators;
  Function<fmiEventUpdateTYPE> event_update;
  Function<fmiGetContinuousStatesTYPE> get_states;
  Function<fmiGetNominalContinuousStatesTYPE> get_nominals;
  Function<fmiGetStateValueReferencesTYPE> get_state_references;
  Function<fmiTerminateTYPE> terminate;
};

// The functions that the standard requires a binary with this interface to export.
[[nodiscard]] std::vector<const char*> required_functions(describe::InterfaceType type);

}  // namespace consort::fmi::v1
