#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "base/error.hpp"
#include "solve/nonlinear.hpp"
#include "solve/sundials/sundials_support.hpp"

namespace consort::solve {

namespace {

struct Job {
  const FixedPoint& problem;
  CallbackTrouble trouble;
  std::uint64_t evaluations = 0;
};

int residual(N_Vector x, N_Vector f, void* data) {
  auto& job = *static_cast<Job*>(data);
  return guarded(job.trouble, 0, const_view(f), [&] {
    job.problem.g(const_view(x), view(f));
    ++job.evaluations;
    for (std::size_t i = 0; i < job.problem.size; ++i) view(f)[i] -= const_view(x)[i];
  });
}

int jacobian(N_Vector x, N_Vector f, SUNMatrix matrix, void* data, N_Vector, N_Vector) {
  auto& job = *static_cast<Job*>(data);
  const std::size_t n = job.problem.size;
  const std::span<double> values(SUNDenseMatrix_Data(matrix), n * n);
  return guarded(job.trouble, 0, values, [&] {
    if (!job.problem.jacobian || !job.problem.jacobian(const_view(x), values)) {
      std::vector<double> image(n);
      for (std::size_t i = 0; i < n; ++i) image[i] = const_view(f)[i] + const_view(x)[i];
      difference_jacobian(job.problem, const_view(x), image, values, job.evaluations);
    }
    for (std::size_t i = 0; i < n; ++i) values[i * n + i] -= 1;
  });
}

struct FreeKinsol {
  void operator()(void* memory) const { KINFree(&memory); }
};

}  // namespace

NonlinearOutcome solve_with_kinsol(const FixedPoint& problem, const NonlinearOptions& options, std::span<double> x) {
  Job job{problem, {}, 0};
  const SundialsContext context;
  const auto n = static_cast<sunindextype>(problem.size);
  std::vector<double> ones(problem.size), image(problem.size);
  for (std::size_t i = 0; i < problem.size; ++i) ones[i] = 1.0 / std::max(1.0, std::abs(x[i]));
  const NVector unknowns = wrap(x, context);
  const NVector scale = wrap(ones, context);
  const std::unique_ptr<void, FreeKinsol> memory(KINCreate(context));
  check_set_up(memory ? 0 : -1, "KINCreate", job.trouble);
  keep_messages(SundialsPackage::kinsol, memory.get(), context, job.trouble);
  KINSetUserData(memory.get(), &job);
  check_set_up(KINInit(memory.get(), residual, unknowns.get()), "KINInit", job.trouble);
  const Matrix matrix(SUNDenseMatrix(n, n, context));
  const LinearSolverHandle linear(SUNLinSol_Dense(unknowns.get(), matrix.get(), context));
  check_set_up(KINSetLinearSolver(memory.get(), linear.get(), matrix.get()), "KINSetLinearSolver", job.trouble);
  check_set_up(KINSetJacFn(memory.get(), jacobian), "KINSetJacFn", job.trouble);
  KINSetFuncNormTol(memory.get(), options.tolerance);
  KINSetScaledStepTol(memory.get(), std::numeric_limits<double>::epsilon());
  KINSetNumMaxIters(memory.get(), options.iterations);
  KINSetMaxSetupCalls(memory.get(), 1);
  KINSol(memory.get(), unknowns.get(), KIN_LINESEARCH, scale.get(), scale.get());
  if (job.trouble.thrown) std::rethrow_exception(job.trouble.thrown);

  NonlinearOutcome outcome;
  long iterations = 0;
  KINGetNumNonlinSolvIters(memory.get(), &iterations);
  outcome.iterations = static_cast<int>(iterations);
  problem.g(x, image);
  outcome.evaluations = job.evaluations + 1;
  outcome.converged = judge(x, image, options.tolerance, outcome);
  return outcome;
}

}  // namespace consort::solve
