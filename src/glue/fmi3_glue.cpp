// The functions of an FMI 3.0 FMU, implemented with Unit: creation, state, events, steps. Values are in
// fmi3_values.cpp.
#include <limits>
#include <vector>

#include "glue/fmi3_component.hpp"

namespace {

namespace glue = consort::glue;
namespace model = consort::model;
using glue::call3;
using glue::Component3;
using glue::Interface;
using glue::Unit;

constexpr double never = std::numeric_limits<double>::infinity();
constexpr model::Modes computing =
    model::initialization | model::running_modes | model::intermediate | model::terminated;

struct Wishes {
  fmi3String name;
  fmi3String token;
  fmi3String resources;
  bool logging;
  fmi3InstanceEnvironment environment;
  fmi3LogMessageCallback log;
};

Component3* instantiate(const Wishes& wishes, Interface interface) {
  const auto complain = [&](const char* text) -> Component3* {
    if (wishes.log != nullptr) wishes.log(wishes.environment, fmi3Error, "logStatusError", text);
    return nullptr;
  };
  if (wishes.name == nullptr || *wishes.name == '\0') return complain("the instance needs a name");
  if (wishes.token == nullptr || glue::facts3().token_text != wishes.token) {
    return complain("the instantiation token does not match this binary");
  }
  try {
    return new Component3(wishes.name, wishes.resources, wishes.logging, wishes.environment, wishes.log, interface);
  } catch (const std::exception& e) {
    return complain(e.what());
  } catch (...) {
    return complain("the model threw something that is not an exception");
  }
}

std::vector<const model::Slot*> slots_of(const Unit& u, const fmi3ValueReference* references, size_t n, size_t values) {
  std::vector<const model::Slot*> slots;
  slots.reserve(n);
  size_t elements = 0;
  for (size_t i = 0; i < n; ++i) {
    slots.push_back(u.facts.layout.find(references[i]));
    if (slots.back() == nullptr) u.refuse_reference(references[i]);
    elements += u.instance.element_count(*slots.back());
  }
  if (elements != values)
    throw model::Failure("the number of values differs from the number of elements of the variables");
  return slots;
}

void require_size(size_t given, size_t expected) {
  if (given != expected)
    throw model::Failure("the array size differs from the number of states or indicators of the model");
}

// Called after each step of the solver; the importer may read and write values meanwhile.
double intermediate_update(void* environment, double time) {
  auto& component = *static_cast<Component3*>(environment);
  model::Head& head = component.unit.instance.head();
  fmi3Boolean requested = fmi3False;
  fmi3Float64 early = time;
  head.mode = model::intermediate;
  component.intermediate(component.host.environment, time, fmi3True, fmi3True, fmi3True, component.may_return_early,
                         &requested, &early);
  head.mode = model::step_mode;
  return requested && component.may_return_early ? early : never;
}

}  // namespace

const char* fmi3GetVersion(void) { return fmi3Version; }

// --- creation, initialization and end of an instance

fmi3Instance fmi3InstantiateModelExchange(fmi3String instanceName, fmi3String instantiationToken,
                                          fmi3String resourcePath, fmi3Boolean, fmi3Boolean loggingOn,
                                          fmi3InstanceEnvironment instanceEnvironment,
                                          fmi3LogMessageCallback logMessage) {
  return instantiate({instanceName, instantiationToken, resourcePath, loggingOn, instanceEnvironment, logMessage},
                     Interface::model_exchange);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String instanceName, fmi3String instantiationToken,
                                         fmi3String resourcePath, fmi3Boolean, fmi3Boolean loggingOn,
                                         fmi3Boolean eventModeUsed, fmi3Boolean earlyReturnAllowed,
                                         const fmi3ValueReference[], size_t,
                                         fmi3InstanceEnvironment instanceEnvironment, fmi3LogMessageCallback logMessage,
                                         fmi3IntermediateUpdateCallback intermediateUpdate) {
  Component3* component =
      instantiate({instanceName, instantiationToken, resourcePath, loggingOn, instanceEnvironment, logMessage},
                  Interface::co_simulation);
  if (component == nullptr) return nullptr;
  component->unit.importer_handles_events = eventModeUsed;
  component->may_return_early = earlyReturnAllowed;
  component->intermediate = intermediateUpdate;
  return component;
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean,
                                               fmi3InstanceEnvironment instanceEnvironment,
                                               fmi3LogMessageCallback logMessage, fmi3ClockUpdateCallback,
                                               fmi3LockPreemptionCallback, fmi3UnlockPreemptionCallback) {
  if (logMessage != nullptr) {
    logMessage(instanceEnvironment, fmi3Error, "logStatusError", "the model has no scheduled execution");
  }
  return nullptr;
}

