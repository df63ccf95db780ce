// The functions of FMI as both sides know them: name, C type, and what each argument is. The number of a function is
// its place in the list of its version.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "fmi/headers/fmi1/fmiFunctions.h"
#include "fmi/headers/fmi1/fmiModelFunctions.h"
#include "fmi/headers/fmi2/fmi2FunctionTypes.h"
#include "fmi/headers/fmi3/fmi3FunctionTypes.h"

namespace consort::fmi::foreign {

// --- arguments -------------------------------------------------------------------------------------------------------
// N is the place of the argument that holds the number of elements.

struct Self {};    // the instance
struct Freed {};   // the instance, which does not exist after the call
struct Value {};   // a number, passed by value; also the handle of a saved state
struct One {};     // a pointer to one value or struct, which goes both ways
struct Text {};    // const char*, may be null
struct Uri {};     // the same, of a file
struct Folder {};  // the same, a path
template <std::size_t N>
struct In {};  // an array that the FMU reads
template <std::size_t N>
struct Out {};  // an array that the FMU writes
// Arrays of size_t: of 64 bits in the body, whatever the program has.
template <std::size_t N>
struct Sizes {};
template <std::size_t N>
struct SizesOut {};
template <std::size_t N>
struct Texts {};  // an array of texts that the FMU reads
template <std::size_t N>
struct Told {};  // an array of texts that the FMU gives; valid until the next call
template <std::size_t Sizes, std::size_t N>
struct Binaries {};  // an array of byte strings that the FMU reads; their sizes are argument `Sizes`
template <std::size_t Sizes, std::size_t N>
struct ToldBinaries {};  // an array of byte strings that the FMU gives
struct Callbacks {};     // FMI 1.0 and 2.0: the functions of the importer
struct Environment {};   // FMI 3.0
struct LogMessage {};
struct IntermediateUpdate {};
struct ClockUpdate {};
struct Preemption {};

// --- lists -----------------------------------------------------------------------------------------------------------

// A text as a template argument.
template <std::size_t N>
struct Name {
  constexpr Name(const char (&t)[N]) { std::copy_n(t, N, text); }  // NOLINT(google-explicit-constructor)
  char text[N];
};

template <Name name_, class F, class... Kinds>
struct Row {
  static constexpr const char* name = name_.text;
  using Function = F;
};

template <class... Rows>
struct List {
  static constexpr std::size_t size = sizeof...(Rows);
  // Calls f.template operator()<number, Row>() for every row.
  template <class F>
  static void each(F&& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) { (f.template operator()<I, Rows>(), ...); }
    (std::make_index_sequence<size>());
  }
};

