// The functions of an FMI 1.0 FMU for Co-Simulation, implemented with Unit.
#include <limits>

#include "glue/fmi1_common.hpp"

const char* fmiGetTypesPlatform(void) { return fmiPlatform; }

fmiComponent fmiInstantiateSlave(fmiString instanceName, fmiString fmuGUID, fmiString fmuLocation, fmiString, fmiReal,
                                 fmiBoolean, fmiBoolean, fmiCallbackFunctionsCS functions, fmiBoolean loggingOn) {
  std::string resources = glue::path_of_uri(fmuLocation);
  if (!resources.empty()) resources += "/resources";
  return instantiate(instanceName, fmuGUID, std::move(resources), loggingOn != fmiFalse, functions.logger,
                     Interface::co_simulation);
}

fmiStatus fmiInitializeSlave(fmiComponent c, fmiReal tStart, fmiBoolean StopTimeDefined, fmiReal tStop) {
  return call(c, "fmiInitializeSlave", [&](Unit& u) {
    u.require(model::instantiated);
    const double never = std::numeric_limits<double>::infinity();
    u.instance.enter_initialization(tStart, StopTimeDefined != fmiFalse ? tStop : never);
    u.leave_initialization();
  });
}

fmiStatus fmiTerminateSlave(fmiComponent c) {
  return call(c, "fmiTerminateSlave", [&](Unit& u) {
    u.require(model::running_modes);
    u.instance.head().mode = model::terminated;
  });
}

fmiStatus fmiResetSlave(fmiComponent c) {
  return call(c, "fmiResetSlave", [&](Unit& u) { u.instance.reset(); });
}

void fmiFreeSlaveInstance(fmiComponent c) { delete static_cast<Component1*>(c); }

fmiStatus fmiSetRealInputDerivatives(fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiInteger order[],
                                     const fmiReal value[]) {
  return call(c, "fmiSetRealInputDerivatives", [&](Unit& u) {
    for (size_t i = 0; i < nvr; ++i) u.stepper.set_input_derivative(u.writable(vr[i]), order[i], value[i]);
  });
}

fmiStatus fmiGetRealOutputDerivatives(fmiComponent c, const fmiValueReference vr[], size_t nvr,
                                      const fmiInteger order[], fmiReal value[]) {
  return call(c, "fmiGetRealOutputDerivatives", [&](Unit& u) {
    u.require(model::step_mode | model::terminated);
    for (size_t i = 0; i < nvr; ++i) {
      const model::Slot& slot = u.readable(vr[i]);
      if (order[i] != 1) throw model::Failure("only first derivatives of outputs are known");
      if (slot.kind != model::Kind::float64) u.refuse_type(slot, "Real");
      u.instance.time_derivative(slot, &value[i]);
    }
  });
}

fmiStatus fmiDoStep(fmiComponent c, fmiReal currentCommunicationPoint, fmiReal communicationStepSize, fmiBoolean) {
  return call(c, "fmiDoStep", [&](Unit& u) {
    u.require(model::step_mode);
    const glue::StepResult result = u.step(currentCommunicationPoint, communicationStepSize);
    return result.terminate ? model::Status::discard : model::Status::ok;
  });
}

fmiStatus fmiCancelStep(fmiComponent c) {
  return call(c, "fmiCancelStep", [&](Unit&) { throw model::Failure("steps are never pending"); });
}

fmiStatus fmiGetStatus(fmiComponent, const fmiStatusKind, fmiStatus*) { return fmiDiscard; }

fmiStatus fmiGetRealStatus(fmiComponent c, const fmiStatusKind s, fmiReal* value) {
  if (c == nullptr || s != fmiLastSuccessfulTime) return fmiDiscard;
  *value = static_cast<Component1*>(c)->unit.instance.head().time;
  return fmiOK;
}

fmiStatus fmiGetIntegerStatus(fmiComponent, const fmiStatusKind, fmiInteger*) { return fmiDiscard; }
fmiStatus fmiGetBooleanStatus(fmiComponent, const fmiStatusKind, fmiBoolean*) { return fmiDiscard; }
fmiStatus fmiGetStringStatus(fmiComponent, const fmiStatusKind, fmiString*) { return fmiDiscard; }
