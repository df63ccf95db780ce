// An FMU of FMI 2.0 or 3.0, written in C and compiled here, that allows nothing that the standard forbids: after an
// error it refuses every call except a reset, and a call after a fatal error ends the process. Its peculiarities are
// preprocessor macros:
//
//   REFUSES_E       e cannot be set before initialization mode
//   REFUSES_X       x cannot be set before initialization mode
//   FATAL_E         setting e before initialization mode is a fatal error
//   WRITE_ONLY      e cannot be read; the first refusal is not yet an error that forbids other calls
//   IGNORES_U       u keeps its value
//   LAZY_EVENT_INFO an event update writes the next event only if it changes
//
// Nothing moves: x has its start value, an approximate one, and so cannot be set in initialization mode. FMI 3.0: the
// structural parameter n is the size of the parameter a, and sum is the sum of its elements; `ticks` counts the
// multiples of `period`, in event mode only. FMI 2.0: Model Exchange and Co-Simulation; FMI 3.0: Co-Simulation.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>

#include "fmi/tests/fmu_files.hpp"

namespace consort::fmi {

namespace strict {

inline constexpr const char* model = R"(
#include <stdlib.h>
#include <string.h>
enum { OK = 0, ERROR = 3, FATAL = 4 };
typedef struct {
  double t, e, x, u, period, next, ticks, a[4];
  size_t n;
  int mode, status, refusals;  /* mode: 0 instantiated, 1 initialization, 2 later */
} Model;

static void defaults(Model* m) {
  memset(m, 0, sizeof *m);
  m->e = 0.7;
  m->x = 8;
  m->n = 2;
  for (int i = 0; i < 4; ++i) m->a[i] = 1;
}
static Model* make(void) {
  Model* m = malloc(sizeof *m);
  defaults(m);
  return m;
}
/* Every function except reset and free begins with this. */
#define BEGIN(m) \
  if ((m)->status == FATAL) abort(); \
  if ((m)->status == ERROR) return ERROR;
static int fail(Model* m, int status) {
  m->status = status;
  return status;
}
static int reset(Model* m) {
  if (m->status == FATAL) abort();
  defaults(m);
  return OK;
}
static int get(Model* m, unsigned vr, double* v) {
  BEGIN(m)
  /* FMI 2.0, 4.2.4: inputs and parameters cannot be read before the end of initialization mode. */
  if (m->mode != 2 && (vr == 1 || vr == 3 || vr == 4)) return fail(m, ERROR);
#ifdef WRITE_ONLY
  if (vr == 1) return m->refusals++ == 0 ? ERROR : fail(m, ERROR);
#endif
  double sum = 0;
  for (size_t i = 0; i < m->n; ++i) sum += m->a[i];
  const double all[] = {0, m->e, m->x, m->u, m->period, m->ticks, sum};
  *v = all[vr];
  return OK;
}
static int set(Model* m, unsigned vr, double v) {
  BEGIN(m)
#ifdef REFUSES_E
  if (vr == 1 && m->mode == 0) return fail(m, ERROR);
#endif
#ifdef FATAL_E
  if (vr == 1 && m->mode == 0) return fail(m, FATAL);
#endif
#ifdef REFUSES_X
  if (vr == 2) return fail(m, ERROR);
#endif
  if (vr == 2 && m->mode != 0) return fail(m, ERROR);
#ifdef IGNORES_U
  if (vr == 3) return OK;
#endif
  double* const all[] = {0, &m->e, &m->x, &m->u, &m->period};
  *all[vr] = v;
  return OK;
}
static int enter(Model* m, double t) {
  BEGIN(m)
  if (m->mode != 0) return fail(m, ERROR);
  m->t = t;
  m->mode = 1;
  return OK;
}
static int leave(Model* m) {
  BEGIN(m)
  m->mode = 2;
  return OK;
}
static int step(Model* m, double t, double h) {
  BEGIN(m)
  m->t = t + h;
  return OK;
}
static int ok(Model* m) {
  BEGIN(m)
  return OK;
}
)";

inline constexpr const char* fmi2 = R"(
#include "fmi2Functions.h"
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* functions, fmi2Boolean visible, fmi2Boolean logging) { return make(); }
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean controlled, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean has_stop, fmi2Real stop) { return ok(c); }
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return enter(c, 0); }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return leave(c); }
fmi2Status fmi2Terminate(fmi2Component c) { return ok(c); }
fmi2Status fmi2Reset(fmi2Component c) { return reset(c); }
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real v[]) {
  for (size_t i = 0; i < n; ++i)
    if (get(c, vr[i], &v[i])) return ERROR;
  return ok(c);
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real v[]) {
  for (size_t i = 0; i < n; ++i) {
    const int status = set(c, vr[i], v[i]);
    if (status != OK) return status;
  }
  return ok(c);
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean keep) { return step(c, t, h); }
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t) { return ok(c); }
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t n) { return ok(c); }
fmi2Status fmi2EnterEventMode(fmi2Component c) { return ok(c); }
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { return ok(c); }
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean keep, fmi2Boolean* event, fmi2Boolean* end) { return ok(c); }
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) { return ok(c); }
)";

