// Exports functions of the FMI 1.0 glue under the names of one model, MODEL_IDENTIFIER. Compiled once per FMU, so it
// includes only the C headers.
#pragma once

#ifndef MODEL_IDENTIFIER
#error "FMI 1.0 names its functions after the model: define MODEL_IDENTIFIER"
#endif

#include "fmi/headers/fmi1/fmiFunctions.h"
#include "fmi/headers/fmi1/fmiModelFunctions.h"

// Defines <MODEL_IDENTIFIER>_<function>, which calls consort_<function>. Operands of ## are not expanded, so
// `function##TYPE` is the type that the standard's header declares, although `function` is a macro there.
#define CONSORT_FORWARD(result, function, parameters, arguments)                      \
  extern "C" __attribute__((visibility("hidden"))) function##TYPE consort_##function; \
  result function parameters { return consort_##function arguments; }

CONSORT_FORWARD(const char*, fmiGetVersion, (), ())
CONSORT_FORWARD(fmiStatus, fmiSetDebugLogging, (fmiComponent c, fmiBoolean on), (c, on))
CONSORT_FORWARD(fmiStatus, fmiGetReal, (fmiComponent c, const fmiValueReference vr[], size_t n, fmiReal v[]),
                (c, vr, n, v))
CONSORT_FORWARD(fmiStatus, fmiGetInteger, (fmiComponent c, const fmiValueReference vr[], size_t n, fmiInteger v[]),
                (c, vr, n, v))
CONSORT_FORWARD(fmiStatus, fmiGetBoolean, (fmiComponent c, const fmiValueReference vr[], size_t n, fmiBoolean v[]),
                (c, vr, n, v))
CONSORT_FORWARD(fmiStatus, fmiGetString, (fmiComponent c, const fmiValueReference vr[], size_t n, fmiString v[]),
                (c, vr, n, v))
CONSORT_FORWARD(fmiStatus, fmiSetReal, (fmiComponent c, const fmiValueReference vr[], size_t n, const fmiReal v[]),
                (c, vr, n, v))
CONSORT_FORWARD(fmiStatus, fmiSetInteger,
                (fmiComponent c, const fmiValueReference vr[], size_t n, const fmiInteger v[]), (c, vr, n, v))
CONSORT_FORWARD(fmiStatus, fmiSetBoolean,
                (fmiComponent c, const fmiValueReference vr[], size_t n, const fmiBoolean v[]), (c, vr, n, v))
CONSORT_FORWARD(fmiStatus, fmiSetString, (fmiComponent c, const fmiValueReference vr[], size_t n, const fmiString v[]),
                (c, vr, n, v))