void fmi3FreeInstance(fmi3Instance instance) { delete static_cast<Component3*>(instance); }

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean loggingOn, size_t nCategories,
                               const fmi3String categories[]) {
  return call3(instance, "fmi3SetDebugLogging", [&](Unit& u) { u.host.choose(loggingOn, nCategories, categories); });
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance) {
  return call3(instance, "fmi3EnterConfigurationMode", [&](Unit& u) {
    u.require(model::instantiated);
    u.instance.head().mode = model::configuration;
  });
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance) {
  return call3(instance, "fmi3ExitConfigurationMode", [&](Unit& u) {
    u.require(model::configuration);
    u.instance.leave_configuration();
    u.instance.head().mode = model::instantiated;
  });
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean, fmi3Float64, fmi3Float64 startTime,
                                       fmi3Boolean stopTimeDefined, fmi3Float64 stopTime) {
  return call3(instance, "fmi3EnterInitializationMode", [&](Unit& u) {
    u.require(model::instantiated);
    u.instance.enter_initialization(startTime, stopTimeDefined ? stopTime : never);
  });
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
  return call3(instance, "fmi3ExitInitializationMode", [&](Unit& u) {
    u.require(model::initialization);
    u.leave_initialization();
  });
}

fmi3Status fmi3EnterEventMode(fmi3Instance instance) {
  return call3(instance, "fmi3EnterEventMode", [&](Unit& u) {
    if (!u.importer_handles_events) throw model::Failure("the instance was made without event mode");
    u.require(model::continuous_time | model::step_mode | model::event_mode);
    u.instance.head().mode = model::event_mode;
  });
}

fmi3Status fmi3Terminate(fmi3Instance instance) {
  return call3(instance, "fmi3Terminate", [&](Unit& u) {
    u.require(model::running_modes);
    u.instance.head().mode = model::terminated;
  });
}

fmi3Status fmi3Reset(fmi3Instance instance) {
  return call3(instance, "fmi3Reset", [&](Unit& u) { u.instance.reset(); });
}

// --- dependencies: only in the description, for whole variables

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance, fmi3ValueReference, size_t*) {
  return call3(instance, "fmi3GetNumberOfVariableDependencies",
               [&](Unit&) { throw model::Failure("dependencies are not available per element"); });
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance instance, fmi3ValueReference, size_t[], fmi3ValueReference[],
                                       size_t[], fmi3DependencyKind[], size_t) {
  return call3(instance, "fmi3GetVariableDependencies",
               [&](Unit&) { throw model::Failure("dependencies are not available per element"); });
}

// --- the complete state

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState* FMUState) {
  return call3(instance, "fmi3GetFMUState", [&](Unit& u) { *FMUState = u.save(static_cast<std::byte*>(*FMUState)); });
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState FMUState) {
  return call3(instance, "fmi3SetFMUState", [&](Unit& u) { u.restore(static_cast<const std::byte*>(FMUState)); });
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState* FMUState) {
  return call3(instance, "fmi3FreeFMUState", [&](Unit&) {
    if (FMUState == nullptr) return;
    Unit::release(static_cast<std::byte*>(*FMUState));
    *FMUState = nullptr;
  });
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState, size_t* size) {
  return call3(instance, "fmi3SerializedFMUStateSize", [&](Unit& u) { *size = u.serialized_size(); });
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState FMUState, fmi3Byte serializedState[],
                                 size_t size) {
  return call3(instance, "fmi3SerializeFMUState", [&](Unit& u) {
    u.serialize(static_cast<const std::byte*>(FMUState), static_cast<std::byte*>(static_cast<void*>(serializedState)),
                size);
  });
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte serializedState[], size_t size,
                                   fmi3FMUState* FMUState) {
  return call3(instance, "fmi3DeserializeFMUState", [&](Unit& u) {
    auto* state = u.deserialize(static_cast<const std::byte*>(static_cast<const void*>(serializedState)), size);
    Unit::release(static_cast<std::byte*>(*FMUState));
    *FMUState = state;
  });
}

