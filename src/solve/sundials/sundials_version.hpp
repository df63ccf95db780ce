// The differences between the versions of SUNDIALS: 6.4 (Debian 12, Ubuntu 24.04) and 7.1 (Debian 13). No other file
// depends on the version. The folder uses the names of 7.1.
#pragma once

#include <cstdio>  // the next headers of 6.4 need it

#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <kinsol/kinsol.h>
#include <sundials/sundials_config.h>
#include <sundials/sundials_context.h>

namespace consort::solve {

// Receives an error of SUNDIALS: the function that reports it and the text. `data` is the caller's.
using SundialsErrorHandler = void (*)(const char* function, const char* message, void* data);

// The kind of a solver's memory.
enum class SundialsPackage { cvode, ida, arkode, kinsol };

#if SUNDIALS_VERSION_MAJOR >= 7

// Null if the memory does not suffice. The context prints nothing.
inline SUNContext create_sundials_context() {
  SUNContext context = nullptr;
  if (SUNContext_Create(SUN_COMM_NULL, &context) != SUN_SUCCESS) return nullptr;
  SUNContext_SetLogger(context, nullptr);  // it would print warnings to stdout
  SUNContext_ClearErrHandlers(context);
  return context;
}

// Directs the errors of a solver, whose memory was made in the context, to the handler; no warnings. `Handler` must not
// throw. A context serves one solver, because from version 7 on the context has the handler and not the solver. Returns
// a flag of SUNDIALS, negative for a failure.
template <SundialsErrorHandler Handler>
int direct_errors(SundialsPackage /*package*/, void* /*memory*/, SUNContext context, void* data) {
  const auto forward = [](int, const char* function, const char*, const char* message, SUNErrCode code, void* to,
                          SUNContext) { Handler(function, message != nullptr ? message : SUNGetErrMsg(code), to); };
  return SUNContext_PushErrHandler(context, forward, data);
}

#else

inline SUNContext create_sundials_context() {
  SUNContext context = nullptr;
  return SUNContext_Create(nullptr, &context) == 0 ? context : nullptr;
}

template <SundialsErrorHandler Handler>
int direct_errors(SundialsPackage package, void* memory, SUNContext /*context*/, void* data) {
  const auto forward = [](int code, const char*, const char* function, char* message, void* to) {
    constexpr int warning = 99;  // CV_WARNING, IDA_WARNING, ARK_WARNING, KIN_WARNING
    if (code != warning) Handler(function, message, to);
  };
  switch (package) {
    case SundialsPackage::cvode: return CVodeSetErrHandlerFn(memory, forward, data);
    case SundialsPackage::ida: return IDASetErrHandlerFn(memory, forward, data);
    case SundialsPackage::arkode: return ARKStepSetErrHandlerFn(memory, forward, data);
    case SundialsPackage::kinsol: return KINSetErrHandlerFn(memory, forward, data);
  }
  return -1;
}

// The functions that all methods of ARKODE share since 7.1.
inline constexpr auto ARKodeEvolve = ARKStepEvolve;
inline constexpr auto ARKodeFree = ARKStepFree;
inline constexpr auto ARKodeGetCurrentStep = ARKStepGetCurrentStep;
inline constexpr auto ARKodeGetDky = ARKStepGetDky;
inline constexpr auto ARKodeGetErrWeights = ARKStepGetErrWeights;
inline constexpr auto ARKodeGetEstLocalErrors = ARKStepGetEstLocalErrors;
inline constexpr auto ARKodeGetLastStep = ARKStepGetLastStep;
inline constexpr auto ARKodeGetNumErrTestFails = ARKStepGetNumErrTestFails;
inline constexpr auto ARKodeGetNumJacEvals = ARKStepGetNumJacEvals;
inline constexpr auto ARKodeGetNumLinRhsEvals = ARKStepGetNumLinRhsEvals;
inline constexpr auto ARKodeGetNumLinSolvSetups = ARKStepGetNumLinSolvSetups;
inline constexpr auto ARKodeGetNumNonlinSolvIters = ARKStepGetNumNonlinSolvIters;
inline constexpr auto ARKodeGetNumStepSolveFails = ARKStepGetNumStepSolveFails;
inline constexpr auto ARKodeSStolerances = ARKStepSStolerances;
inline constexpr auto ARKodeSVtolerances = ARKStepSVtolerances;
inline constexpr auto ARKodeSetDeduceImplicitRhs = ARKStepSetDeduceImplicitRhs;
inline constexpr auto ARKodeSetInitStep = ARKStepSetInitStep;
inline constexpr auto ARKodeSetJacFn = ARKStepSetJacFn;
inline constexpr auto ARKodeSetJacTimes = ARKStepSetJacTimes;
inline constexpr auto ARKodeSetLinearSolver = ARKStepSetLinearSolver;
inline constexpr auto ARKodeSetMaxErrTestFails = ARKStepSetMaxErrTestFails;
inline constexpr auto ARKodeSetMaxNonlinIters = ARKStepSetMaxNonlinIters;
inline constexpr auto ARKodeSetMaxStep = ARKStepSetMaxStep;
inline constexpr auto ARKodeSetMinStep = ARKStepSetMinStep;
inline constexpr auto ARKodeSetNonlinCRDown = ARKStepSetNonlinCRDown;
inline constexpr auto ARKodeSetStopTime = ARKStepSetStopTime;
inline constexpr auto ARKodeSetUserData = ARKStepSetUserData;

#endif

}  // namespace consort::solve