inline constexpr const char* fmi3 = R"(
#include "fmi3Functions.h"
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early, const fmi3ValueReference required[], size_t n,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update) { return make(); }
void fmi3FreeInstance(fmi3Instance c) { free(c); }
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean controlled, fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop) { return enter(c, start); }
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return leave(c); }
fmi3Status fmi3Terminate(fmi3Instance c) { return ok(c); }
fmi3Status fmi3Reset(fmi3Instance c) { return reset(c); }
fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) { return ok(c); }
fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) { return ok(c); }
fmi3Status fmi3SetUInt64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3UInt64 v[], size_t m) {
  ((Model*)c)->n = v[0];
  return ok(c);
}
fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 v[], size_t m) {
  for (size_t i = 0; i < n; ++i)
    if (get(c, vr[i], &v[i])) return ERROR;
  return ok(c);
}
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 v[], size_t m) {
  Model* const model = c;
  size_t used = 0;
  for (size_t i = 0; i < n; ++i) {
    if (vr[i] == 7) {
      if (m - used < model->n) return fail(model, ERROR);
      for (size_t k = 0; k < model->n; ++k) model->a[k] = v[used++];
      continue;
    }
    const int status = set(c, vr[i], v[used++]);
    if (status != OK) return status;
  }
  return used == m ? ok(c) : fail(model, ERROR);
}
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean keep, fmi3Boolean* event,
                      fmi3Boolean* terminate, fmi3Boolean* early, fmi3Float64* last) {
  *event = *terminate = *early = fmi3False;
  *last = t + h;
  return step(c, t, h);
}
fmi3Status fmi3EnterEventMode(fmi3Instance c) { return ok(c); }
fmi3Status fmi3EnterStepMode(fmi3Instance c) { return ok(c); }
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* again, fmi3Boolean* terminate, fmi3Boolean* nominals,
                                    fmi3Boolean* states, fmi3Boolean* defined, fmi3Float64* next) {
  Model* const m = c;
  int changes = m->period > 0 && m->next == 0;
  *again = *terminate = *nominals = *states = fmi3False;
  if (changes) m->next = m->period;
  if (m->period > 0 && m->t >= m->next - 1e-9) {
    m->ticks += 1;
    m->next += m->period;
    changes = 1;
  }
#ifndef LAZY_EVENT_INFO
  *defined = m->period > 0;
  changes = changes || m->period > 0;
#endif
  if (changes) {
    *defined = fmi3True;
    *next = m->next;
  }
  return ok(c);
}
fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState* state) {
  if (*state == NULL) *state = malloc(sizeof(Model));
  memcpy(*state, c, sizeof(Model));
  return ok(c);
}
fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) {
  memcpy(c, state, sizeof(Model));
  return OK;
}
fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState* state) {
  free(*state);
  *state = NULL;
  return OK;
}
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t* n) {
  *n = sizeof(Model);
  return OK;
}
fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t n) {
  memcpy(bytes, state, n);
  return OK;
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t n, fmi3FMUState* state) {
  if (n != sizeof(Model)) return ERROR;
  *state = malloc(n);
  memcpy(*state, bytes, n);
  return OK;
}
)";

