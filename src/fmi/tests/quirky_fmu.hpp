// An FMU of FMI 1.0 or 2.0, written in C and compiled here, that has the peculiarities of tools as preprocessor macros:
//
//   LAZY_EVENT_INFO    an event update writes only what it changed, and never flags changed states
//   QUIET_START        fmiInitialize writes nothing to its fmiEventInfo (FMI 1.0)
//   LAZY_VALUES        der(h) and der(v) are those of the last evaluation of derivatives
//   PARTIAL_VALUES     an evaluation of derivatives or indicators hides later changes of h and v
//   COMPLETED_VALUES   h and v are those of the last completed step or event update
//   RESETS_IN_SETUP    fmi2SetupExperiment (FMI 1.0: fmiInitialize) gives every parameter its default value
//   OTHER_DEFAULT      e is 0.5 unless it is set, and not 0.7
//   IGNORES_VALUES     parameters keep their default values
//   SETS_IN_INIT_ONLY  values cannot be set before initialization mode
//   FIRST_ORDER_ONLY   input derivatives have order 1; a call with another order is an error
//   DECLARES_ORDERS    the description declares derivatives of outputs up to order 3
//   ENDS_IF_REFUSED    every step after a refused input derivative is an error
//   NO_DERIVATIVES     input derivatives are refused, although the description declares them
//   FATAL_DERIVATIVES  the same as a fatal error
//   KEEPS_TO_STOP      a step beyond the stop time by a rounding error is an error
//   WRITE_ONLY         inputs and parameters cannot be read
//   NO_STEP_FINISHED   a callback for finished steps is an error
//   HYSTERESIS         the derivatives depend on earlier evaluations
//   ITERATES           the same within rounding errors, like those of an iteration that begins with its last result
//   ONE_ITERATION      the derivatives contain a z with z³ + z = h, by one Newton iteration per evaluation
//   LATE_TIME_EVENT    the first update after t = 0.3 announces a time event
//   STEP_EVENT         the first completed step after t = 0.3 requests an event
//   UPDATES_AFTER_STEPS  an event update is an error unless the step to its point is completed (FMI 1.0)
//   HAS_EVENTS         the ball h bounces, and `ticks` counts the multiples of `period`
//   APART              the same, with an indicator that is kept away from zero after each event
//   NO_STATES          h and v are no states, and functions for states refuse to be called (FMI 2.0)
//
// Without HAS_EVENTS, der(h) = v and der(v) = u - e h. Co-Simulation integrates it with the explicit Euler method.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>

#include "fmi/tests/fmu_files.hpp"

