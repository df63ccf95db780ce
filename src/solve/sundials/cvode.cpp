// CVODE: variable-order multistep methods, BDF for stiff problems and Adams-Moulton for others.
#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "base/error.hpp"
#include "solve/solvers.hpp"
#include "solve/sundials/sundials_ode.hpp"

namespace consort::solve {

namespace {

class Cvode final : public SundialsOde {
 public:
  Cvode(const SolverRow& row, const Ode& ode, const SolverOptions& options, int family)
      : SundialsOde(row, ode, options) {
    if (size() == 0) return;
    memory_ = CVodeCreate(family, context());
    if (memory_ == nullptr) throw std::bad_alloc();
    try {
      set_up(family);
    } catch (...) {
      CVodeFree(&memory_);
      throw;
    }
  }
  ~Cvode() override { CVodeFree(&memory_); }

 protected:
  Advance advance(Time limit) override;
  void start() override;
  int polynomial(Time t, int k, N_Vector out) const override { return CVodeGetDky(memory_, t, k, out); }
  void add_counters(Statistics& statistics) const override;
  bool weighted_errors(N_Vector errors, N_Vector weights) const override {
    return CVodeGetEstLocalErrors(memory_, errors) == CV_SUCCESS && CVodeGetErrWeights(memory_, weights) == CV_SUCCESS;
  }
  [[nodiscard]] Duration attempted_step() const override {
    Duration h = 0;
    CVodeGetCurrentStep(memory_, &h);
    return std::abs(h);
  }

 private:
  void set_up(int family);
  void set_tolerances();
  bool too_stiff();
  void ok(int flag, const char* call) const { check_set_up(flag, call, trouble_); }

