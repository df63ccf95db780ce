// The functions of an FMI 1.0 FMU for Model Exchange under the names of one model.
#include "glue/fmi1_names.hpp"

CONSORT_FORWARD(const char*, fmiGetModelTypesPlatform, (), ())
CONSORT_FORWARD(fmiComponent, fmiInstantiateModel,
                (fmiString name, fmiString guid, fmiCallbackFunctionsME functions, fmiBoolean logging),
                (name, guid, functions, logging))
CONSORT_FORWARD(void, fmiFreeModelInstance, (fmiComponent c), (c))
CONSORT_FORWARD(fmiStatus, fmiSetTime, (fmiComponent c, fmiReal t), (c, t))
CONSORT_FORWARD(fmiStatus, fmiSetContinuousStates, (fmiComponent c, const fmiReal x[], size_t n), (c, x, n))
CONSORT_FORWARD(fmiStatus, fmiCompletedIntegratorStep, (fmiComponent c, fmiBoolean* update), (c, update))
CONSORT_FORWARD(fmiStatus, fmiInitialize,
                (fmiComponent c, fmiBoolean controlled, fmiReal tolerance, fmiEventInfo* info),
                (c, controlled, tolerance, info))
CONSORT_FORWARD(fmiStatus, fmiGetDerivatives, (fmiComponent c, fmiReal dx[], size_t n), (c, dx, n))
CONSORT_FORWARD(fmiStatus, fmiGetEventIndicators, (fmiComponent c, fmiReal z[], size_t n), (c, z, n))
CONSORT_FORWARD(fmiStatus, fmiEventUpdate, (fmiComponent c, fmiBoolean intermediate, fmiEventInfo* info),
                (c, intermediate, info))
CONSORT_FORWARD(fmiStatus, fmiGetContinuousStates, (fmiComponent c, fmiReal x[], size_t n), (c, x, n))
CONSORT_FORWARD(fmiStatus, fmiGetNominalContinuousStates, (fmiComponent c, fmiReal x[], size_t n), (c, x, n))
CONSORT_FORWARD(fmiStatus, fmiGetStateValueReferences, (fmiComponent c, fmiValueReference vr[], size_t n), (c, vr, n))
CONSORT_FORWARD(fmiStatus, fmiTerminate, (fmiComponent c), (c))