using Functions1 = List<
    Row<"fmiSetDebugLogging", fmiSetDebugLoggingTYPE, Self, Value>,
    Row<"fmiGetReal", fmiGetRealTYPE, Self, In<2>, Value, Out<2>>,
    Row<"fmiGetInteger", fmiGetIntegerTYPE, Self, In<2>, Value, Out<2>>,
    Row<"fmiGetBoolean", fmiGetBooleanTYPE, Self, In<2>, Value, Out<2>>,
    Row<"fmiGetString", fmiGetStringTYPE, Self, In<2>, Value, Told<2>>,
    Row<"fmiSetReal", fmiSetRealTYPE, Self, In<2>, Value, In<2>>,
    Row<"fmiSetInteger", fmiSetIntegerTYPE, Self, In<2>, Value, In<2>>,
    Row<"fmiSetBoolean", fmiSetBooleanTYPE, Self, In<2>, Value, In<2>>,
    Row<"fmiSetString", fmiSetStringTYPE, Self, In<2>, Value, Texts<2>>,
    // Co-Simulation
    Row<"fmiInstantiateSlave", fmiInstantiateSlaveTYPE, Text, Text, Uri, Text, Value, Value, Value, Callbacks, Value>,
    Row<"fmiInitializeSlave", fmiInitializeSlaveTYPE, Self, Value, Value, Value>,
    Row<"fmiTerminateSlave", fmiTerminateSlaveTYPE, Self>,  //
    Row<"fmiResetSlave", fmiResetSlaveTYPE, Self>, Row<"fmiFreeSlaveInstance", fmiFreeSlaveInstanceTYPE, Freed>,
    Row<"fmiSetRealInputDerivatives", fmiSetRealInputDerivativesTYPE, Self, In<2>, Value, In<2>, In<2>>,
    Row<"fmiGetRealOutputDerivatives", fmiGetRealOutputDerivativesTYPE, Self, In<2>, Value, In<2>, Out<2>>,
    Row<"fmiDoStep", fmiDoStepTYPE, Self, Value, Value, Value>, Row<"fmiCancelStep", fmiCancelStepTYPE, Self>,  //
    Row<"fmiGetStatus", fmiGetStatusTYPE, Self, Value, One>,
    Row<"fmiGetRealStatus", fmiGetRealStatusTYPE, Self, Value, One>,
    Row<"fmiGetBooleanStatus", fmiGetBooleanStatusTYPE, Self, Value, One>,
    // Model Exchange
    Row<"fmiInstantiateModel", fmiInstantiateModelTYPE, Text, Text, Callbacks, Value>,
    Row<"fmiFreeModelInstance", fmiFreeModelInstanceTYPE, Freed>, Row<"fmiSetTime", fmiSetTimeTYPE, Self, Value>,
    Row<"fmiSetContinuousStates", fmiSetContinuousStatesTYPE, Self, In<2>, Value>,
    Row<"fmiCompletedIntegratorStep", fmiCompletedIntegratorStepTYPE, Self, One>,
    Row<"fmiInitialize", fmiInitializeTYPE, Self, Value, Value, One>,
    Row<"fmiGetDerivatives", fmiGetDerivativesTYPE, Self, Out<2>, Value>,
    Row<"fmiGetEventIndicators", fmiGetEventIndicatorsTYPE, Self, Out<2>, Value>,
    Row<"fmiEventUpdate", fmiEventUpdateTYPE, Self, Value, One>,
    Row<"fmiGetContinuousStates", fmiGetContinuousStatesTYPE, Self, Out<2>, Value>,
    Row<"fmiGetNominalContinuousStates", fmiGetNominalContinuousStatesTYPE, Self, Out<2>, Value>,
    Row<"fmiGetStateValueReferences", fmiGetStateValueReferencesTYPE, Self, Out<2>, Value>,
    Row<"fmiTerminate", fmiTerminateTYPE, Self>>;

