// The functions of an FMI 2.0 FMU, implemented with Unit. They check the standard's call sequences (FMI 2.0, 3.2.3 and
// 4.2.4).
#include <limits>
#include <memory>
#include <vector>

#include "fmi/headers/fmi2/fmi2Functions.h"
#include "glue/scalar_values.hpp"
#include "glue/unit.hpp"

namespace {

using consort::glue::Facts;
using consort::glue::Interface;
using consort::glue::LogHost;
using consort::glue::Unit;
namespace glue = consort::glue;
namespace model = consort::model;

const Facts& facts() {
  static const Facts the_facts(glue::exported_model(), model::Layout::Style::scalars);
  return the_facts;
}

struct Host : LogHost {
  Host(const char* instance, const char* location, const fmi2CallbackFunctions& f, bool logging_on)
      : LogHost(instance, glue::path_of_uri(location), logging_on, forward), functions(f) {}

  static void forward(const model::Host& host, model::Status status, const char* category, const char* format,
                      const void* argument) {
    const auto& self = static_cast<const Host&>(host);
    if (!self.wants(status, category) || self.functions.logger == nullptr) return;
    self.functions.logger(self.functions.componentEnvironment, self.instance_name, static_cast<fmi2Status>(status),
                          category, format, argument);
  }

  fmi2CallbackFunctions functions;
};

struct Fmi2Instance {
  Fmi2Instance(const char* name, const char* resources, const fmi2CallbackFunctions& f, bool logging,
               Interface interface)
      : host(name, resources, f, logging), unit(facts(), host, interface) {}
  Host host;
  Unit unit;
};

Unit& unit_of(fmi2Component c) { return static_cast<Fmi2Instance*>(c)->unit; }

// `body(Unit&)` returns nothing or a status.
template <class Body>
fmi2Status call(fmi2Component c, const char* function, Body&& body) {
  if (c == nullptr) return fmi2Error;
  Unit& u = unit_of(c);
  return static_cast<fmi2Status>(glue::guarded(u, function, [&] {
    if constexpr (std::is_void_v<decltype(body(u))>) {
      body(u);
      return model::Status::ok;
    } else {
      return body(u);
    }
  }));
}

std::vector<const model::Slot*> real_slots(const Unit& u, const fmi2ValueReference* references, size_t n) {
  std::vector<const model::Slot*> slots;
  slots.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    slots.push_back(u.facts.layout.find(references[i]));
    if (slots.back() == nullptr) u.refuse_reference(references[i]);
  }
  return slots;
}

void require_size(size_t given, size_t expected) {
  if (given != expected)
    throw model::Failure("the array size differs from the number of states or indicators of the model");
}

constexpr model::Modes any_mode =
    model::instantiated | model::initialization | model::running_modes | model::terminated;
constexpr model::Modes computing = model::initialization | model::running_modes | model::terminated;

}  // namespace

// --- properties of the binary

const char* fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char* fmi2GetVersion(void) { return fmi2Version; }

// --- creation, initialization and end of an instance

fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID,
                              fmi2String fmuResourceLocation, const fmi2CallbackFunctions* functions, fmi2Boolean,
                              fmi2Boolean loggingOn) {
  if (functions == nullptr) return nullptr;
  const auto complain = [&](const char* text) -> fmi2Component {
    if (functions->logger != nullptr) {
      functions->logger(functions->componentEnvironment, instanceName, fmi2Error, "logStatusError", "%s", text);
    }
    return nullptr;
  };
  if (instanceName == nullptr || *instanceName == '\0') return complain("fmi2Instantiate: the instance needs a name");
  if (fmuGUID == nullptr || facts().token_text != fmuGUID) {
    return complain("fmi2Instantiate: the GUID does not match this binary");
  }
  const auto interface = fmuType == fmi2ModelExchange ? Interface::model_exchange : Interface::co_simulation;
  try {
    return new Fmi2Instance(instanceName, fmuResourceLocation, *functions, loggingOn != fmi2False, interface);
  } catch (const std::exception& e) {
    return complain(e.what());
  } catch (...) {
    return complain("fmi2Instantiate: the model threw something that is not an exception");
  }
}

void fmi2FreeInstance(fmi2Component c) { delete static_cast<Fmi2Instance*>(c); }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean loggingOn, size_t nCategories,
                               const fmi2String categories[]) {
  return call(c, "fmi2SetDebugLogging",
              [&](Unit& u) { u.host.choose(loggingOn != fmi2False, nCategories, categories); });
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean, fmi2Real, fmi2Real startTime, fmi2Boolean stopTimeDefined,
                               fmi2Real stopTime) {
  return call(c, "fmi2SetupExperiment", [&](Unit& u) {
    u.require(model::instantiated);
    u.instance.head().start_time = u.instance.head().time = startTime;
    if (stopTimeDefined != fmi2False) u.instance.head().stop_time = stopTime;
  });
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  return call(c, "fmi2EnterInitializationMode", [&](Unit& u) {
    u.require(model::instantiated);
    u.instance.enter_initialization(u.instance.head().start_time, u.instance.head().stop_time);
  });
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  return call(c, "fmi2ExitInitializationMode", [&](Unit& u) {
    u.require(model::initialization);
    u.leave_initialization();
  });
}

