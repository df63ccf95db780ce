// IDA: variable-order BDF for F(t, y, ẏ) = 0, and for explicit ODEs written that way.
//
// The start values must be consistent, or are made consistent on request. After a restart they are always made
// consistent: an event changes some values, and the algebraic components and derivatives follow from the equations.
#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <sunmatrix/sunmatrix_dense.h>

#include "base/error.hpp"
#include "solve/solvers.hpp"
#include "solve/sundials/sundials_consistency.hpp"
#include "solve/sundials/sundials_jacobian.hpp"
#include "solve/sundials/sundials_solver.hpp"

namespace consort::solve {

namespace {

class Ida final : public SundialsSolver {
 public:
  // `ode`: the Ode from which the Dae was made, or null; `owned` then owns the Dae.
  Ida(const SolverRow& row, const Dae& dae, const SolverOptions& options, const Ode* ode = nullptr,
      std::unique_ptr<const Dae> owned = nullptr);
  ~Ida() override { IDAFree(&memory_); }

 protected:
  Advance advance(Time limit) override;
  void start() override;
  int polynomial(Time t, int k, N_Vector out) const override { return IDAGetDky(memory_, t, k, out); }
  void first_derivative(Vector out) const override { std::copy(state_.ydot.begin(), state_.ydot.end(), out.begin()); }
  void add_counters(Statistics& statistics) const override;
  bool weighted_errors(N_Vector errors, N_Vector weights) const override {
    return IDAGetEstLocalErrors(memory_, errors) == IDA_SUCCESS && IDAGetErrWeights(memory_, weights) == IDA_SUCCESS;
  }
  [[nodiscard]] std::string_view function_text() const override { return ode_ != nullptr ? "derivative" : "residual"; }
  [[nodiscard]] Duration attempted_step() const override {
    Duration h = 0;
    IDAGetCurrentStep(memory_, &h);
    return std::abs(h);
  }

 private:
  static Problem common_part(const Dae& dae);
  static int residual(sunrealtype t, N_Vector y, N_Vector ydot, N_Vector r, void* self);
  static int jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector ydot, N_Vector r, SUNMatrix jacobian,
                      void* self, N_Vector, N_Vector, N_Vector);
  static int jacobian_times(sunrealtype t, N_Vector y, N_Vector ydot, N_Vector r, N_Vector v, N_Vector jv,
                            sunrealtype c, void* self, N_Vector, N_Vector);

  void set_up();
  void set_linear_solver();
  void set_tolerances();
  void begin();
  bool correct();
  void refuse_inconsistent() const;
  bool fill_values(Time t, ConstVector y, ConstVector ydot, double c, ConstVector r);
  void ok(int flag, const char* call) const { check_set_up(flag, call, trouble_); }

