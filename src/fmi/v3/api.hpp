// The functions of an FMI 3.0 binary.
#pragma once

#include <vector>

#include "describe/description.hpp"
#include "fmi/headers/fmi3/fmi3FunctionTypes.h"
#include "fmi/library.hpp"

namespace consort::fmi::v3 {

struct Api {
  explicit Api(const Library& library);

  Function<fmi3InstantiateModelExchangeTYPE> instantiate_me;
  Function<fmi3InstantiateCoSimulationTYPE> instantiate_cs;
  Function<fmi3InstantiateScheduledExecutionTYPE> instantiate_se;
  Function<fmi3FreeInstanceTYPE> free_instance;
  Function<fmi3SetDebugLoggingTYPE> set_debug_logging;
  Function<fmi3EnterConfigurationModeTYPE> enter_configuration;
  Function<fmi3ExitConfigurationModeTYPE> exit_configuration;
  Function<fmi3EnterInitializationModeTYPE> enter_initialization;
  Function<fmi3ExitInitializationModeTYPE> exit_initialization;
  Function<fmi3EnterEventModeTYPE> enter_event_mode;
  Function<fmi3TerminateTYPE> terminate;
  Function<fmi3ResetTYPE> reset;
  Function<fmi3GetFloat32TYPE> get_float32;
  Function<fmi3GetFloat64TYPE> get_float64;
  Function<fmi3GetInt8TYPE> get_int8;
  Function<fmi3GetUInt8TYPE> get_uint8;
  Function<fmi3GetInt16TYPE> get_int16;
  Function<fmi3GetUInt16TYPE> get_uint16;
  Function<fmi3GetInt32TYPE> get_int32;
  Function<fmi3GetUInt32TYPE> get_uint32;
  Function<fmi3GetInt64TYPE> get_int64;
  Function<fmi3GetUInt64TYPE> get_uint64;
  Function<fmi3GetBooleanTYPE> get_boolean;
  Function<fmi3GetStringTYPE> get_string;
  Function<fmi3GetBinaryTYPE> get_binary;
  Function<fmi3GetClockTYPE> get_clock;
  Function<fmi3SetFloat32TYPE> set_float32;
  Function<fmi3SetFloat64TYPE> set_float64;
  Function<fmi3SetInt8TYPE> set_int8;
  Function<fmi3SetUInt8TYPE> set_uint8;
  Function<fmi3SetInt16TYPE> set_int16;
  Function<fmi3SetUInt16TYPE> set_uint16;
  Function<fmi3SetInt32TYPE> set_int32;
  Function<fmi3SetUInt32TYPE> set_uint32;
  Function<fmi3SetInt64TYPE> set_int64;
  Function<fmi3SetUInt64TYPE> set_uint64;
  Function<fmi3SetBooleanTYPE> set_boolean;
  Function<fmi3SetStringTYPE> set_string;
  Function<fmi3SetBinaryTYPE> set_binary;
  Function<fmi3SetClockTYPE> set_clock;
  Function<fmi3GetFMUStateTYPE> get_state;
  Function<fmi3SetFMUStateTYPE> set_state;
  Function<fmi3FreeFMUStateTYPE> free_state;
  Function<fmi3SerializedFMUStateSizeTYPE> serialized_size;
  Function<fmi3SerializeFMUStateTYPE> serialize;
  Function<fmi3DeserializeFMUStateTYPE> deserialize;
  Function<fmi3GetDirectionalDerivativeTYPE> directional;
  Function<fmi3GetAdjointDerivativeTYPE> adjoint;
  Function<fmi3GetIntervalDecimalTYPE> get_interval;
  Function<fmi3SetIntervalDecimalTYPE> set_interval;
  Function<fmi3GetShiftDecimalTYPE> get_shift;
  Function<fmi3SetShiftDecimalTYPE> set_shift;
  Function<fmi3UpdateDiscreteStatesTYPE> update_discrete_states;
  Function<fmi3EnterContinuousTimeModeTYPE> enter_continuous_time_mode;
  Function<fmi3CompletedIntegratorStepTYPE> completed_integrator_step;
  Function<fmi3SetTimeTYPE> set_time;
  Function<fmi3SetContinuousStatesTYPE> set_states;
  Function<fmi3GetContinuousStateDerivativesTYPE> get_derivatives;
  Function<fmi3GetEventIndicatorsTYPE> get_event_indicators;
  Function<fmi3GetContinuousStatesTYPE> get_states;
  Function<fmi3GetNominalsOfContinuousStatesTYPE> get_nominals;
  Function<fmi3GetNumberOfEventIndicatorsTYPE> number_of_event_indicators;
  Function<fmi3GetNumberOfContinuousStatesTYPE> number_of_states;
  Function<fmi3EnterStepModeTYPE> enter_step_mode;
  Function<fmi3GetOutputDerivativesTYPE> get_output_derivatives;
  Function<fmi3DoStepTYPE> do_step;
  Function<fmi3ActivateModelPartitionTYPE> activate;
};

// The functions that the standard requires a binary with this interface to export.
[[nodiscard]] std::vector<const char*> required_functions(describe::InterfaceType type);

}  // namespace consort::fmi::v3