fmi2Status fmi2Terminate(fmi2Component c) {
  return call(c, "fmi2Terminate", [&](Unit& u) {
    u.require(model::running_modes);
    u.instance.head().mode = model::terminated;
  });
}

fmi2Status fmi2Reset(fmi2Component c) {
  return call(c, "fmi2Reset", [&](Unit& u) { u.instance.reset(); });
}

// --- values

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Real value[]) {
  return call(c, "fmi2GetReal", [&](Unit& u) { glue::read_reals(u, vr, nvr, value); });
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Integer value[]) {
  return call(c, "fmi2GetInteger", [&](Unit& u) {
    for (size_t i = 0; i < nvr; ++i) value[i] = glue::read_integer(u, vr[i]);
  });
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Boolean value[]) {
  return call(c, "fmi2GetBoolean", [&](Unit& u) {
    for (size_t i = 0; i < nvr; ++i) value[i] = glue::read_boolean(u, vr[i]) ? fmi2True : fmi2False;
  });
}

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2String value[]) {
  return call(c, "fmi2GetString", [&](Unit& u) {
    for (size_t i = 0; i < nvr; ++i) value[i] = glue::read_string(u, vr[i]);
  });
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Real value[]) {
  return call(c, "fmi2SetReal", [&](Unit& u) { glue::write_reals(u, vr, nvr, value); });
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Integer value[]) {
  return call(c, "fmi2SetInteger", [&](Unit& u) {
    for (size_t i = 0; i < nvr; ++i) glue::write_integer(u, vr[i], value[i]);
    u.instance.touch();
  });
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Boolean value[]) {
  return call(c, "fmi2SetBoolean", [&](Unit& u) {
    for (size_t i = 0; i < nvr; ++i) glue::write_boolean(u, vr[i], value[i] != fmi2False);
    u.instance.touch();
  });
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2String value[]) {
  return call(c, "fmi2SetString", [&](Unit& u) {
    for (size_t i = 0; i < nvr; ++i) glue::write_string(u, vr[i], value[i]);
    u.instance.touch();
  });
}

// --- the complete state

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* FMUstate) {
  return call(c, "fmi2GetFMUstate", [&](Unit& u) { *FMUstate = u.save(static_cast<std::byte*>(*FMUstate)); });
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate FMUstate) {
  return call(c, "fmi2SetFMUstate", [&](Unit& u) { u.restore(static_cast<const std::byte*>(FMUstate)); });
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* FMUstate) {
  return call(c, "fmi2FreeFMUstate", [&](Unit&) {
    if (FMUstate == nullptr) return;
    Unit::release(static_cast<std::byte*>(*FMUstate));
    *FMUstate = nullptr;
  });
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate, size_t* size) {
  return call(c, "fmi2SerializedFMUstateSize", [&](Unit& u) { *size = u.serialized_size(); });
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate FMUstate, fmi2Byte serializedState[], size_t size) {
  return call(c, "fmi2SerializeFMUstate", [&](Unit& u) {
    u.serialize(static_cast<const std::byte*>(FMUstate), static_cast<std::byte*>(static_cast<void*>(serializedState)),
                size);
  });
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte serializedState[], size_t size,
                                   fmi2FMUstate* FMUstate) {
  return call(c, "fmi2DeSerializeFMUstate", [&](Unit& u) {
    auto* state = u.deserialize(static_cast<const std::byte*>(static_cast<const void*>(serializedState)), size);
    Unit::release(static_cast<std::byte*>(*FMUstate));
    *FMUstate = state;
  });
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference vUnknown_ref[], size_t nUnknown,
                                        const fmi2ValueReference vKnown_ref[], size_t nKnown, const fmi2Real dvKnown[],
                                        fmi2Real dvUnknown[]) {
  return call(c, "fmi2GetDirectionalDerivative", [&](Unit& u) {
    u.require(computing);
    u.instance.directional(real_slots(u, vUnknown_ref, nUnknown), real_slots(u, vKnown_ref, nKnown), dvKnown,
                           dvUnknown);
  });
}

// --- Model Exchange