  std::unique_ptr<const Dae> owned_;
  const Dae& dae_;
  const Ode* ode_;
  void* memory_ = nullptr;
  NVector ydot_;  // over state_.ydot
  std::optional<LinearPart> linear_;
  Time stop_ = 0;
  bool stop_set_ = false;
  bool first_ = true;
  Duration last_step_ = 0;
  // For coloured differences.
  std::vector<double> moved_;
  std::vector<double> moved_rate_;
  std::vector<double> changed_;
  std::vector<double> steps_;
};

Ida::Ida(const SolverRow& row, const Dae& dae, const SolverOptions& options, const Ode* ode,
         std::unique_ptr<const Dae> owned)
    : SundialsSolver(row, common_part(dae), options), owned_(std::move(owned)), dae_(dae), ode_(ode) {
  state_.ydot = dae.ydot0;
  if (size() == 0) return;
  ydot_ = wrap(state_.ydot, context());
  memory_ = IDACreate(context());
  if (memory_ == nullptr) throw std::bad_alloc();
  try {
    set_up();
  } catch (...) {
    IDAFree(&memory_);
    throw;
  }
}

SundialsSolver::Problem Ida::common_part(const Dae& dae) {
  check(dae);
  return {.t0 = dae.t0, .y0 = dae.y0, .events = dae.events, .components = dae.components};
}

// --- set-up

void Ida::set_up() {
  keep_messages(SundialsPackage::ida, memory_, context(), trouble_);
  ok(IDASetUserData(memory_, this), "IDASetUserData");
  ok(IDAInit(memory_, residual, time(), now(), ydot_.get()), "IDAInit");
  set_tolerances();
  if (options_.max_order > 0) {
    ok(IDASetMaxOrd(memory_, std::min(options_.max_order, row_.capabilities.max_order)), "IDASetMaxOrd");
  }
  ok(IDASetMinStep(memory_, options_.min_step), "IDASetMinStep");
  // For IDA 0 means no limit.
  ok(IDASetMaxStep(memory_, std::isfinite(options_.max_step) ? options_.max_step : 0), "IDASetMaxStep");
  std::vector<double> differential(size(), 1);
  for (std::size_t i = 0; i < dae_.differential.size(); ++i) differential[i] = dae_.differential[i] ? 1 : 0;
  ok(IDASetId(memory_, wrap(differential, context()).get()), "IDASetId");
  set_linear_solver();
  if (ode_ != nullptr) return;
  if (options_.correct_initial_values && !correct()) refuse_inconsistent();
  if (!options_.correct_initial_values) refuse_inconsistent();
}

void Ida::set_linear_solver() {
  const auto& offer = dae_.jacobian;
  linear_.emplace(row_.name, options_.linear,
                  LinearPart::Offer{.pattern = offer.pattern,
                                    .dense = static_cast<bool>(offer.dense),
                                    .sparse = static_cast<bool>(offer.sparse),
                                    .times = static_cast<bool>(offer.times)},
                  now(), context());
  if (linear_->differences().colours() != 0) {
    for (auto* work : {&moved_, &moved_rate_, &changed_, &steps_}) work->resize(size());
  }
  ok(IDASetLinearSolver(memory_, linear_->solver(), linear_->matrix()), "IDASetLinearSolver");
  if (linear_->library_differences()) return;
  if (linear_->kind() == LinearSolver::krylov) {
    ok(IDASetJacTimes(memory_, nullptr, jacobian_times), "IDASetJacTimes");
  } else {
    ok(IDASetJacFn(memory_, jacobian), "IDASetJacFn");
  }
}

void Ida::set_tolerances() {
  if (one_tolerance_for_all()) {
    ok(IDASStolerances(memory_, options_.rtol, state_.atol.front()), "IDASStolerances");
  } else {
    ok(IDASVtolerances(memory_, options_.rtol, wrap(state_.atol, context()).get()), "IDASVtolerances");
  }
}

void Ida::begin() {
  ok(IDAReInit(memory_, time(), now(), ydot_.get()), "IDAReInit");
  first_ = true;
  stop_set_ = false;
}

void Ida::start() {
  set_tolerances();
  if (ode_ != nullptr) {
    ++evaluations_;
    ode_->rhs(time(), state(), state_.ydot, state_.switches);
    begin();
    return;
  }
  begin();
  if (!correct()) refuse_inconsistent();
}

// --- consistent values

// Computes algebraic components and derivatives from the equations. False if IDA finds no solution; the values are then
// unchanged.
bool Ida::correct() {
  const std::vector<double> y(state().begin(), state().end());
  const std::vector<double> ydot = state_.ydot;
  // IDA derives its first step size from this distance; at a restart the last step gives the scale.
  const Duration ahead = options_.initial_step > 0 ? 1000 * options_.initial_step
                         : last_step_ > 0          ? 1000 * last_step_
                                                   : 1;
  const int flag = IDACalcIC(memory_, IDA_YA_YDP_INIT, time() + std::max(ahead, 1e-9 * std::abs(time())));
  if (trouble_.thrown) std::rethrow_exception(std::exchange(trouble_.thrown, nullptr));
  if (flag == IDA_SUCCESS && IDAGetConsistentIC(memory_, now(), ydot_.get()) == IDA_SUCCESS) {
    begin();
    return true;
  }
  std::copy(y.begin(), y.end(), view(now()).begin());
  state_.ydot = ydot;
  begin();
  return false;
}

void Ida::refuse_inconsistent() const {
  const auto evaluate = [&](ConstVector y, ConstVector ydot, Vector r) {
    ++evaluations_;
    dae_.residual(time(), y, ydot, r, state_.switches);
  };
  const auto text =
      inconsistency(dae_, {.y = state(), .ydot = state_.ydot, .atol = state_.atol, .rtol = options_.rtol}, evaluate);
  if (text.empty()) return;
  throw input_error(
      "the values at t = {} s are not consistent: {}; give consistent values, or have them corrected "
      "(correct_initial_values, which needs the list of differential components)",
      time(), text);
}

// --- steps

SundialsSolver::Advance Ida::advance(Time limit) {
  if (!stop_set_ || limit != stop_) {
    if (IDASetStopTime(memory_, limit) < 0) {
      // IDA may have passed the last limit by a rounding error; a limit within that error is already reached.
      return {.flag = IDAGetDky(memory_, limit, 0, now()), .reached = limit};
    }
    stop_ = limit;
    stop_set_ = true;
  }
  Time towards = limit;
  if (first_) [[unlikely]] {
    // IDA uses the distance for its first step: it must be finite and larger than rounding.
    const double rounding = 10 * std::numeric_limits<double>::epsilon() * std::max(std::abs(time()), std::abs(limit));
    const bool tiny = limit - time() <= rounding;
    if (tiny || !std::isfinite(limit)) towards = time() + std::max(1.0, std::abs(time()));
    ok(IDASetInitStep(memory_, tiny ? limit - time() : options_.initial_step), "IDASetInitStep");
  }
  Advance result;
  result.flag = IDASolve(memory_, towards, &result.reached, now(), ydot_.get(), IDA_ONE_STEP);
  if (result.flag < 0) [[unlikely]]
    return result;
  first_ = false;
  if (result.flag == IDA_TSTOP_RETURN) stop_set_ = false;  // IDA clears it then
  IDAGetLastOrder(memory_, &result.order);
  IDAGetLastStep(memory_, &last_step_);
  IDAGetCurrentStep(memory_, &result.next);
  return result;
}

void Ida::add_counters(Statistics& statistics) const {
  const auto count = [](long value) { return static_cast<std::uint64_t>(value); };
  long value = 0;
  IDAGetNumErrTestFails(memory_, &value);
  statistics.error_test_failures += count(value);
  IDAGetNumStepSolveFails(memory_, &value);
  statistics.convergence_failures += count(value);
  IDAGetNumNonlinSolvIters(memory_, &value);
  statistics.newton_iterations += count(value);
  IDAGetNumLinResEvals(memory_, &value);
  statistics.jacobian_evaluations += count(value);
  IDAGetNumJacEvals(memory_, &value);
  statistics.jacobians += count(value);
  IDAGetNumLinSolvSetups(memory_, &value);
  statistics.factorisations += count(value);
}

// --- callbacks of IDA

int Ida::residual(sunrealtype t, N_Vector y, N_Vector ydot, N_Vector r, void* self) {
  auto& solver = *static_cast<Ida*>(self);
  ++solver.evaluations_;
  const auto out = view(r);
  return guarded(solver.trouble_, t, out,
                 [&] { solver.dae_.residual(t, const_view(y), const_view(ydot), out, solver.state_.switches); });
}

int Ida::jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector ydot, N_Vector r, SUNMatrix jacobian, void* self,
                  N_Vector /*scratch*/, N_Vector /*scratch*/, N_Vector /*scratch*/) {
  auto& solver = *static_cast<Ida*>(self);
  auto& linear = *solver.linear_;
  if (linear.kind() == LinearSolver::dense && solver.dae_.jacobian.dense) {
    const Vector out(SM_DATA_D(jacobian), solver.size() * solver.size());
    const int flag = guarded(solver.trouble_, t, {}, [&] {
      solver.dae_.jacobian.dense(t, const_view(y), const_view(ydot), c, out, solver.state_.switches);
    });
    return flag == 0 && !all_finite(out) ? 1 : flag;
  }
  bool found = false;
  const int flag = guarded(solver.trouble_, t, {},
                           [&] { found = solver.fill_values(t, const_view(y), const_view(ydot), c, const_view(r)); });
  if (flag != 0 || !found || !all_finite(linear.values())) return flag != 0 ? flag : 1;
  linear.store(jacobian);
  return 0;
}