// --- directional derivatives

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[], size_t nUnknowns,
                                        const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[],
                                        size_t nSeed, fmi3Float64 sensitivity[], size_t nSensitivity) {
  return call3(instance, "fmi3GetDirectionalDerivative", [&](Unit& u) {
    u.require(computing);
    u.instance.directional(slots_of(u, unknowns, nUnknowns, nSensitivity), slots_of(u, knowns, nKnowns, nSeed), seed,
                           sensitivity);
  });
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[], size_t nUnknowns,
                                    const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[],
                                    size_t nSeed, fmi3Float64 sensitivity[], size_t nSensitivity) {
  return call3(instance, "fmi3GetAdjointDerivative", [&](Unit& u) {
    u.require(computing);
    const auto unknown_slots = slots_of(u, unknowns, nUnknowns, nSeed);
    const auto known_slots = slots_of(u, knowns, nKnowns, nSensitivity);
    // Computed column by column: the models are small, and most have no analytic derivatives.
    std::vector<double> direction(nSensitivity, 0.0);
    std::vector<double> column(nSeed);
    for (size_t j = 0; j < nSensitivity; ++j) {
      direction[j] = 1;
      u.instance.directional(unknown_slots, known_slots, direction.data(), column.data());
      direction[j] = 0;
      sensitivity[j] = 0;
      for (size_t i = 0; i < nSeed; ++i) sensitivity[j] += seed[i] * column[i];
    }
  });
}

// --- events

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance) {
  return call3(instance, "fmi3EvaluateDiscreteStates",
               [&](Unit& u) { u.require(model::initialization | model::event_mode); });
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean* discreteStatesNeedUpdate,
                                    fmi3Boolean* terminateSimulation, fmi3Boolean* nominalsOfContinuousStatesChanged,
                                    fmi3Boolean* valuesOfContinuousStatesChanged, fmi3Boolean* nextEventTimeDefined,
                                    fmi3Float64* nextEventTime) {
  return call3(instance, "fmi3UpdateDiscreteStates", [&](Unit& u) {
    u.require(model::event_mode);
    const model::EventOutcome outcome = u.instance.update_event();
    *discreteStatesNeedUpdate = outcome.again;
    *terminateSimulation = outcome.terminate;
    *nominalsOfContinuousStatesChanged = fmi3False;
    *valuesOfContinuousStatesChanged = outcome.states_changed;
    *nextEventTimeDefined = outcome.next_time < never;
    *nextEventTime = *nextEventTimeDefined ? outcome.next_time : 0.0;
  });
}

// --- Model Exchange

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance) {
  return call3(instance, "fmi3EnterContinuousTimeMode", [&](Unit& u) {
    u.require(u.interface == Interface::model_exchange ? model::event_mode : 0);
    u.leave_event_mode();
  });
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean, fmi3Boolean* enterEventMode,
                                       fmi3Boolean* terminateSimulation) {
  return call3(instance, "fmi3CompletedIntegratorStep", [&](Unit& u) {
    u.require(model::continuous_time);
    *enterEventMode = fmi3False;
    *terminateSimulation = fmi3False;
    u.instance.completed(0);
  });
}

fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time) {
  return call3(instance, "fmi3SetTime", [&](Unit& u) {
    u.require(model::continuous_time);
    u.instance.set_time(time);
  });
}

fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 continuousStates[],
                                   size_t nContinuousStates) {
  return call3(instance, "fmi3SetContinuousStates", [&](Unit& u) {
    u.require(model::continuous_time);
    require_size(nContinuousStates, u.instance.state_count());
    u.instance.write_states(continuousStates);
  });
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64 derivatives[],
                                             size_t nContinuousStates) {
  return call3(instance, "fmi3GetContinuousStateDerivatives", [&](Unit& u) {
    u.require(computing);
    require_size(nContinuousStates, u.instance.state_count());
    u.instance.read_rates(derivatives);
  });
}

fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 eventIndicators[], size_t nEventIndicators) {
  return call3(instance, "fmi3GetEventIndicators", [&](Unit& u) {
    u.require(computing);
    require_size(nEventIndicators, u.facts.layout.indicators().size());
    u.instance.read_indicators(eventIndicators);
  });
}

fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 continuousStates[], size_t nContinuousStates) {
  return call3(instance, "fmi3GetContinuousStates", [&](Unit& u) {
    u.require(computing);
    require_size(nContinuousStates, u.instance.state_count());
    u.instance.refresh(model::stage_initialize);
    u.instance.read_states(continuousStates);
  });
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64 nominals[], size_t nContinuousStates) {
  return call3(instance, "fmi3GetNominalsOfContinuousStates", [&](Unit& u) {
    require_size(nContinuousStates, u.instance.state_count());
    u.instance.read_nominals(nominals);
  });
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t* nEventIndicators) {
  return call3(instance, "fmi3GetNumberOfEventIndicators",
               [&](Unit& u) { *nEventIndicators = u.facts.layout.indicators().size(); });
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t* nContinuousStates) {
  return call3(instance, "fmi3GetNumberOfContinuousStates",
               [&](Unit& u) { *nContinuousStates = u.instance.state_count(); });
}

// --- Co-Simulation

fmi3Status fmi3EnterStepMode(fmi3Instance instance) {
  return call3(instance, "fmi3EnterStepMode", [&](Unit& u) {
    u.require(u.interface == Interface::co_simulation ? model::event_mode : 0);
    u.leave_event_mode();
  });
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                                    size_t nValueReferences, const fmi3Int32 orders[], fmi3Float64 values[],
                                    size_t nValues) {
  return call3(instance, "fmi3GetOutputDerivatives", [&](Unit& u) {
    u.require(model::step_mode | model::intermediate | model::terminated);
    const auto slots = slots_of(u, valueReferences, nValueReferences, nValues);
    for (size_t i = 0; i < nValueReferences; ++i) {
      if (orders[i] != 1) throw model::Failure("only first derivatives of outputs are known");
      if (slots[i]->kind != model::Kind::float64) u.refuse_type(*slots[i], "Float64");
      u.instance.time_derivative(*slots[i], values);
      values += u.instance.element_count(*slots[i]);
    }
  });
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 currentCommunicationPoint, fmi3Float64 communicationStepSize,
                      fmi3Boolean, fmi3Boolean* eventHandlingNeeded, fmi3Boolean* terminateSimulation,
                      fmi3Boolean* earlyReturn, fmi3Float64* lastSuccessfulTime) {
  const fmi3Status status = call3(instance, "fmi3DoStep", [&](Unit& u) {
    u.require(model::step_mode);
    auto& component = *static_cast<Component3*>(instance);
    const glue::StepResult result =
        u.step({.t = currentCommunicationPoint,
                .h = communicationStepSize,
                .stop_at_events = u.importer_handles_events,
                .may_return_early = component.may_return_early,
                .intermediate = component.intermediate != nullptr ? intermediate_update : nullptr,
                .environment = &component});
    *eventHandlingNeeded = result.event;
    *terminateSimulation = result.terminate;
    *earlyReturn = result.early;
    *lastSuccessfulTime = result.reached;
  });
  if (status == fmi3Discard) {
    *eventHandlingNeeded = *terminateSimulation = *earlyReturn = fmi3False;
    *lastSuccessfulTime = static_cast<Component3*>(instance)->unit.instance.head().time;
  }
  return status;
}

fmi3Status fmi3ActivateModelPartition(fmi3Instance instance, fmi3ValueReference, fmi3Float64) {
  return call3(instance, "fmi3ActivateModelPartition",
               [&](Unit&) { throw model::Failure("the model has no partitions"); });
}
