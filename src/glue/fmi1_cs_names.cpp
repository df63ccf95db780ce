// The functions of an FMI 1.0 FMU for Co-Simulation under the names of one model.
#include "glue/fmi1_names.hpp"

CONSORT_FORWARD(const char*, fmiGetTypesPlatform, (), ())
CONSORT_FORWARD(fmiComponent, fmiInstantiateSlave,
                (fmiString name, fmiString guid, fmiString location, fmiString mime, fmiReal timeout,
                 fmiBoolean visible, fmiBoolean interactive, fmiCallbackFunctionsCS functions, fmiBoolean logging),
                (name, guid, location, mime, timeout, visible, interactive, functions, logging))
CONSORT_FORWARD(fmiStatus, fmiInitializeSlave, (fmiComponent c, fmiReal start, fmiBoolean stop_defined, fmiReal stop),
                (c, start, stop_defined, stop))
CONSORT_FORWARD(fmiStatus, fmiTerminateSlave, (fmiComponent c), (c))
CONSORT_FORWARD(fmiStatus, fmiResetSlave, (fmiComponent c), (c))
CONSORT_FORWARD(void, fmiFreeSlaveInstance, (fmiComponent c), (c))
CONSORT_FORWARD(fmiStatus, fmiSetRealInputDerivatives,
                (fmiComponent c, const fmiValueReference vr[], size_t n, const fmiInteger order[], const fmiReal v[]),
                (c, vr, n, order, v))
CONSORT_FORWARD(fmiStatus, fmiGetRealOutputDerivatives,
                (fmiComponent c, const fmiValueReference vr[], size_t n, const fmiInteger order[], fmiReal v[]),
                (c, vr, n, order, v))
CONSORT_FORWARD(fmiStatus, fmiDoStep, (fmiComponent c, fmiReal t, fmiReal h, fmiBoolean is_new), (c, t, h, is_new))
CONSORT_FORWARD(fmiStatus, fmiCancelStep, (fmiComponent c), (c))
CONSORT_FORWARD(fmiStatus, fmiGetStatus, (fmiComponent c, const fmiStatusKind s, fmiStatus* v), (c, s, v))
CONSORT_FORWARD(fmiStatus, fmiGetRealStatus, (fmiComponent c, const fmiStatusKind s, fmiReal* v), (c, s, v))
CONSORT_FORWARD(fmiStatus, fmiGetIntegerStatus, (fmiComponent c, const fmiStatusKind s, fmiInteger* v), (c, s, v))
CONSORT_FORWARD(fmiStatus, fmiGetBooleanStatus, (fmiComponent c, const fmiStatusKind s, fmiBoolean* v), (c, s, v))
CONSORT_FORWARD(fmiStatus, fmiGetStringStatus, (fmiComponent c, const fmiStatusKind s, fmiString* v), (c, s, v))