bool Ida::fill_values(Time t, ConstVector y, ConstVector ydot, double c, ConstVector r) {
  if (dae_.jacobian.sparse) {
    dae_.jacobian.sparse(t, y, ydot, c, linear_->values(), state_.switches);
    return true;
  }
  // For a small component the absolute tolerance gives the scale; ẏ moves along with y.
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  for (std::size_t j = 0; j < size(); ++j) {
    steps_[j] = root * std::max({std::abs(y[j]), std::abs(ydot[j] / c), state_.atol[j] / options_.rtol});
  }
  const auto perturb = [&](std::span<const std::size_t> columns) {
    std::copy(y.begin(), y.end(), moved_.begin());
    std::copy(ydot.begin(), ydot.end(), moved_rate_.begin());
    for (const auto j : columns) {
      moved_[j] += steps_[j];
      steps_[j] = moved_[j] - y[j];
      moved_rate_[j] += c * steps_[j];
    }
    ++evaluations_;
    ++difference_evaluations_;
    dae_.residual(t, moved_, moved_rate_, changed_, state_.switches);
    return all_finite(changed_);
  };
  return linear_->differences().evaluate(dae_.jacobian.pattern, r, changed_, steps_, linear_->values(), perturb);
}

int Ida::jacobian_times(sunrealtype t, N_Vector y, N_Vector ydot, N_Vector /*r*/, N_Vector v, N_Vector jv,
                        sunrealtype c, void* self, N_Vector /*scratch*/, N_Vector /*scratch*/) {
  auto& solver = *static_cast<Ida*>(self);
  const auto out = view(jv);
  return guarded(solver.trouble_, t, out, [&] {
    solver.dae_.jacobian.times(t, const_view(y), const_view(ydot), c, const_view(v), out, solver.state_.switches);
  });
}

}  // namespace

std::unique_ptr<Solver> make_ida(const SolverRow& row, const Ode& ode, const SolverOptions& options) {
  auto dae = std::make_unique<const Dae>(as_dae(ode));
  const auto& view_of_it = *dae;
  return std::make_unique<Ida>(row, view_of_it, options, &ode, std::move(dae));
}

std::unique_ptr<Solver> make_ida(const SolverRow& row, const Dae& dae, const SolverOptions& options) {
  return std::make_unique<Ida>(row, dae, options);
}

}  // namespace consort::solve
