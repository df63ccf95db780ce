/* FMI 1.0: what Model Exchange and Co-Simulation have in common, so that one translation unit may include both. */
#ifndef CONSORT_FMI1_SHARED_H
#define CONSORT_FMI1_SHARED_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void* fmiComponent;
typedef unsigned int fmiValueReference;
typedef double fmiReal;
typedef int fmiInteger;
typedef char fmiBoolean;
typedef const char* fmiString;

#define fmiTrue 1
#define fmiFalse 0
#define fmiUndefinedValueReference (fmiValueReference)(-1)
#define fmiVersion "1.0"

/* fmiPending is Co-Simulation's; a Model Exchange unit never returns it. */
typedef enum { fmiOK = 0, fmiWarning = 1, fmiDiscard = 2, fmiError = 3, fmiFatal = 4, fmiPending = 5 } fmiStatus;

typedef void (*fmiCallbackLogger)(fmiComponent c, fmiString instanceName, fmiStatus status, fmiString category,
                                  fmiString message, ...);
typedef void* (*fmiCallbackAllocateMemory)(size_t nobj, size_t size);
typedef void (*fmiCallbackFreeMemory)(void* obj);
typedef void (*fmiStepFinished)(fmiComponent c, fmiStatus status);

/* Passed by value, and different in the two standards: the name fmiCallbackFunctions stands for the one whose header is
   included first; who includes both uses the names with ME and CS. */
typedef struct {
  fmiCallbackLogger logger;
  fmiCallbackAllocateMemory allocateMemory;
  fmiCallbackFreeMemory freeMemory;
} fmiCallbackFunctionsME;

typedef struct {
  fmiCallbackLogger logger;
  fmiCallbackAllocateMemory allocateMemory;
  fmiCallbackFreeMemory freeMemory;
  fmiStepFinished stepFinished;
} fmiCallbackFunctionsCS;

typedef struct {
  fmiBoolean iterationConverged;
  fmiBoolean stateValueReferencesChanged;
  fmiBoolean stateValuesChanged;
  fmiBoolean terminateSimulation;
  fmiBoolean upcomingTimeEvent;
  fmiReal nextEventTime;
} fmiEventInfo;

/* Functions that both kinds have. */
typedef const char* fmiGetVersionTYPE(void);
typedef fmiStatus fmiSetDebugLoggingTYPE(fmiComponent c, fmiBoolean loggingOn);
typedef fmiStatus fmiGetRealTYPE(fmiComponent c, const fmiValueReference vr[], size_t nvr, fmiReal value[]);
typedef fmiStatus fmiGetIntegerTYPE(fmiComponent c, const fmiValueReference vr[], size_t nvr, fmiInteger value[]);
typedef fmiStatus fmiGetBooleanTYPE(fmiComponent c, const fmiValueReference vr[], size_t nvr, fmiBoolean value[]);
typedef fmiStatus fmiGetStringTYPE(fmiComponent c, const fmiValueReference vr[], size_t nvr, fmiString value[]);
typedef fmiStatus fmiSetRealTYPE(fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiReal value[]);
typedef fmiStatus fmiSetIntegerTYPE(fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiInteger value[]);
typedef fmiStatus fmiSetBooleanTYPE(fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiBoolean value[]);
typedef fmiStatus fmiSetStringTYPE(fmiComponent c, const fmiValueReference vr[], size_t nvr, const fmiString value[]);

#ifdef __cplusplus
}
#endif

/* FMI 1.0 names every function <MODEL_IDENTIFIER>_fmi…; functions are declared only where MODEL_IDENTIFIER is defined,
   which an FMU does before it includes these headers and an importer does not. */
#ifdef MODEL_IDENTIFIER
#ifndef DllExport
#if defined _WIN32 || defined __CYGWIN__
#define DllExport __declspec(dllexport)
#elif defined __GNUC__
#define DllExport __attribute__((visibility("default")))
#else
#define DllExport
#endif
#endif
#define fmiPaste(a, b) a##b
#define fmiPasteB(a, b) fmiPaste(a, b)
#define fmiFullName(name) fmiPasteB(MODEL_IDENTIFIER, name)
#define fmiGetVersion fmiFullName(_fmiGetVersion)
#define fmiSetDebugLogging fmiFullName(_fmiSetDebugLogging)
#define fmiGetReal fmiFullName(_fmiGetReal)
#define fmiGetInteger fmiFullName(_fmiGetInteger)
#define fmiGetBoolean fmiFullName(_fmiGetBoolean)
#define fmiGetString fmiFullName(_fmiGetString)
#define fmiSetReal fmiFullName(_fmiSetReal)
#define fmiSetInteger fmiFullName(_fmiSetInteger)
#define fmiSetBoolean fmiFullName(_fmiSetBoolean)
#define fmiSetString fmiFullName(_fmiSetString)
#ifdef __cplusplus
extern "C" {
#endif
DllExport fmiGetVersionTYPE fmiGetVersion;
DllExport fmiSetDebugLoggingTYPE fmiSetDebugLogging;
DllExport fmiGetRealTYPE fmiGetReal;
DllExport fmiGetIntegerTYPE fmiGetInteger;
DllExport fmiGetBooleanTYPE fmiGetBoolean;
DllExport fmiGetStringTYPE fmiGetString;
DllExport fmiSetRealTYPE fmiSetReal;
DllExport fmiSetIntegerTYPE fmiSetInteger;
DllExport fmiSetBooleanTYPE fmiSetBoolean;
DllExport fmiSetStringTYPE fmiSetString;
#ifdef __cplusplus
}
#endif
#endif

#endif
