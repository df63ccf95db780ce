#include "fmi/v2/api.hpp"

namespace consort::fmi::v2 {

Api::Api(const Library& library)
    : instantiate(library.function<fmi2InstantiateTYPE>("fmi2Instantiate")),
      free_instance(library.function<fmi2FreeInstanceTYPE>("fmi2FreeInstance")),
      set_debug_logging(library.function<fmi2SetDebugLoggingTYPE>("fmi2SetDebugLogging")),
      setup_experiment(library.function<fmi2SetupExperimentTYPE>("fmi2SetupExperiment")),
      enter_initialization(library.function<fmi2EnterInitializationModeTYPE>("fmi2EnterInitializationMode")),
      exit_initialization(library.function<fmi2ExitInitializationModeTYPE>("fmi2ExitInitializationMode")),
      terminate(library.function<fmi2TerminateTYPE>("fmi2Terminate")),
      reset(library.function<fmi2ResetTYPE>("fmi2Reset")),
      get_real(library.function<fmi2GetRealTYPE>("fmi2GetReal")),
      get_integer(library.function<fmi2GetIntegerTYPE>("fmi2GetInteger")),
      get_boolean(library.function<fmi2GetBooleanTYPE>("fmi2GetBoolean")),
      get_string(library.function<fmi2GetStringTYPE>("fmi2GetString")),
      set_real(library.function<fmi2SetRealTYPE>("fmi2SetReal")),
      set_integer(library.function<fmi2SetIntegerTYPE>("fmi2SetInteger")),
      set_boolean(library.function<fmi2SetBooleanTYPE>("fmi2SetBoolean")),
      set_string(library.function<fmi2SetStringTYPE>("fmi2SetString")),
      get_state(library.function<fmi2GetFMUstateTYPE>("fmi2GetFMUstate")),
      set_state(library.function<fmi2SetFMUstateTYPE>("fmi2SetFMUstate")),
      free_state(library.function<fmi2FreeFMUstateTYPE>("fmi2FreeFMUstate")),
      serialized_size(library.function<fmi2SerializedFMUstateSizeTYPE>("fmi2SerializedFMUstateSize")),
      serialize(library.function<fmi2SerializeFMUstateTYPE>("fmi2SerializeFMUstate")),
      deserialize(library.function<fmi2DeSerializeFMUstateTYPE>("fmi2DeSerializeFMUstate")),
      directional(library.function<fmi2GetDirectionalDerivativeTYPE>("fmi2GetDirectionalDerivative")),
      enter_event_mode(library.function<fmi2EnterEventModeTYPE>("fmi2EnterEventMode")),
      new_discrete_states(library.function<fmi2NewDiscreteStatesTYPE>("fmi2NewDiscreteStates")),
      enter_continuous_time_mode(library.function<fmi2EnterContinuousTimeModeTYPE>("fmi2EnterContinuousTimeMode")),
      completed_integrator_step(library.function<fmi2CompletedIntegratorStepTYPE>("fmi2CompletedIntegratorStep")),
      set_time(library.function<fmi2SetTimeTYPE>("fmi2SetTime")),
      set_states(library.function<fmi2SetContinuousStatesTYPE>("fmi2SetContinuousStates")),
      get_derivatives(library.function<fmi2GetDerivativesTYPE>("fmi2GetDerivatives")),
      get_event_indicators(library.function<fmi2GetEventIndicatorsTYPE>("fmi2GetEventIndicators")),
      get_states(library.function<fmi2GetContinuousStatesTYPE>("fmi2GetContinuousStates")),
      get_nominals(library.function<fmi2GetNominalsOfContinuousStatesTYPE>("fmi2GetNominalsOfContinuousStates")),
      set_input_derivatives(library.function<fmi2SetRealInputDerivativesTYPE>("fmi2SetRealInputDerivatives")),
      get_output_derivatives(library.function<fmi2GetRealOutputDerivativesTYPE>("fmi2GetRealOutputDerivatives")),
      do_step(library.function<fmi2DoStepTYPE>("fmi2DoStep")),
      cancel_step(library.function<fmi2CancelStepTYPE>("fmi2CancelStep")),
      get_status(library.function<fmi2GetStatusTYPE>("fmi2GetStatus")),
      get_real_status(library.function<fmi2GetRealStatusTYPE>("fmi2GetRealStatus")),
      get_boolean_status(library.function<fmi2GetBooleanStatusTYPE>("fmi2GetBooleanStatus")) {}

std::vector<const char*> required_functions(describe::InterfaceType type) {
  std::vector<const char*> names{"fmi2GetTypesPlatform",
                                 "fmi2GetVersion",
                                 "fmi2Instantiate",
                                 "fmi2FreeInstance",
                                 "fmi2SetDebugLogging",
                                 "fmi2SetupExperiment",
                                 "fmi2EnterInitializationMode",
                                 "fmi2ExitInitializationMode",
                                 "fmi2Terminate",
                                 "fmi2Reset",
                                 "fmi2GetReal",
                                 "fmi2GetInteger",
                                 "fmi2GetBoolean",
                                 "fmi2GetString",
                                 "fmi2SetReal",
                                 "fmi2SetInteger",
                                 "fmi2SetBoolean",
                                 "fmi2SetString",
                                 "fmi2GetFMUstate",
                                 "fmi2SetFMUstate",
                                 "fmi2FreeFMUstate",
                                 "fmi2SerializedFMUstateSize",
                                 "fmi2SerializeFMUstate",
                                 "fmi2DeSerializeFMUstate",
                                 "fmi2GetDirectionalDerivative"};
  const auto add = [&](std::initializer_list<const char*> more) { names.insert(names.end(), more); };
  switch (type) {
    case describe::InterfaceType::co_simulation:
      add({"fmi2SetRealInputDerivatives", "fmi2GetRealOutputDerivatives", "fmi2DoStep", "fmi2CancelStep",
           "fmi2GetStatus", "fmi2GetRealStatus", "fmi2GetBooleanStatus", "fmi2GetIntegerStatus",
           "fmi2GetStringStatus"});
      break;
    case describe::InterfaceType::model_exchange:
      add({"fmi2EnterEventMode", "fmi2NewDiscreteStates", "fmi2EnterContinuousTimeMode", "fmi2CompletedIntegratorStep",
           "fmi2SetTime", "fmi2SetContinuousStates", "fmi2GetDerivatives", "fmi2GetEventIndicators",
           "fmi2GetContinuousStates", "fmi2GetNominalsOfContinuousStates"});
      break;
    case describe::InterfaceType::scheduled_execution: break;
  }
  return names;
}

}  // namespace consort::fmi::v2
