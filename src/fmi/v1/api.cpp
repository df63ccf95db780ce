#include "fmi/v1/api.hpp"

namespace consort::fmi::v1 {

Api::Api(const Library& library)
    : get_real(library.function<fmiGetRealTYPE>("fmiGetReal")),
      get_integer(library.function<fmiGetIntegerTYPE>("fmiGetInteger")),
      get_boolean(library.function<fmiGetBooleanTYPE>("fmiGetBoolean")),
      get_string(library.function<fmiGetStringTYPE>("fmiGetString")),
      set_real(library.function<fmiSetRealTYPE>("fmiSetReal")),
      set_integer(library.function<fmiSetIntegerTYPE>("fmiSetInteger")),
      set_boolean(library.function<fmiSetBooleanTYPE>("fmiSetBoolean")),
      set_string(library.function<fmiSetStringTYPE>("fmiSetString")),
      set_debug_logging(library.function<fmiSetDebugLoggingTYPE>("fmiSetDebugLogging")),
      instantiate_slave(library.function<fmiInstantiateSlaveTYPE>("fmiInstantiateSlave")),
      initialize_slave(library.function<fmiInitializeSlaveTYPE>("fmiInitializeSlave")),
      terminate_slave(library.function<fmiTerminateSlaveTYPE>("fmiTerminateSlave")),
      reset_slave(library.function<fmiResetSlaveTYPE>("fmiResetSlave")),
      free_slave(library.function<fmiFreeSlaveInstanceTYPE>("fmiFreeSlaveInstance")),
      set_input_derivatives(library.function<fmiSetRealInputDerivativesTYPE>("fmiSetRealInputDerivatives")),
      get_output_derivatives(library.function<fmiGetRealOutputDerivativesTYPE>("fmiGetRealOutputDerivatives")),
      do_step(library.function<fmiDoStepTYPE>("fmiDoStep")),
      cancel_step(library.function<fmiCancelStepTYPE>("fmiCancelStep")),
      get_status(library.function<fmiGetStatusTYPE>("fmiGetStatus")),
      get_real_status(library.function<fmiGetRealStatusTYPE>("fmiGetRealStatus")),
      get_boolean_status(library.function<fmiGetBooleanStatusTYPE>("fmiGetBooleanStatus")),
      instantiate_model(library.function<fmiInstantiateModelTYPE>("fmiInstantiateModel")),
      free_model(library.function<fmiFreeModelInstanceTYPE>("fmiFreeModelInstance")),
      set_time(library.function<fmiSetTimeTYPE>("fmiSetTime")),
      set_states(library.function<fmiSetContinuousStatesTYPE>("fmiSetContinuousStates")),
      completed_integrator_step(library.function<fmiCompletedIntegratorStepTYPE>("fmiCompletedIntegratorStep")),
      initialize(library.function<fmiInitializeTYPE>("fmiInitialize")),
      get_derivatives(library.function<fmiGetDerivativesTYPE>("fmiGetDerivatives")),
      get_event_indicators(library.function<fmiGetEventIndicatorsTYPE>("fmiGetEventIndicators")),
      event_update(library.function<fmiEventUpdateTYPE>("fmiEventUpdate")),
      get_states(library.function<fmiGetContinuousStatesTYPE>("fmiGetContinuousStates")),
      get_nominals(library.function<fmiGetNominalContinuousStatesTYPE>("fmiGetNominalContinuousStates")),
      get_state_references(library.function<fmiGetStateValueReferencesTYPE>("fmiGetStateValueReferences")),
      terminate(library.function<fmiTerminateTYPE>("fmiTerminate")) {}

std::vector<const char*> required_functions(describe::InterfaceType type) {
  std::vector<const char*> names{"fmiGetVersion", "fmiGetReal",        "fmiGetInteger", "fmiGetBoolean",
                                 "fmiGetString",  "fmiSetReal",        "fmiSetInteger", "fmiSetBoolean",
                                 "fmiSetString",  "fmiSetDebugLogging"};
  const auto add = [&](std::initializer_list<const char*> more) { names.insert(names.end(), more); };
  switch (type) {
    case describe::InterfaceType::co_simulation:
      add({"fmiGetTypesPlatform", "fmiInstantiateSlave", "fmiInitializeSlave", "fmiTerminateSlave", "fmiResetSlave",
           "fmiFreeSlaveInstance", "fmiSetRealInputDerivatives", "fmiGetRealOutputDerivatives", "fmiDoStep",
           "fmiCancelStep", "fmiGetStatus", "fmiGetRealStatus", "fmiGetBooleanStatus", "fmiGetIntegerStatus",
           "fmiGetStringStatus"});
      break;
    case describe::InterfaceType::model_exchange:
      add({"fmiGetModelTypesPlatform", "fmiInstantiateModel", "fmiFreeModelInstance", "fmiSetTime",
           "fmiSetContinuousStates", "fmiCompletedIntegratorStep", "fmiInitialize", "fmiGetDerivatives",
           "fmiGetEventIndicators", "fmiEventUpdate", "fmiGetContinuousStates", "fmiGetNominalContinuousStates",
           "fmiGetStateValueReferences", "fmiTerminate"});
      break;
    case describe::InterfaceType::scheduled_execution: break;
  }
  return names;
}

}  // namespace consort::fmi::v1