using Functions2 = List<
    Row<"fmi2Instantiate", fmi2InstantiateTYPE, Text, Value, Text, Uri, Callbacks, Value, Value>,
    Row<"fmi2FreeInstance", fmi2FreeInstanceTYPE, Freed>,
    Row<"fmi2SetDebugLogging", fmi2SetDebugLoggingTYPE, Self, Value, Value, Texts<2>>,
    Row<"fmi2SetupExperiment", fmi2SetupExperimentTYPE, Self, Value, Value, Value, Value, Value>,
    Row<"fmi2EnterInitializationMode", fmi2EnterInitializationModeTYPE, Self>,
    Row<"fmi2ExitInitializationMode", fmi2ExitInitializationModeTYPE, Self>,
    Row<"fmi2Terminate", fmi2TerminateTYPE, Self>,  //
    Row<"fmi2Reset", fmi2ResetTYPE, Self>, Row<"fmi2GetReal", fmi2GetRealTYPE, Self, In<2>, Value, Out<2>>,
    Row<"fmi2GetInteger", fmi2GetIntegerTYPE, Self, In<2>, Value, Out<2>>,
    Row<"fmi2GetBoolean", fmi2GetBooleanTYPE, Self, In<2>, Value, Out<2>>,
    Row<"fmi2GetString", fmi2GetStringTYPE, Self, In<2>, Value, Told<2>>,
    Row<"fmi2SetReal", fmi2SetRealTYPE, Self, In<2>, Value, In<2>>,
    Row<"fmi2SetInteger", fmi2SetIntegerTYPE, Self, In<2>, Value, In<2>>,
    Row<"fmi2SetBoolean", fmi2SetBooleanTYPE, Self, In<2>, Value, In<2>>,
    Row<"fmi2SetString", fmi2SetStringTYPE, Self, In<2>, Value, Texts<2>>,
    Row<"fmi2GetFMUstate", fmi2GetFMUstateTYPE, Self, One>, Row<"fmi2SetFMUstate", fmi2SetFMUstateTYPE, Self, Value>,
    Row<"fmi2FreeFMUstate", fmi2FreeFMUstateTYPE, Self, One>,
    Row<"fmi2SerializedFMUstateSize", fmi2SerializedFMUstateSizeTYPE, Self, Value, One>,
    Row<"fmi2SerializeFMUstate", fmi2SerializeFMUstateTYPE, Self, Value, Out<3>, Value>,
    Row<"fmi2DeSerializeFMUstate", fmi2DeSerializeFMUstateTYPE, Self, In<2>, Value, One>,
    Row<"fmi2GetDirectionalDerivative", fmi2GetDirectionalDerivativeTYPE, Self, In<2>, Value, In<4>, Value, In<4>,
        Out<2>>,
    // Model Exchange
    Row<"fmi2EnterEventMode", fmi2EnterEventModeTYPE, Self>,
    Row<"fmi2NewDiscreteStates", fmi2NewDiscreteStatesTYPE, Self, One>,
    Row<"fmi2EnterContinuousTimeMode", fmi2EnterContinuousTimeModeTYPE, Self>,
    Row<"fmi2CompletedIntegratorStep", fmi2CompletedIntegratorStepTYPE, Self, Value, One, One>,
    Row<"fmi2SetTime", fmi2SetTimeTYPE, Self, Value>,
    Row<"fmi2SetContinuousStates", fmi2SetContinuousStatesTYPE, Self, In<2>, Value>,
    Row<"fmi2GetDerivatives", fmi2GetDerivativesTYPE, Self, Out<2>, Value>,
    Row<"fmi2GetEventIndicators", fmi2GetEventIndicatorsTYPE, Self, Out<2>, Value>,
    Row<"fmi2GetContinuousStates", fmi2GetContinuousStatesTYPE, Self, Out<2>, Value>,
    Row<"fmi2GetNominalsOfContinuousStates", fmi2GetNominalsOfContinuousStatesTYPE, Self, Out<2>, Value>,
    // Co-Simulation
    Row<"fmi2SetRealInputDerivatives", fmi2SetRealInputDerivativesTYPE, Self, In<2>, Value, In<2>, In<2>>,
    Row<"fmi2GetRealOutputDerivatives", fmi2GetRealOutputDerivativesTYPE, Self, In<2>, Value, In<2>, Out<2>>,
    Row<"fmi2DoStep", fmi2DoStepTYPE, Self, Value, Value, Value>, Row<"fmi2CancelStep", fmi2CancelStepTYPE, Self>,  //
    Row<"fmi2GetStatus", fmi2GetStatusTYPE, Self, Value, One>,
    Row<"fmi2GetRealStatus", fmi2GetRealStatusTYPE, Self, Value, One>,
    Row<"fmi2GetBooleanStatus", fmi2GetBooleanStatusTYPE, Self, Value, One>>;

