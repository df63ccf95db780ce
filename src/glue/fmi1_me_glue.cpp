// The functions of an FMI 1.0 FMU for Model Exchange, implemented with Unit. FMI 1.0 does not distinguish event mode
// and continuous-time mode: an initialized instance is in event mode here, in which everything may be set.
#include <limits>

#include "glue/fmi1_common.hpp"

namespace {

void require_size(size_t given, size_t expected) {
  if (given != expected)
    throw model::Failure("the array size differs from the number of states or indicators of the model");
}

void update(Unit& u, bool one_iteration, fmiEventInfo* info) {
  model::EventOutcome outcome;
  bool changed = false;
  for (int i = 0; i < 100; ++i) {
    outcome = u.instance.update_event();
    changed |= outcome.states_changed;
    if (one_iteration || !outcome.again) break;
  }
  if (outcome.again && !one_iteration) throw model::Failure("event() always requests another iteration");
  info->iterationConverged = outcome.again ? fmiFalse : fmiTrue;
  info->stateValueReferencesChanged = fmiFalse;
  info->stateValuesChanged = changed ? fmiTrue : fmiFalse;
  info->terminateSimulation = outcome.terminate ? fmiTrue : fmiFalse;
  info->upcomingTimeEvent = outcome.next_time < std::numeric_limits<double>::infinity() ? fmiTrue : fmiFalse;
  info->nextEventTime = info->upcomingTimeEvent != fmiFalse ? outcome.next_time : 0.0;
}

}  // namespace

const char* fmiGetModelTypesPlatform(void) { return fmiModelTypesPlatform; }

fmiComponent fmiInstantiateModel(fmiString instanceName, fmiString GUID, fmiCallbackFunctionsME functions,
                                 fmiBoolean loggingOn) {
  // FMI 1.0 for Model Exchange has no argument for the location of the resources.
  return instantiate(instanceName, GUID, {}, loggingOn != fmiFalse, functions.logger, Interface::model_exchange);
}

void fmiFreeModelInstance(fmiComponent c) { delete static_cast<Component1*>(c); }

fmiStatus fmiSetTime(fmiComponent c, fmiReal time) {
  return call(c, "fmiSetTime", [&](Unit& u) {
    u.require(model::instantiated | model::event_mode);
    u.instance.set_time(time);
  });
}

fmiStatus fmiSetContinuousStates(fmiComponent c, const fmiReal x[], size_t nx) {
  return call(c, "fmiSetContinuousStates", [&](Unit& u) {
    u.require(model::event_mode);
    require_size(nx, u.instance.state_count());
    u.instance.write_states(x);
  });
}

fmiStatus fmiCompletedIntegratorStep(fmiComponent c, fmiBoolean* callEventUpdate) {
  return call(c, "fmiCompletedIntegratorStep", [&](Unit& u) {
    u.require(model::event_mode);
    *callEventUpdate = fmiFalse;
    u.instance.completed(0);
  });
}

fmiStatus fmiInitialize(fmiComponent c, fmiBoolean, fmiReal, fmiEventInfo* eventInfo) {
  return call(c, "fmiInitialize", [&](Unit& u) {
    u.require(model::instantiated);
    u.instance.enter_initialization(u.instance.head().time, std::numeric_limits<double>::infinity());
    u.instance.leave_initialization(model::event_mode);
    update(u, false, eventInfo);
  });
}

fmiStatus fmiGetDerivatives(fmiComponent c, fmiReal derivatives[], size_t nx) {
  return call(c, "fmiGetDerivatives", [&](Unit& u) {
    u.require(model::event_mode | model::terminated);
    require_size(nx, u.instance.state_count());
    u.instance.read_rates(derivatives);
  });
}

fmiStatus fmiGetEventIndicators(fmiComponent c, fmiReal eventIndicators[], size_t ni) {
  return call(c, "fmiGetEventIndicators", [&](Unit& u) {
    u.require(model::event_mode | model::terminated);
    require_size(ni, u.facts.layout.indicators().size());
    u.instance.read_indicators(eventIndicators);
  });
}

fmiStatus fmiEventUpdate(fmiComponent c, fmiBoolean intermediateResults, fmiEventInfo* eventInfo) {
  return call(c, "fmiEventUpdate", [&](Unit& u) {
    u.require(model::event_mode);
    update(u, intermediateResults != fmiFalse, eventInfo);
  });
}

fmiStatus fmiGetContinuousStates(fmiComponent c, fmiReal states[], size_t nx) {
  return call(c, "fmiGetContinuousStates", [&](Unit& u) {
    require_size(nx, u.instance.state_count());
    u.instance.read_states(states);
  });
}

fmiStatus fmiGetNominalContinuousStates(fmiComponent c, fmiReal x_nominal[], size_t nx) {
  return call(c, "fmiGetNominalContinuousStates", [&](Unit& u) {
    require_size(nx, u.instance.state_count());
    u.instance.read_nominals(x_nominal);
  });
}

fmiStatus fmiGetStateValueReferences(fmiComponent c, fmiValueReference vrx[], size_t nx) {
  return call(c, "fmiGetStateValueReferences", [&](Unit& u) {
    require_size(nx, u.instance.state_count());
    for (const std::uint32_t reference : u.facts.layout.states()) *vrx++ = reference;
  });
}

fmiStatus fmiTerminate(fmiComponent c) {
  return call(c, "fmiTerminate", [&](Unit& u) {
    u.require(model::event_mode);
    u.instance.head().mode = model::terminated;
  });
}
