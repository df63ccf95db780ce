/* FMI 1.0 for Model Exchange: functions. */
#ifndef fmiModelFunctions_h
#define fmiModelFunctions_h

#include "fmiModelTypes.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef CONSORT_FMI1_CALLBACKS_NAMED
#define CONSORT_FMI1_CALLBACKS_NAMED
typedef fmiCallbackFunctionsME fmiCallbackFunctions;
#endif

typedef const char* fmiGetModelTypesPlatformTYPE(void);
typedef fmiComponent fmiInstantiateModelTYPE(fmiString instanceName, fmiString GUID, fmiCallbackFunctionsME functions,
                                             fmiBoolean loggingOn);
typedef void fmiFreeModelInstanceTYPE(fmiComponent c);
typedef fmiStatus fmiSetTimeTYPE(fmiComponent c, fmiReal time);
typedef fmiStatus fmiSetContinuousStatesTYPE(fmiComponent c, const fmiReal x[], size_t nx);
typedef fmiStatus fmiCompletedIntegratorStepTYPE(fmiComponent c, fmiBoolean* callEventUpdate);
typedef fmiStatus fmiInitializeTYPE(fmiComponent c, fmiBoolean toleranceControlled, fmiReal relativeTolerance,
                                    fmiEventInfo* eventInfo);
typedef fmiStatus fmiGetDerivativesTYPE(fmiComponent c, fmiReal derivatives[], size_t nx);
typedef fmiStatus fmiGetEventIndicatorsTYPE(fmiComponent c, fmiReal eventIndicators[], size_t ni);
typedef fmiStatus fmiEventUpdateTYPE(fmiComponent c, fmiBoolean intermediateResults, fmiEventInfo* eventInfo);
typedef fmiStatus fmiGetContinuousStatesTYPE(fmiComponent c, fmiReal states[], size_t nx);
typedef fmiStatus fmiGetNominalContinuousStatesTYPE(fmiComponent c, fmiReal x_nominal[], size_t nx);
typedef fmiStatus fmiGetStateValueReferencesTYPE(fmiComponent c, fmiValueReference vrx[], size_t nx);
typedef fmiStatus fmiTerminateTYPE(fmiComponent c);

#ifdef __cplusplus
}
#endif

#ifdef MODEL_IDENTIFIER
#define fmiGetModelTypesPlatform fmiFullName(_fmiGetModelTypesPlatform)
#define fmiInstantiateModel fmiFullName(_fmiInstantiateModel)
#define fmiFreeModelInstance fmiFullName(_fmiFreeModelInstance)
#define fmiSetTime fmiFullName(_fmiSetTime)
#define fmiSetContinuousStates fmiFullName(_fmiSetContinuousStates)
#define fmiCompletedIntegratorStep fmiFullName(_fmiCompletedIntegratorStep)
#define fmiInitialize fmiFullName(_fmiInitialize)
#define fmiGetDerivatives fmiFullName(_fmiGetDerivatives)
#define fmiGetEventIndicators fmiFullName(_fmiGetEventIndicators)
#define fmiEventUpdate fmiFullName(_fmiEventUpdate)
#define fmiGetContinuousStates fmiFullName(_fmiGetContinuousStates)
#define fmiGetNominalContinuousStates fmiFullName(_fmiGetNominalContinuousStates)
#define fmiGetStateValueReferences fmiFullName(_fmiGetStateValueReferences)
#define fmiTerminate fmiFullName(_fmiTerminate)
#ifdef __cplusplus
extern "C" {
#endif
DllExport fmiGetModelTypesPlatformTYPE fmiGetModelTypesPlatform;
DllExport fmiInstantiateModelTYPE fmiInstantiateModel;
DllExport fmiFreeModelInstanceTYPE fmiFreeModelInstance;
DllExport fmiSetTimeTYPE fmiSetTime;
DllExport fmiSetContinuousStatesTYPE fmiSetContinuousStates;
DllExport fmiCompletedIntegratorStepTYPE fmiCompletedIntegratorStep;
DllExport fmiInitializeTYPE fmiInitialize;
DllExport fmiGetDerivativesTYPE fmiGetDerivatives;
DllExport fmiGetEventIndicatorsTYPE fmiGetEventIndicators;
DllExport fmiEventUpdateTYPE fmiEventUpdate;
DllExport fmiGetContinuousStatesTYPE fmiGetContinuousStates;
DllExport fmiGetNominalContinuousStatesTYPE fmiGetNominalContinuousStates;
DllExport fmiGetStateValueReferencesTYPE fmiGetStateValueReferences;
DllExport fmiTerminateTYPE fmiTerminate;
#ifdef __cplusplus
}
#endif
#endif

#endif
