// Owners for the C objects of SUNDIALS, and the passage of exceptions, messages and values that are not finite through
// its C code.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>

#include "solve/problem.hpp"
#include "solve/sundials/sundials_version.hpp"

namespace consort::solve {

// --- owners

class SundialsContext {
 public:
  SundialsContext();
  ~SundialsContext();
  SundialsContext(const SundialsContext&) = delete;
  SundialsContext& operator=(const SundialsContext&) = delete;
  operator SUNContext() const { return context_; }  // NOLINT(google-explicit-constructor): it represents the handle

 private:
  SUNContext context_ = nullptr;
};

struct SundialsFree {
  void operator()(N_Vector vector) const { N_VDestroy(vector); }
  void operator()(SUNMatrix matrix) const { SUNMatDestroy(matrix); }
  void operator()(SUNLinearSolver solver) const { SUNLinSolFree(solver); }
  void operator()(SUNNonlinearSolver solver) const { SUNNonlinSolFree(solver); }
};

using NVector = std::unique_ptr<std::remove_pointer_t<N_Vector>, SundialsFree>;
using Matrix = std::unique_ptr<std::remove_pointer_t<SUNMatrix>, SundialsFree>;
using LinearSolverHandle = std::unique_ptr<std::remove_pointer_t<SUNLinearSolver>, SundialsFree>;
using NonlinearSolverHandle = std::unique_ptr<std::remove_pointer_t<SUNNonlinearSolver>, SundialsFree>;

// An N_Vector that refers to `memory`, which must outlive it; nothing is copied.
[[nodiscard]] NVector wrap(Vector memory, SUNContext context);

[[nodiscard]] inline Vector view(N_Vector v) { return {NV_DATA_S(v), static_cast<std::size_t>(NV_LENGTH_S(v))}; }
[[nodiscard]] inline ConstVector const_view(N_Vector v) { return view(v); }

// --- passage through C code

// Details of a failed callback, of which SUNDIALS sees only the return code.
struct CallbackTrouble {
  std::exception_ptr thrown{};
  std::optional<std::size_t> not_finite{};  // the component
  Time t = 0;                               // at which
  double value = 0;
  std::string message{};  // the last error that SUNDIALS reported in its own words

  // True if the problem had no finite value just ahead of `now`, relative to a step of size h.
  [[nodiscard]] bool blocked_at(Time now, Duration h) const;
};

[[nodiscard]] bool all_finite(ConstVector values);
// Stores the first component that is not finite.
void note_not_finite(CallbackTrouble& trouble, Time t, ConstVector values);

// Keeps the last error of the solver in `trouble`, which must outlive its memory. The context must be the solver's own.
void keep_messages(SundialsPackage package, void* memory, SUNContext context, CallbackTrouble& trouble);

// Calls f(), which fills `result`. Returns the codes of SUNDIALS: 0 success, 1 try a smaller step, -1 give up.
template <class F>
int guarded(CallbackTrouble& trouble, Time t, ConstVector result, F&& f) {
  if (trouble.thrown) [[unlikely]]
    return -1;  // some parts of SUNDIALS call again after -1
  try {
    f();
  } catch (...) {
    trouble.thrown = std::current_exception();
    return -1;
  }
  if (all_finite(result)) [[likely]]
    return 0;
  note_not_finite(trouble, t, result);
  return 1;
}

// Throws Error (run) with the name of the call if a set-up call failed.
void check_set_up(int flag, const char* call, const CallbackTrouble& trouble);

}  // namespace consort::solve
