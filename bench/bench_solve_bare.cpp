// CVODE as used by a program without Consort, the reference for the cost of Consort's interface.
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "bench_solve_overhead.hpp"

namespace {

int rates(realtype /*t*/, N_Vector y, N_Vector dy, void* user) {
  consort::bench::chain_rates(*static_cast<std::size_t*>(user), N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
  return 0;
}

void check(bool good, const char* call) {
  if (!good) throw std::runtime_error(call);
}

}  // namespace

extern "C" __attribute__((noinline)) long run_bare_steps(void* cvode, N_Vector y, double stop) {
  double t = 0;
  long steps = 0;
  while (t < stop) {
    check(CVode(cvode, stop, y, &t, CV_ONE_STEP) >= 0, "CVode");
    ++steps;
  }
  return steps;
}

namespace consort::bench {

long run_bare(std::size_t n) {
  SUNContext context = nullptr;
  check(SUNContext_Create(nullptr, &context) == 0, "SUNContext_Create");
  const auto size = static_cast<std::int64_t>(n);
  N_Vector y = N_VNew_Serial(size, context);
  for (std::size_t i = 0; i < n; ++i) N_VGetArrayPointer(y)[i] = chain_start(n, i);
  void* cvode = CVodeCreate(CV_BDF, context);
  check(CVodeInit(cvode, rates, 0, y) == CV_SUCCESS, "CVodeInit");
  check(CVodeSStolerances(cvode, 1e-6, 1e-8) == CV_SUCCESS, "CVodeSStolerances");
  check(CVodeSetUserData(cvode, &n) == CV_SUCCESS, "CVodeSetUserData");
  SUNMatrix jacobian = SUNDenseMatrix(size, size, context);
  SUNLinearSolver linear = SUNLinSol_Dense(y, jacobian, context);
  check(CVodeSetLinearSolver(cvode, linear, jacobian) == CV_SUCCESS, "CVodeSetLinearSolver");
  check(CVodeSetStopTime(cvode, chain_stop(n)) == CV_SUCCESS, "CVodeSetStopTime");
  const long steps = run_bare_steps(cvode, y, chain_stop(n));
  CVodeFree(&cvode);
  SUNLinSolFree(linear);
  SUNMatDestroy(jacobian);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return steps;
}

}  // namespace consort::bench