  void* memory_ = nullptr;
  NonlinearSolverHandle fixed_point_;
  Time stop_ = 0;
  bool stop_set_ = false;
  bool first_ = true;
  std::uint64_t steps_since_start_ = 0;
  long failures_before_ = 0;
  int stiff_windows_ = 0;
};

void Cvode::set_up(int family) {
  keep_messages(SundialsPackage::cvode, memory_, context(), trouble_);
  ok(CVodeSetUserData(memory_, static_cast<SundialsOde*>(this)), "CVodeSetUserData");
  ok(CVodeInit(memory_, rhs, time(), now()), "CVodeInit");
  set_tolerances();
  if (options_.max_order > 0) {
    ok(CVodeSetMaxOrd(memory_, std::min(options_.max_order, row_.capabilities.max_order)), "CVodeSetMaxOrd");
  }
  ok(CVodeSetInitStep(memory_, options_.initial_step), "CVodeSetInitStep");
  ok(CVodeSetMinStep(memory_, options_.min_step), "CVodeSetMinStep");
  // For CVODE 0 means no limit.
  ok(CVodeSetMaxStep(memory_, std::isfinite(options_.max_step) ? options_.max_step : 0), "CVodeSetMaxStep");
  if (family == CV_ADAMS) {
    constexpr int no_acceleration = 0;
    fixed_point_.reset(SUNNonlinSol_FixedPoint(now(), no_acceleration, context()));
    if (!fixed_point_) throw std::bad_alloc();
    ok(CVodeSetNonlinearSolver(memory_, fixed_point_.get()), "CVodeSetNonlinearSolver");
    return;
  }
  make_linear_part();
  ok(CVodeSetLinearSolver(memory_, linear().solver(), linear().matrix()), "CVodeSetLinearSolver");
  if (linear().library_differences()) return;
  if (linear().kind() == LinearSolver::krylov) {
    ok(CVodeSetJacTimes(memory_, nullptr, jacobian_times), "CVodeSetJacTimes");
  } else {
    ok(CVodeSetJacFn(memory_, jacobian), "CVodeSetJacFn");
  }
}

void Cvode::set_tolerances() {
  if (one_tolerance_for_all()) {
    ok(CVodeSStolerances(memory_, options_.rtol, state_.atol.front()), "CVodeSStolerances");
  } else {
    ok(CVodeSVtolerances(memory_, options_.rtol, wrap(state_.atol, context()).get()), "CVodeSVtolerances");
  }
}

void Cvode::start() {
  ok(CVodeReInit(memory_, time(), now()), "CVodeReInit");
  set_tolerances();
  first_ = true;
  stop_set_ = false;
  steps_since_start_ = 0;
  failures_before_ = 0;  // CVODE resets its counter as well
  stiff_windows_ = 0;
}

SundialsSolver::Advance Cvode::advance(Time limit) {
  if (!stop_set_ || limit != stop_) {
    // CVODE may have passed the last limit by a rounding error; a limit within that error is already reached.
    if (CVodeSetStopTime(memory_, limit) < 0) return {.flag = CVodeGetDky(memory_, limit, 0, now()), .reached = limit};
    stop_ = limit;
    stop_set_ = true;
  }
  Time towards = limit;
  if (first_) [[unlikely]] {
    // CVODE uses the distance for its first step: it must be finite and larger than rounding.
    if (!std::isfinite(limit)) towards = time() + std::max(1.0, std::abs(time()));
    const double rounding = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(time()), std::abs(limit));
    const bool tiny = limit - time() <= rounding;
    ok(CVodeSetInitStep(memory_, tiny ? limit - time() : options_.initial_step), "CVodeSetInitStep");
  }
  Advance result;
  result.flag = CVode(memory_, towards, now(), &result.reached, CV_ONE_STEP);
  if (result.flag < 0) [[unlikely]]
    return result;
  first_ = false;
  if (result.flag == CV_TSTOP_RETURN) stop_set_ = false;  // CVODE clears it then
  CVodeGetLastOrder(memory_, &result.order);
  CVodeGetCurrentStep(memory_, &result.next);
  if (fixed_point_) result.stiff = too_stiff();
  return result;
}

// The fixed-point iteration of the Adams methods converges only for steps well below the fastest time constant. On
// stiff problems the step size hits this bound repeatedly: more than a third of the steps then follow such a failure,
// on other problems at most one in ten. The problem is stiff if this lasts for five thousand steps.
bool Cvode::too_stiff() {
  constexpr std::uint64_t window = 1000;
  constexpr long many_failures = window / 4;
  constexpr int windows_for_stiff = 5;
  if (!options_.check_stiffness || ++steps_since_start_ % window != 0) return false;
  long failures = 0;
  CVodeGetNumStepSolveFails(memory_, &failures);
  stiff_windows_ = failures - failures_before_ >= many_failures ? stiff_windows_ + 1 : 0;
  failures_before_ = failures;
  return stiff_windows_ >= windows_for_stiff;
}

void Cvode::add_counters(Statistics& statistics) const {
  const auto count = [](long value) { return static_cast<std::uint64_t>(value); };
  long value = 0;
  CVodeGetNumErrTestFails(memory_, &value);
  statistics.error_test_failures += count(value);
  CVodeGetNumStepSolveFails(memory_, &value);
  statistics.convergence_failures += count(value);
  CVodeGetNumNonlinSolvIters(memory_, &value);
  statistics.newton_iterations += count(value);
  if (fixed_point_) return;
  CVodeGetNumLinRhsEvals(memory_, &value);
  statistics.jacobian_evaluations += count(value);
  CVodeGetNumJacEvals(memory_, &value);
  statistics.jacobians += count(value);
  CVodeGetNumLinSolvSetups(memory_, &value);
  statistics.factorisations += count(value);
}

}  // namespace

std::unique_ptr<Solver> make_cvode_bdf(const SolverRow& row, const Ode& ode, const SolverOptions& options) {
  return std::make_unique<Cvode>(row, ode, options, CV_BDF);
}

std::unique_ptr<Solver> make_cvode_adams(const SolverRow& row, const Ode& ode, const SolverOptions& options) {
  return std::make_unique<Cvode>(row, ode, options, CV_ADAMS);
}

}  // namespace consort::solve