namespace consort::fmi {

namespace quirky {

inline constexpr const char* model = R"(
#include <stdlib.h>
#include <string.h>
typedef struct {
  double t, stop, x[2], dx[2], e, u, du, period, next, memory, ticks;
  double shown[2];
  int n, flag, initializing, updates, has_stop, is_current, refused, is_below, is_within_step;
  char text[64];
} Model;

static void defaults(Model* m) {
  m->e = 0.7;
#ifdef OTHER_DEFAULT
  m->e = 0.5;
#endif
  m->period = 0;
  m->n = 3;
  m->flag = 0;
  strcpy(m->text, "default");
}
static Model* make(void) {
  Model* m = calloc(1, sizeof *m);
  defaults(m);
  m->x[0] = 1;
  return m;
}
static double* real(Model* m, unsigned vr) {
  double* const all[] = {&m->x[0], &m->x[1], 0, 0, &m->e, &m->u, &m->period, &m->ticks};
  return all[vr];
}
static void rates(Model* m, double* dx) {
  dx[0] = m->x[1];
#ifdef HAS_EVENTS
  dx[1] = -9.81;
#else
  dx[1] = m->u - m->e * m->x[0];
#endif
#ifdef HYSTERESIS
  if (m->x[0] > 2) m->memory = 1;
  dx[1] += m->memory;
#endif
#ifdef ONE_ITERATION
  double* z = &m->memory;
  *z -= (*z * *z * *z + *z - m->x[0]) / (3 * *z * *z + 1);
  dx[1] -= *z;
#endif
#ifdef ITERATES
  dx[1] += 1e-12 * m->memory;
  m->memory = m->x[0];
#endif
}
static int get_real(Model* m, unsigned vr, double* v) {
  double dx[2];
  rates(m, dx);
#ifdef WRITE_ONLY
  if (vr == 4 || vr == 5) return 3;
#endif
#ifdef LAZY_VALUES
  memcpy(dx, m->dx, sizeof dx);
#endif
#ifdef COMPLETED_VALUES
  if (vr < 2) {
    *v = m->shown[vr];
    return 0;
  }
#endif
#ifdef PARTIAL_VALUES
  if (!m->is_current) memcpy(m->shown, m->x, sizeof m->x);
  m->is_current = 1;
  if (vr < 2) {
    *v = m->shown[vr];
    return 0;
  }
#endif
  *v = vr == 2 || vr == 3 ? dx[vr - 2] : *real(m, vr);
  return 0;
}
static int set_real(Model* m, unsigned vr, double v) {
  m->is_current = 0;
#ifdef SETS_IN_INIT_ONLY
  if (!m->initializing) return 3;
#endif
#ifdef IGNORES_VALUES
  if (vr == 4 || vr == 6) return 0;
#endif
  *real(m, vr) = v;
  return 0;
}
static void set_time(Model* m, double t) {
  m->t = t;
  m->is_current = 0;
  m->is_within_step = 1;
}
static void set_states(Model* m, const double* x) {
  memcpy(m->x, x, sizeof m->x);
  m->is_current = 0;
  m->is_within_step = 1;
}
static void get_rates(Model* m, double* dx) {
  rates(m, dx);
  memcpy(m->dx, dx, sizeof m->dx);
  m->is_current = 1;
}
static void get_indicators(Model* m, double* z, size_t n) {
  if (n > 0) z[0] = m->x[0];
#ifdef APART
  if (n > 0) z[0] += m->is_below ? -1e-13 : 1e-13;
#endif
  m->is_current = 1;
}
static void complete(Model* m) {
  memcpy(m->shown, m->x, sizeof m->x);
  m->is_within_step = 0;
}
static void begin(Model* m) { m->next = m->period; }
// Returns 1 if a time event is announced that was not announced before.
static int update(Model* m) {
  m->is_current = 0;
  complete(m);
#ifdef LATE_TIME_EVENT
  if (m->t > 0.3 && m->ticks == 0) {
    m->ticks = 1;
    m->period = 0.05;
    m->next = m->t + m->period;
    return 1;
  }
  if (m->t >= m->next) m->period = 0;
  return 0;
#endif
#ifdef APART
  m->is_below = m->x[0] <= 0;
  if (m->is_below) m->x[1] *= -m->e;
#elif defined HAS_EVENTS
  if (m->x[0] <= 0 && m->x[1] < 0) {
    m->x[0] = 0;
    m->x[1] *= -m->e;
  }
#endif
#ifdef HAS_EVENTS
  if (m->period > 0 && m->t >= m->next) {
    m->ticks += 1;
    m->next += m->period;
    return 1;
  }
#endif
  return m->period > 0 && m->updates++ == 0;
}
// Returns 1 if the step requests an event.
static int completed_step(Model* m) {
#ifdef STEP_EVENT
  return m->t > 0.3 && m->ticks++ == 0;
#endif
  return 0;
}
static int do_step(Model* m, double t, double h) {
#ifdef KEEPS_TO_STOP
  if (m->has_stop && t + h > m->stop) return 3;
#endif
  double dx[2];
  m->u += m->du * h / 2;
#ifdef ENDS_IF_REFUSED
  if (m->refused) return 3;
#endif
  rates(m, dx);
  m->x[0] += h * dx[0];
  m->x[1] += h * dx[1];
  m->u += m->du * h / 2;
  m->du = 0;
  m->t = t + h;
  return 0;
}
static int set_slope(Model* m, const int* order, size_t n, const double* v) {
#ifdef FATAL_DERIVATIVES
  return 4;
#endif
#ifdef NO_DERIVATIVES
  return 3;
#endif
  for (size_t i = 0; i < n; ++i) {
#ifdef FIRST_ORDER_ONLY
    if (order[i] != 1) {
      m->refused = 1;
      return 3;
    }
#endif
    if (order[i] == 1) m->du = v[i];
  }
  return 0;
}
)";

inline constexpr const char* fmi2 = R"(
#include "fmi2Functions.h"
static const fmi2CallbackFunctions* callbacks;
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* functions, fmi2Boolean visible, fmi2Boolean logging) {
  callbacks = functions;
#ifdef NO_STEP_FINISHED
  if (functions->stepFinished != NULL) return NULL;
#endif
  return make();
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String names[]) { return fmi2OK; }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean controlled, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean has_stop, fmi2Real stop) {
  Model* m = c;
  m->t = start;
  m->has_stop = has_stop;
  m->stop = stop;
#ifdef RESETS_IN_SETUP
  defaults(m);
#endif
  return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { ((Model*)c)->initializing = 1; return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { begin(c); return fmi2OK; }
fmi2Status fmi2Terminate(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2Reset(fmi2Component c) { Model* m = make(); *(Model*)c = *m; free(m); return fmi2OK; }
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real v[]) {
  for (size_t i = 0; i < n; ++i)
    if (get_real(c, vr[i], &v[i])) {
      callbacks->logger(callbacks->componentEnvironment, "it", fmi2Error, "error", "this is write-only");
      return fmi2Error;
    }
  return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real v[]) {
  for (size_t i = 0; i < n; ++i)
    if (set_real(c, vr[i], v[i])) return fmi2Error;
  return fmi2OK;
}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Integer v[]) { v[0] = ((Model*)c)->n; return fmi2OK; }
fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Boolean v[]) { v[0] = ((Model*)c)->flag; return fmi2OK; }
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String v[]) { v[0] = ((Model*)c)->text; return fmi2OK; }
#ifdef IGNORES_VALUES
#define IGNORED return fmi2OK;
#else
#define IGNORED
#endif
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer v[]) { IGNORED ((Model*)c)->n = v[0]; return fmi2OK; }
fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Boolean v[]) { IGNORED ((Model*)c)->flag = v[0]; return fmi2OK; }
fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String v[]) { IGNORED strncpy(((Model*)c)->text, v[0], 63); return fmi2OK; }
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t) { set_time(c, t); return fmi2OK; }
#ifdef NO_STATES
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n) { return fmi2Error; }
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n) { return fmi2Error; }
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t n) { return fmi2Error; }
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n) { return fmi2Error; }
#else
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n) { set_states(c, x); return fmi2OK; }
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n) { memcpy(x, ((Model*)c)->x, n * sizeof *x); return fmi2OK; }
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t n) { get_rates(c, dx); return fmi2OK; }
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t n) { get_indicators(c, z, n); return fmi2OK; }
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n) { x[0] = x[1] = 1; return fmi2OK; }
#endif
fmi2Status fmi2EnterEventMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean keep, fmi2Boolean* event, fmi2Boolean* end) { complete(c); *event = completed_step(c); *end = fmi2False; return fmi2OK; }
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) {
  Model* m = c;
  const int announces = update(m);
  info->newDiscreteStatesNeeded = fmi2False;
  if (announces) {
    info->nextEventTimeDefined = fmi2True;
    info->nextEventTime = m->next;
  }
#ifndef LAZY_EVENT_INFO
  info->terminateSimulation = info->nominalsOfContinuousStatesChanged = fmi2False;
  info->valuesOfContinuousStatesChanged = fmi2True;
  info->nextEventTimeDefined = m->period > 0;
  info->nextEventTime = m->next;
#endif
  return fmi2OK;
}
fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[], const fmi2Real v[]) {
  const fmi2Status status = (fmi2Status)set_slope(c, order, n, v);
  if (status != fmi2OK) callbacks->logger(callbacks->componentEnvironment, "it", status, "error", "invalid nvr");
  return status;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean keep) { return do_step(c, t, h) ? fmi2Error : fmi2OK; }
)";