inline constexpr const char* description_2 = R"(<fmiModelDescription fmiVersion='2.0' modelName='Strict' guid='g'
 numberOfEventIndicators='0'><ModelExchange modelIdentifier='Strict'/>
<CoSimulation modelIdentifier='Strict' canHandleVariableCommunicationStepSize='true'/><ModelVariables>
<ScalarVariable name='e' valueReference='1' causality='parameter' variability='fixed'><Real start='0.7'/></ScalarVariable>
<ScalarVariable name='x' valueReference='2' causality='output' initial='approx'><Real start='8'/></ScalarVariable>
<ScalarVariable name='u' valueReference='3' causality='input' variability='discrete'><Real start='0'/></ScalarVariable>
</ModelVariables><ModelStructure><Outputs><Unknown index='2'/></Outputs><InitialUnknowns><Unknown index='2'/>
</InitialUnknowns></ModelStructure></fmiModelDescription>)";

inline constexpr const char* description_3 = R"(<fmiModelDescription fmiVersion='3.0' modelName='Strict'
 instantiationToken='g'><CoSimulation modelIdentifier='Strict' hasEventMode='true' canGetAndSetFMUState='true'
 canSerializeFMUState='true' canHandleVariableCommunicationStepSize='true'/><ModelVariables>
<Float64 name='time' valueReference='0' causality='independent' variability='continuous'/>
<Float64 name='e' valueReference='1' causality='parameter' variability='fixed' start='0.7'/>
<Float64 name='x' valueReference='2' causality='output' initial='approx' start='8'/>
<Float64 name='u' valueReference='3' causality='input' variability='discrete' start='0'/>
<Float64 name='period' valueReference='4' causality='parameter' variability='fixed' start='0'/>
<Float64 name='ticks' valueReference='5' causality='output' variability='discrete'/>
<Float64 name='sum' valueReference='6' causality='output'/>
<Float64 name='a' valueReference='7' causality='parameter' variability='fixed' start='1 1'>
<Dimension valueReference='8'/></Float64>
<UInt64 name='n' valueReference='8' causality='structuralParameter' variability='fixed' start='2'/>
</ModelVariables><ModelStructure><Output valueReference='2'/><Output valueReference='5'/><Output valueReference='6'/>
<InitialUnknown valueReference='2'/><InitialUnknown valueReference='5'/><InitialUnknown valueReference='6'/>
</ModelStructure></fmiModelDescription>)";

}  // namespace strict

class StrictFmu {
 public:
  StrictFmu(int version, std::initializer_list<const char*> quirks) {
    std::string source;
    for (const auto* const quirk : quirks) source += "#define " + std::string(quirk) + "\n";
    source += strict::model;
    source += version == 2 ? strict::fmi2 : strict::fmi3;
    write_file(folder_.path() / "sources" / "strict.c", source);
    write_file(folder_.path() / "modelDescription.xml", version == 2 ? strict::description_2 : strict::description_3);
    const auto binaries = folder_.path() / "binaries" / (version == 2 ? "linux64" : "x86_64-linux");
    std::filesystem::create_directories(binaries);
    const std::string command = "cc -w -shared -fPIC -I" + places::source() + "/src/fmi/headers/fmi" +
                                std::to_string(version) + " -o " + (binaries / "Strict.so").string() + " " +
                                (folder_.path() / "sources" / "strict.c").string();
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
  [[nodiscard]] static bool has_compiler() { return std::system("cc --version > /dev/null 2>&1") == 0; }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  [[nodiscard]] Fmu open() const { return Fmu::open(folder_.path()); }

 private:
  os::TempFolder folder_{"strict"};
};

}  // namespace consort::fmi
