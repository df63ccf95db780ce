/* FMI 1.0 for Co-Simulation: functions. */
#ifndef fmiFunctions_h
#define fmiFunctions_h

#include "fmiPlatformTypes.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef CONSORT_FMI1_CALLBACKS_NAMED
#define CONSORT_FMI1_CALLBACKS_NAMED
typedef fmiCallbackFunctionsCS fmiCallbackFunctions;
#endif

typedef enum { fmiDoStepStatus = 0, fmiPendingStatus = 1, fmiLastSuccessfulTime = 2 } fmiStatusKind;

typedef const char* fmiGetTypesPlatformTYPE(void);
typedef fmiComponent fmiInstantiateSlaveTYPE(fmiString instanceName, fmiString fmuGUID, fmiString fmuLocation,
                                             fmiString mimeType, fmiReal timeout, fmiBoolean visible,
                                             fmiBoolean interactive, fmiCallbackFunctionsCS functions,
                                             fmiBoolean loggingOn);
typedef fmiStatus fmiInitializeSlaveTYPE(fmiComponent c, fmiReal tStart, fmiBoolean StopTimeDefined, fmiReal tStop);
typedef fmiStatus fmiTerminateSlaveTYPE(fmiComponent c);
typedef fmiStatus fmiResetSlaveTYPE(fmiComponent c);
typedef void fmiFreeSlaveInstanceTYPE(fmiComponent c);
typedef fmiStatus fmiSetRealInputDerivativesTYPE(fmiComponent c, const fmiValueReference vr[], size_t nvr,
                                                 const fmiInteger order[], const fmiReal value[]);
typedef fmiStatus fmiGetRealOutputDerivativesTYPE(fmiComponent c, const fmiValueReference vr[], size_t nvr,
                                                  const fmiInteger order[], fmiReal value[]);
typedef fmiStatus fmiDoStepTYPE(fmiComponent c, fmiReal currentCommunicationPoint, fmiReal communicationStepSize,
                                fmiBoolean newStep);
typedef fmiStatus fmiCancelStepTYPE(fmiComponent c);
typedef fmiStatus fmiGetStatusTYPE(fmiComponent c, const fmiStatusKind s, fmiStatus* value);
typedef fmiStatus fmiGetRealStatusTYPE(fmiComponent c, const fmiStatusKind s, fmiReal* value);
typedef fmiStatus fmiGetIntegerStatusTYPE(fmiComponent c, const fmiStatusKind s, fmiInteger* value);
typedef fmiStatus fmiGetBooleanStatusTYPE(fmiComponent c, const fmiStatusKind s, fmiBoolean* value);
typedef fmiStatus fmiGetStringStatusTYPE(fmiComponent c, const fmiStatusKind s, fmiString* value);

#ifdef __cplusplus
}
#endif

#ifdef MODEL_IDENTIFIER
#define fmiGetTypesPlatform fmiFullName(_fmiGetTypesPlatform)
#define fmiInstantiateSlave fmiFullName(_fmiInstantiateSlave)
#define fmiInitializeSlave fmiFullName(_fmiInitializeSlave)
#define fmiTerminateSlave fmiFullName(_fmiTerminateSlave)
#define fmiResetSlave fmiFullName(_fmiResetSlave)
#define fmiFreeSlaveInstance fmiFullName(_fmiFreeSlaveInstance)
#define fmiSetRealInputDerivatives fmiFullName(_fmiSetRealInputDerivatives)
#define fmiGetRealOutputDerivatives fmiFullName(_fmiGetRealOutputDerivatives)
#define fmiDoStep fmiFullName(_fmiDoStep)
#define fmiCancelStep fmiFullName(_fmiCancelStep)
#define fmiGetStatus fmiFullName(_fmiGetStatus)
#define fmiGetRealStatus fmiFullName(_fmiGetRealStatus)
#define fmiGetIntegerStatus fmiFullName(_fmiGetIntegerStatus)
#define fmiGetBooleanStatus fmiFullName(_fmiGetBooleanStatus)
#define fmiGetStringStatus fmiFullName(_fmiGetStringStatus)
#ifdef __cplusplus
extern "C" {
#endif
DllExport fmiGetTypesPlatformTYPE fmiGetTypesPlatform;
DllExport fmiInstantiateSlaveTYPE fmiInstantiateSlave;
DllExport fmiInitializeSlaveTYPE fmiInitializeSlave;
DllExport fmiTerminateSlaveTYPE fmiTerminateSlave;
DllExport fmiResetSlaveTYPE fmiResetSlave;
DllExport fmiFreeSlaveInstanceTYPE fmiFreeSlaveInstance;
DllExport fmiSetRealInputDerivativesTYPE fmiSetRealInputDerivatives;
DllExport fmiGetRealOutputDerivativesTYPE fmiGetRealOutputDerivatives;
DllExport fmiDoStepTYPE fmiDoStep;
DllExport fmiCancelStepTYPE fmiCancelStep;
DllExport fmiGetStatusTYPE fmiGetStatus;
DllExport fmiGetRealStatusTYPE fmiGetRealStatus;
DllExport fmiGetIntegerStatusTYPE fmiGetIntegerStatus;
DllExport fmiGetBooleanStatusTYPE fmiGetBooleanStatus;
DllExport fmiGetStringStatusTYPE fmiGetStringStatus;
#ifdef __cplusplus
}
#endif
#endif

#endif