inline constexpr const char* fmi1 = R"(
#ifdef ME
#include "fmiModelFunctions.h"
#else
#include "fmiFunctions.h"
#endif
#define F(name) Quirky_##name
static int set_values(Model* m, const fmiValueReference vr[], size_t n, const fmiReal v[]) {
  for (size_t i = 0; i < n; ++i)
    if (set_real(m, vr[i], v[i])) return fmiError;
  return fmiOK;
}
fmiStatus F(fmiGetReal)(fmiComponent c, const fmiValueReference vr[], size_t n, fmiReal v[]) {
  for (size_t i = 0; i < n; ++i)
    if (get_real(c, vr[i], &v[i])) return fmiError;
  return fmiOK;
}
fmiStatus F(fmiSetReal)(fmiComponent c, const fmiValueReference vr[], size_t n, const fmiReal v[]) { return set_values(c, vr, n, v); }
fmiStatus F(fmiGetInteger)(fmiComponent c, const fmiValueReference vr[], size_t n, fmiInteger v[]) { v[0] = ((Model*)c)->n; return fmiOK; }
fmiStatus F(fmiSetInteger)(fmiComponent c, const fmiValueReference vr[], size_t n, const fmiInteger v[]) { ((Model*)c)->n = v[0]; return fmiOK; }
fmiStatus F(fmiGetBoolean)(fmiComponent c, const fmiValueReference vr[], size_t n, fmiBoolean v[]) { v[0] = ((Model*)c)->flag; return fmiOK; }
fmiStatus F(fmiSetBoolean)(fmiComponent c, const fmiValueReference vr[], size_t n, const fmiBoolean v[]) { ((Model*)c)->flag = v[0]; return fmiOK; }
fmiStatus F(fmiGetString)(fmiComponent c, const fmiValueReference vr[], size_t n, fmiString v[]) { v[0] = ((Model*)c)->text; return fmiOK; }
fmiStatus F(fmiSetString)(fmiComponent c, const fmiValueReference vr[], size_t n, const fmiString v[]) { strncpy(((Model*)c)->text, v[0], 63); return fmiOK; }
#ifdef ME
fmiComponent F(fmiInstantiateModel)(fmiString name, fmiString guid, fmiCallbackFunctions functions, fmiBoolean logging) { return make(); }
void F(fmiFreeModelInstance)(fmiComponent c) { free(c); }
fmiStatus F(fmiSetTime)(fmiComponent c, fmiReal t) { set_time(c, t); return fmiOK; }
fmiStatus F(fmiSetContinuousStates)(fmiComponent c, const fmiReal x[], size_t n) { set_states(c, x); return fmiOK; }
fmiStatus F(fmiGetContinuousStates)(fmiComponent c, fmiReal x[], size_t n) { memcpy(x, ((Model*)c)->x, n * sizeof *x); return fmiOK; }
fmiStatus F(fmiGetDerivatives)(fmiComponent c, fmiReal dx[], size_t n) { get_rates(c, dx); return fmiOK; }
fmiStatus F(fmiGetEventIndicators)(fmiComponent c, fmiReal z[], size_t n) { get_indicators(c, z, n); return fmiOK; }
fmiStatus F(fmiGetNominalContinuousStates)(fmiComponent c, fmiReal x[], size_t n) { x[0] = x[1] = 1; return fmiOK; }
fmiStatus F(fmiCompletedIntegratorStep)(fmiComponent c, fmiBoolean* event) { complete(c); *event = completed_step(c); return fmiOK; }
fmiStatus F(fmiTerminate)(fmiComponent c) { return fmiOK; }
static void event(Model* m, fmiEventInfo* info) {
  if (update(m)) {
    info->upcomingTimeEvent = fmiTrue;
    info->nextEventTime = m->next;
  }
#ifndef LAZY_EVENT_INFO
  info->iterationConverged = info->stateValuesChanged = fmiTrue;
  info->stateValueReferencesChanged = info->terminateSimulation = fmiFalse;
  info->upcomingTimeEvent = m->period > 0;
  info->nextEventTime = m->next;
#endif
}
fmiStatus F(fmiInitialize)(fmiComponent c, fmiBoolean controlled, fmiReal tolerance, fmiEventInfo* info) {
  begin(c);
  ((Model*)c)->is_within_step = 0;
#ifndef QUIET_START
  event(c, info);
#endif
  return fmiOK;
}
fmiStatus F(fmiEventUpdate)(fmiComponent c, fmiBoolean intermediate, fmiEventInfo* info) {
#ifdef UPDATES_AFTER_STEPS
  if (((Model*)c)->is_within_step) return fmiError;
#endif
  event(c, info);
  return fmiOK;
}
#else
fmiComponent F(fmiInstantiateSlave)(fmiString name, fmiString guid, fmiString location, fmiString mime, fmiReal timeout,
                                    fmiBoolean visible, fmiBoolean interactive, fmiCallbackFunctions functions, fmiBoolean logging) {
#ifdef NO_STEP_FINISHED
  if (functions.stepFinished != NULL) return NULL;
#endif
  return make();
}
void F(fmiFreeSlaveInstance)(fmiComponent c) { free(c); }
fmiStatus F(fmiInitializeSlave)(fmiComponent c, fmiReal start, fmiBoolean has_stop, fmiReal stop) {
  Model* m = c;
  m->t = start;
  m->has_stop = has_stop;
  m->stop = stop;
  return fmiOK;
}
fmiStatus F(fmiTerminateSlave)(fmiComponent c) { return fmiOK; }
fmiStatus F(fmiResetSlave)(fmiComponent c) { Model* m = make(); *(Model*)c = *m; free(m); return fmiOK; }
fmiStatus F(fmiSetRealInputDerivatives)(fmiComponent c, const fmiValueReference vr[], size_t n, const fmiInteger order[], const fmiReal v[]) {
  return (fmiStatus)set_slope(c, order, n, v);
}
fmiStatus F(fmiDoStep)(fmiComponent c, fmiReal t, fmiReal h, fmiBoolean is_new) { return do_step(c, t, h) ? fmiError : fmiOK; }
#endif
)";

}  // namespace quirky