fmi2Status fmi2EnterEventMode(fmi2Component c) {
  return call(c, "fmi2EnterEventMode", [&](Unit& u) {
    u.require(model::continuous_time | model::event_mode);
    u.instance.head().mode = model::event_mode;
  });
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) {
  return call(c, "fmi2NewDiscreteStates", [&](Unit& u) {
    u.require(model::event_mode);
    const model::EventOutcome outcome = u.instance.update_event();
    info->newDiscreteStatesNeeded = outcome.again;
    info->terminateSimulation = outcome.terminate;
    info->nominalsOfContinuousStatesChanged = fmi2False;
    info->valuesOfContinuousStatesChanged = outcome.states_changed;
    info->nextEventTimeDefined = outcome.next_time < std::numeric_limits<double>::infinity();
    info->nextEventTime = info->nextEventTimeDefined != fmi2False ? outcome.next_time : 0.0;
  });
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
  return call(c, "fmi2EnterContinuousTimeMode", [&](Unit& u) {
    u.require(model::event_mode);
    u.leave_event_mode();
  });
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean, fmi2Boolean* enterEventMode,
                                       fmi2Boolean* terminateSimulation) {
  return call(c, "fmi2CompletedIntegratorStep", [&](Unit& u) {
    u.require(model::continuous_time);
    *enterEventMode = fmi2False;
    *terminateSimulation = fmi2False;
    u.instance.completed(0);
  });
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
  return call(c, "fmi2SetTime", [&](Unit& u) {
    u.require(model::continuous_time | model::event_mode);
    u.instance.set_time(time);
  });
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx) {
  return call(c, "fmi2SetContinuousStates", [&](Unit& u) {
    u.require(model::continuous_time | model::event_mode);
    require_size(nx, u.instance.state_count());
    u.instance.write_states(x);
  });
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t nx) {
  return call(c, "fmi2GetDerivatives", [&](Unit& u) {
    u.require(computing);
    require_size(nx, u.instance.state_count());
    u.instance.read_rates(derivatives);
  });
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real eventIndicators[], size_t ni) {
  return call(c, "fmi2GetEventIndicators", [&](Unit& u) {
    u.require(computing);
    require_size(ni, u.facts.layout.indicators().size());
    u.instance.read_indicators(eventIndicators);
  });
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t nx) {
  return call(c, "fmi2GetContinuousStates", [&](Unit& u) {
    u.require(computing);
    require_size(nx, u.instance.state_count());
    u.instance.refresh(model::stage_initialize);
    u.instance.read_states(x);
  });
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x_nominal[], size_t nx) {
  return call(c, "fmi2GetNominalsOfContinuousStates", [&](Unit& u) {
    u.require(any_mode);
    require_size(nx, u.instance.state_count());
    u.instance.read_nominals(x_nominal);
  });
}

// --- Co-Simulation

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                       const fmi2Integer order[], const fmi2Real value[]) {
  return call(c, "fmi2SetRealInputDerivatives", [&](Unit& u) {
    for (size_t i = 0; i < nvr; ++i) u.stepper.set_input_derivative(u.writable(vr[i]), order[i], value[i]);
  });
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                        const fmi2Integer order[], fmi2Real value[]) {
  return call(c, "fmi2GetRealOutputDerivatives", [&](Unit& u) {
    u.require(model::step_mode | model::terminated);
    for (size_t i = 0; i < nvr; ++i) {
      const model::Slot& slot = u.readable(vr[i]);
      if (order[i] != 1) throw model::Failure("only first derivatives of outputs are known");
      if (slot.kind != model::Kind::float64) u.refuse_type(slot, "Real");
      u.instance.time_derivative(slot, &value[i]);
    }
  });
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real currentCommunicationPoint, fmi2Real communicationStepSize,
                      fmi2Boolean) {
  return call(c, "fmi2DoStep", [&](Unit& u) {
    u.require(model::step_mode);
    const glue::StepResult result = u.step(currentCommunicationPoint, communicationStepSize);
    // FMI 2.0, 4.2.2: a model that ends the simulation returns discard and reports it in
    // fmi2GetBooleanStatus(fmi2Terminated).
    return result.terminate ? model::Status::discard : model::Status::ok;
  });
}

fmi2Status fmi2CancelStep(fmi2Component c) {
  return call(c, "fmi2CancelStep", [&](Unit&) { throw model::Failure("steps are never pending"); });
}

fmi2Status fmi2GetStatus(fmi2Component, const fmi2StatusKind, fmi2Status*) { return fmi2Discard; }

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind s, fmi2Real* value) {
  if (c == nullptr || s != fmi2LastSuccessfulTime) return fmi2Discard;
  *value = unit_of(c).instance.head().time;
  return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component, const fmi2StatusKind, fmi2Integer*) { return fmi2Discard; }

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind s, fmi2Boolean* value) {
  if (c == nullptr || s != fmi2Terminated) return fmi2Discard;
  *value = unit_of(c).instance.head().terminate;
  return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component, const fmi2StatusKind, fmi2String*) { return fmi2Discard; }