using Functions3 = List<
    Row<"fmi3InstantiateModelExchange", fmi3InstantiateModelExchangeTYPE, Text, Text, Folder, Value, Value, Environment,
        LogMessage>,
    Row<"fmi3InstantiateCoSimulation", fmi3InstantiateCoSimulationTYPE, Text, Text, Folder, Value, Value, Value, Value,
        In<8>, Value, Environment, LogMessage, IntermediateUpdate>,
    Row<"fmi3InstantiateScheduledExecution", fmi3InstantiateScheduledExecutionTYPE, Text, Text, Folder, Value, Value,
        Environment, LogMessage, ClockUpdate, Preemption, Preemption>,
    Row<"fmi3FreeInstance", fmi3FreeInstanceTYPE, Freed>,
    Row<"fmi3SetDebugLogging", fmi3SetDebugLoggingTYPE, Self, Value, Value, Texts<2>>,
    Row<"fmi3EnterConfigurationMode", fmi3EnterConfigurationModeTYPE, Self>,
    Row<"fmi3ExitConfigurationMode", fmi3ExitConfigurationModeTYPE, Self>,
    Row<"fmi3EnterInitializationMode", fmi3EnterInitializationModeTYPE, Self, Value, Value, Value, Value, Value>,
    Row<"fmi3ExitInitializationMode", fmi3ExitInitializationModeTYPE, Self>,
    Row<"fmi3EnterEventMode", fmi3EnterEventModeTYPE, Self>,  //
    Row<"fmi3Terminate", fmi3TerminateTYPE, Self>,            //
    Row<"fmi3Reset", fmi3ResetTYPE, Self>, Row<"fmi3GetFloat32", fmi3GetFloat32TYPE, Self, In<2>, Value, Out<4>, Value>,
    Row<"fmi3GetFloat64", fmi3GetFloat64TYPE, Self, In<2>, Value, Out<4>, Value>,
    Row<"fmi3GetInt8", fmi3GetInt8TYPE, Self, In<2>, Value, Out<4>, Value>,
    Row<"fmi3GetUInt8", fmi3GetUInt8TYPE, Self, In<2>, Value, Out<4>, Value>,
    Row<"fmi3GetInt16", fmi3GetInt16TYPE, Self, In<2>, Value, Out<4>, Value>,
    Row<"fmi3GetUInt16", fmi3GetUInt16TYPE, Self, In<2>, Value, Out<4>, Value>,
    Row<"fmi3GetInt32", fmi3GetInt32TYPE, Self, In<2>, Value, Out<4>, Value>,
    Row<"fmi3GetUInt32", fmi3GetUInt32TYPE, Self, In<2>, Value, Out<4>, Value>,
    Row<"fmi3GetInt64", fmi3GetInt64TYPE, Self, In<2>, Value, Out<4>, Value>,
    Row<"fmi3GetUInt64", fmi3GetUInt64TYPE, Self, In<2>, Value, Out<4>, Value>,
    Row<"fmi3GetBoolean", fmi3GetBooleanTYPE, Self, In<2>, Value, Out<4>, Value>,
    Row<"fmi3GetString", fmi3GetStringTYPE, Self, In<2>, Value, Told<4>, Value>,
    Row<"fmi3GetBinary", fmi3GetBinaryTYPE, Self, In<2>, Value, SizesOut<5>, ToldBinaries<3, 5>, Value>,
    Row<"fmi3GetClock", fmi3GetClockTYPE, Self, In<2>, Value, Out<2>>,
    Row<"fmi3SetFloat32", fmi3SetFloat32TYPE, Self, In<2>, Value, In<4>, Value>,
    Row<"fmi3SetFloat64", fmi3SetFloat64TYPE, Self, In<2>, Value, In<4>, Value>,
    Row<"fmi3SetInt8", fmi3SetInt8TYPE, Self, In<2>, Value, In<4>, Value>,
    Row<"fmi3SetUInt8", fmi3SetUInt8TYPE, Self, In<2>, Value, In<4>, Value>,
    Row<"fmi3SetInt16", fmi3SetInt16TYPE, Self, In<2>, Value, In<4>, Value>,
    Row<"fmi3SetUInt16", fmi3SetUInt16TYPE, Self, In<2>, Value, In<4>, Value>,
    Row<"fmi3SetInt32", fmi3SetInt32TYPE, Self, In<2>, Value, In<4>, Value>,
    Row<"fmi3SetUInt32", fmi3SetUInt32TYPE, Self, In<2>, Value, In<4>, Value>,
    Row<"fmi3SetInt64", fmi3SetInt64TYPE, Self, In<2>, Value, In<4>, Value>,
    Row<"fmi3SetUInt64", fmi3SetUInt64TYPE, Self, In<2>, Value, In<4>, Value>,
    Row<"fmi3SetBoolean", fmi3SetBooleanTYPE, Self, In<2>, Value, In<4>, Value>,
    Row<"fmi3SetString", fmi3SetStringTYPE, Self, In<2>, Value, Texts<4>, Value>,
    Row<"fmi3SetBinary", fmi3SetBinaryTYPE, Self, In<2>, Value, Sizes<5>, Binaries<3, 5>, Value>,
    Row<"fmi3SetClock", fmi3SetClockTYPE, Self, In<2>, Value, In<2>>,
    Row<"fmi3GetFMUState", fmi3GetFMUStateTYPE, Self, One>, Row<"fmi3SetFMUState", fmi3SetFMUStateTYPE, Self, Value>,
    Row<"fmi3FreeFMUState", fmi3FreeFMUStateTYPE, Self, One>,
    Row<"fmi3SerializedFMUStateSize", fmi3SerializedFMUStateSizeTYPE, Self, Value, One>,
    Row<"fmi3SerializeFMUState", fmi3SerializeFMUStateTYPE, Self, Value, Out<3>, Value>,
    Row<"fmi3DeserializeFMUState", fmi3DeserializeFMUStateTYPE, Self, In<2>, Value, One>,
    Row<"fmi3GetDirectionalDerivative", fmi3GetDirectionalDerivativeTYPE, Self, In<2>, Value, In<4>, Value, In<6>,
        Value, Out<8>, Value>,
    Row<"fmi3GetAdjointDerivative", fmi3GetAdjointDerivativeTYPE, Self, In<2>, Value, In<4>, Value, In<6>, Value,
        Out<8>, Value>,
    Row<"fmi3GetIntervalDecimal", fmi3GetIntervalDecimalTYPE, Self, In<2>, Value, Out<2>, Out<2>>,
    Row<"fmi3SetIntervalDecimal", fmi3SetIntervalDecimalTYPE, Self, In<2>, Value, In<2>>,
    Row<"fmi3GetShiftDecimal", fmi3GetShiftDecimalTYPE, Self, In<2>, Value, Out<2>>,
    Row<"fmi3SetShiftDecimal", fmi3SetShiftDecimalTYPE, Self, In<2>, Value, In<2>>,
    Row<"fmi3UpdateDiscreteStates", fmi3UpdateDiscreteStatesTYPE, Self, One, One, One, One, One, One>,
    // Model Exchange
    Row<"fmi3EnterContinuousTimeMode", fmi3EnterContinuousTimeModeTYPE, Self>,
    Row<"fmi3CompletedIntegratorStep", fmi3CompletedIntegratorStepTYPE, Self, Value, One, One>,
    Row<"fmi3SetTime", fmi3SetTimeTYPE, Self, Value>,
    Row<"fmi3SetContinuousStates", fmi3SetContinuousStatesTYPE, Self, In<2>, Value>,
    Row<"fmi3GetContinuousStateDerivatives", fmi3GetContinuousStateDerivativesTYPE, Self, Out<2>, Value>,
    Row<"fmi3GetEventIndicators", fmi3GetEventIndicatorsTYPE, Self, Out<2>, Value>,
    Row<"fmi3GetContinuousStates", fmi3GetContinuousStatesTYPE, Self, Out<2>, Value>,
    Row<"fmi3GetNominalsOfContinuousStates", fmi3GetNominalsOfContinuousStatesTYPE, Self, Out<2>, Value>,
    Row<"fmi3GetNumberOfEventIndicators", fmi3GetNumberOfEventIndicatorsTYPE, Self, One>,
    Row<"fmi3GetNumberOfContinuousStates", fmi3GetNumberOfContinuousStatesTYPE, Self, One>,
    // Co-Simulation
    Row<"fmi3EnterStepMode", fmi3EnterStepModeTYPE, Self>,
    Row<"fmi3GetOutputDerivatives", fmi3GetOutputDerivativesTYPE, Self, In<2>, Value, In<2>, Out<5>, Value>,
    Row<"fmi3DoStep", fmi3DoStepTYPE, Self, Value, Value, Value, One, One, One, One>,
    // Scheduled Execution
    Row<"fmi3ActivateModelPartition", fmi3ActivateModelPartitionTYPE, Self, Value, Value>>;

// Calls f.template operator()<Functions…>() with the list of a version of FMI (1, 2 or 3).
template <class F>
decltype(auto) with_functions(int version, F&& f) {
  switch (version) {
    case 1: return f.template operator()<Functions1>();
    case 2: return f.template operator()<Functions2>();
    default: return f.template operator()<Functions3>();
  }
}

}  // namespace consort::fmi::foreign