class QuirkyFmu {
 public:
  QuirkyFmu(int version, Kind kind, std::initializer_list<const char*> quirks) : kind_(kind) {
    std::string source;
    for (const auto* const quirk : quirks) {
      source += "#define " + std::string(quirk) + "\n";
      has_events_ = has_events_ || std::string_view(quirk) == "HAS_EVENTS";
      if (std::string_view(quirk) == "DECLARES_ORDERS") output_order_ = " maxOutputDerivativeOrder='3'";
      has_states_ = has_states_ && std::string_view(quirk) != "NO_STATES";
    }
    if (kind == Kind::me) source += "#define ME\n";
    source += quirky::model;
    source += version == 1 ? quirky::fmi1 : quirky::fmi2;
    write_file(folder_.path() / "sources" / "quirky.c", source);
    write_file(folder_.path() / "modelDescription.xml", version == 1 ? description_1() : description_2());
    compile(version);
  }
  [[nodiscard]] static bool has_compiler() { return std::system("cc --version > /dev/null 2>&1") == 0; }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  [[nodiscard]] Fmu open() const { return Fmu::open(folder_.path()); }

 private:
  [[nodiscard]] std::string ticks() const {
    if (!has_events_) return "";
    return "<ScalarVariable name='ticks' valueReference='7' causality='output' variability='discrete'><Real/>"
           "</ScalarVariable>";
  }
  [[nodiscard]] std::string description_2() const {
    const std::string interface =
        kind_ == Kind::me ? "<ModelExchange modelIdentifier='Quirky'/>"
                          : "<CoSimulation modelIdentifier='Quirky' canHandleVariableCommunicationStepSize='true' "
                            "canInterpolateInputs='true'" +
                                output_order_ + "/>";
    return "<fmiModelDescription fmiVersion='2.0' modelName='Quirky' guid='g' numberOfEventIndicators='" +
           std::string(has_events_ ? "1" : "0") + "'>" + interface + R"(<ModelVariables>
<ScalarVariable name='h' valueReference='0' causality='output' initial='exact'><Real start='1'/></ScalarVariable>
<ScalarVariable name='v' valueReference='1' causality='output' initial='exact'><Real start='0'/></ScalarVariable>
<ScalarVariable name='der(h)' valueReference='2'><Real derivative='1'/></ScalarVariable>
<ScalarVariable name='der(v)' valueReference='3'><Real derivative='2'/></ScalarVariable>
<ScalarVariable name='e' valueReference='4' causality='parameter' variability='fixed'><Real start='0.7'/></ScalarVariable>
<ScalarVariable name='u' valueReference='5' causality='input'><Real start='0'/></ScalarVariable>
<ScalarVariable name='period' valueReference='6' causality='parameter' variability='fixed'><Real start='0'/></ScalarVariable>
)" + ticks() +
           R"(<ScalarVariable name='n' valueReference='0' causality='parameter' variability='fixed'><Integer start='3'/></ScalarVariable>
<ScalarVariable name='flag' valueReference='0' causality='parameter' variability='fixed'><Boolean start='false'/></ScalarVariable>
<ScalarVariable name='text' valueReference='0' causality='parameter' variability='fixed'><String start='default'/></ScalarVariable>
</ModelVariables><ModelStructure><Outputs><Unknown index='1'/><Unknown index='2'/>)" +
           (has_events_ ? "<Unknown index='8'/>" : "") + R"(</Outputs>)" +
           (has_states_ ? "<Derivatives><Unknown index='3'/><Unknown index='4'/></Derivatives>" : "") +
           "</ModelStructure></fmiModelDescription>";
  }
  [[nodiscard]] std::string description_1() const {
    return "<fmiModelDescription fmiVersion='1.0' modelName='Quirky' modelIdentifier='Quirky' guid='g' "
           "numberOfContinuousStates='2' numberOfEventIndicators='" +
           std::string(has_events_ ? "1" : "0") + R"('><ModelVariables>
<ScalarVariable name='h' valueReference='0' causality='output'><Real start='1' fixed='true'/></ScalarVariable>
<ScalarVariable name='v' valueReference='1' causality='output'><Real start='0' fixed='true'/></ScalarVariable>
<ScalarVariable name='e' valueReference='4' variability='parameter'><Real start='0.7' fixed='true'/></ScalarVariable>
<ScalarVariable name='u' valueReference='5' causality='input'><Real start='0'/></ScalarVariable>
<ScalarVariable name='period' valueReference='6' variability='parameter'><Real start='0' fixed='true'/></ScalarVariable>
)" + ticks() +
           R"(</ModelVariables>)" +
           (kind_ == Kind::me ? ""
                              : "<Implementation><CoSimulation_StandAlone><Capabilities "
                                "canHandleVariableCommunicationStepSize='true' canInterpolateInputs='true'" +
                                    output_order_ +
                                    "/>"
                                    "</CoSimulation_StandAlone></Implementation>") +
           "</fmiModelDescription>";
  }
  void compile(int version) const {
    const auto binaries = folder_.path() / "binaries" / "linux64";
    std::filesystem::create_directories(binaries);
    const std::string command = "cc -w -shared -fPIC -I" + places::source() + "/src/fmi/headers/fmi" +
                                std::to_string(version) + " -o " + (binaries / "Quirky.so").string() + " " +
                                (folder_.path() / "sources" / "quirky.c").string();
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }

  Kind kind_;
  bool has_events_ = false;
  std::string output_order_;  // attribute of the description
  bool has_states_ = true;
  os::TempFolder folder_{"quirky"};
};

}  // namespace consort::fmi
