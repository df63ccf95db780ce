// ARKODE: explicit and diagonally implicit Runge-Kutta pairs, selected by the name of their table.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <new>
#include <string>

#include "base/error.hpp"
#include "solve/solvers.hpp"
#include "solve/sundials/sundials_ode.hpp"
#include "solve/sundials/sundials_stiffness.hpp"

namespace consort::solve {

namespace {

constexpr std::string_view explicit_prefix = "arkode-erk-";
constexpr std::string_view implicit_prefix = "arkode-dirk-";

// "arkode-erk-cash-karp-6-4-5" is ARKODE_CASH_KARP_6_4_5.
std::string table_name(std::string_view row, std::string_view prefix) {
  std::string name = "ARKODE_";
  for (const char c : row.substr(prefix.size())) {
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

struct TableFree {
  void operator()(ARKodeButcherTable table) const { ARKodeButcherTable_Free(table); }
};

class Arkode final : public SundialsOde {
 public:
  Arkode(const SolverRow& row, const Ode& ode, const SolverOptions& options)
      : SundialsOde(row, ode, options), explicit_(row.name.starts_with(explicit_prefix)) {
    if (size() == 0) return;
    memory_ = ARKStepCreate(explicit_ ? rhs : nullptr, explicit_ ? nullptr : rhs, time(), now(), context());
    if (memory_ == nullptr) throw std::bad_alloc();
    try {
      set_up();
    } catch (...) {
      ARKodeFree(&memory_);
      throw;
    }
  }
  ~Arkode() override { ARKodeFree(&memory_); }

 protected:
  Advance advance(Time limit) override;
  void start() override;
  int polynomial(Time t, int k, N_Vector out) const override;
  void add_counters(Statistics& statistics) const override;
  bool weighted_errors(N_Vector errors, N_Vector weights) const override {
    return ARKodeGetEstLocalErrors(memory_, errors) == ARK_SUCCESS &&
           ARKodeGetErrWeights(memory_, weights) == ARK_SUCCESS;
  }
  [[nodiscard]] Duration attempted_step() const override {
    Duration h = 0;
    ARKodeGetCurrentStep(memory_, &h);
    return std::abs(h);
  }

 private:
  void set_up();
  void set_implicit();
  void set_tolerances();
  void ok(int flag, const char* call) const { check_set_up(flag, call, trouble_); }

  void part_of_a_step(Time t, Vector y) const;

  void* memory_ = nullptr;
  std::unique_ptr<ARKodeButcherTableMem, TableFree> table_;  // of an explicit method
  bool explicit_;
  StiffnessWatch stiffness_;
  Time stop_ = 0;
  bool stop_set_ = false;
  bool first_ = true;
};

void Arkode::set_up() {
  keep_messages(SundialsPackage::arkode, memory_, context(), trouble_);
  ok(ARKodeSetUserData(memory_, static_cast<SundialsOde*>(this)), "ARKodeSetUserData");
  set_tolerances();
  const auto table = table_name(row_.name, explicit_ ? explicit_prefix : implicit_prefix);
  ok(ARKStepSetTableName(memory_, explicit_ ? "ARKODE_DIRK_NONE" : table.c_str(),
                         explicit_ ? table.c_str() : "ARKODE_ERK_NONE"),
     "ARKStepSetTableName");
  ok(ARKodeSetInitStep(memory_, options_.initial_step), "ARKodeSetInitStep");
  ok(ARKodeSetMinStep(memory_, options_.min_step), "ARKodeSetMinStep");
  // For ARKODE 0 means no limit.
  ok(ARKodeSetMaxStep(memory_, std::isfinite(options_.max_step) ? options_.max_step : 0), "ARKodeSetMaxStep");
  if (explicit_) {
    table_.reset(ARKodeButcherTable_LoadERKByName(table.c_str()));
    CONSORT_ASSERT(table_ != nullptr);
    if (options_.check_stiffness) stiffness_ = StiffnessWatch(size(), stability_interval(*table_));
    return;
  }
  set_implicit();
  make_linear_part();
  ok(ARKodeSetLinearSolver(memory_, linear().solver(), linear().matrix()), "ARKodeSetLinearSolver");
  if (linear().library_differences()) return;
  if (linear().kind() == LinearSolver::krylov) {
    ok(ARKodeSetJacTimes(memory_, nullptr, jacobian_times), "ARKodeSetJacTimes");
  } else {
    ok(ARKodeSetJacFn(memory_, jacobian), "ARKodeSetJacFn");
  }
}

// ARKODE's defaults fail on Robertson's and Van der Pol's problems. The stage derivatives are taken from the solved
// stage equation, because evaluating them multiplies the remaining Newton error by the stiffness. And Newton's method
// must not reuse the convergence rate of earlier stages: with a rate near zero, as for linear problems, one iteration
// with an outdated matrix would count as converged.
void Arkode::set_implicit() {
  ok(ARKodeSetDeduceImplicitRhs(memory_, SUNTRUE), "ARKodeSetDeduceImplicitRhs");
  ok(ARKodeSetNonlinCRDown(memory_, 1), "ARKodeSetNonlinCRDown");
  ok(ARKodeSetMaxNonlinIters(memory_, 8), "ARKodeSetMaxNonlinIters");
  ok(ARKodeSetMaxErrTestFails(memory_, 20), "ARKodeSetMaxErrTestFails");
}

void Arkode::set_tolerances() {
  if (one_tolerance_for_all()) {
    ok(ARKodeSStolerances(memory_, options_.rtol, state_.atol.front()), "ARKodeSStolerances");
  } else {
    ok(ARKodeSVtolerances(memory_, options_.rtol, wrap(state_.atol, context()).get()), "ARKodeSVtolerances");
  }
}

void Arkode::start() {
  ok(ARKStepReInit(memory_, explicit_ ? rhs : nullptr, explicit_ ? nullptr : rhs, time(), now()), "ARKStepReInit");
  set_tolerances();
  first_ = true;
  stop_set_ = false;
}

SundialsSolver::Advance Arkode::advance(Time limit) {
  if (!stop_set_ || limit != stop_) {
    if (ARKodeSetStopTime(memory_, limit) < 0) {
      return {.flag = ARKodeGetDky(memory_, limit, 0, now()), .reached = limit, .order = row_.capabilities.max_order};
    }
    stop_ = limit;
    stop_set_ = true;
  }
  Time towards = limit;
  if (first_) [[unlikely]] {
    // ARKODE uses the distance for its first step: it must be finite and larger than rounding.
    if (!std::isfinite(limit)) towards = time() + std::max(1.0, std::abs(time()));
    const double rounding = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(time()), std::abs(limit));
    const bool tiny = limit - time() <= rounding;
    ok(ARKodeSetInitStep(memory_, tiny ? limit - time() : options_.initial_step), "ARKodeSetInitStep");
  }
  Advance result{.order = row_.capabilities.max_order};
  result.flag = ARKodeEvolve(memory_, towards, now(), &result.reached, ARK_ONE_STEP);
  if (result.flag < 0) [[unlikely]]
    return result;
  first_ = false;
  if (result.flag == ARK_TSTOP_RETURN) stop_set_ = false;  // ARKODE clears it then
  ARKodeGetCurrentStep(memory_, &result.next);
  if (stiffness_.due()) {
    Duration h = 0;
    ARKodeGetLastStep(memory_, &h);
    const auto rates = [&](ConstVector y, Vector dy) {
      ++evaluations_;
      ode().rhs(result.reached, y, dy, state_.switches);
    };
    result.stiff = stiffness_.stiff(h, const_view(now()), state_.atol, options_.rtol, rates);
  }
  return result;
}

// ARKODE's interpolation has at most degree 5, which is less accurate than methods of higher order with their long
// steps. For these a shorter step from the same start is taken, with the method's own accuracy.
int Arkode::polynomial(Time t, int k, N_Vector out) const {
  if (!explicit_ || row_.capabilities.max_order < 6) return ARKodeGetDky(memory_, t, k, out);
  if (k == 0) {
    part_of_a_step(t, view(out));
    return 0;
  }
  std::vector<double> y(size());
  part_of_a_step(t, y);
  ++evaluations_;
  ode().rhs(t, y, view(out), state_.switches);
  return 0;
}

void Arkode::part_of_a_step(Time t, Vector y) const {
  const auto start = const_view(before());
  const Duration h = t - from();
  const auto stages = static_cast<std::size_t>(table_->stages);
  std::vector<double> rates(stages * size());
  const auto combine = [&](const double* weights, std::size_t count) {
    std::copy(start.begin(), start.end(), y.begin());
    for (std::size_t j = 0; j < count; ++j) {
      if (weights[j] == 0) continue;
      for (std::size_t i = 0; i < size(); ++i) y[i] += h * weights[j] * rates[j * size() + i];
    }
  };
  for (std::size_t s = 0; s < stages; ++s) {
    combine(table_->A[s], s);
    ++evaluations_;
    ode().rhs(from() + table_->c[s] * h, y, Vector(rates).subspan(s * size(), size()), state_.switches);
  }
  combine(table_->b, stages);
}

void Arkode::add_counters(Statistics& statistics) const {
  const auto count = [](long value) { return static_cast<std::uint64_t>(value); };
  long value = 0;
  ARKodeGetNumErrTestFails(memory_, &value);
  statistics.error_test_failures += count(value);
  ARKodeGetNumStepSolveFails(memory_, &value);
  statistics.convergence_failures += count(value);
  if (explicit_) return;
  ARKodeGetNumNonlinSolvIters(memory_, &value);
  statistics.newton_iterations += count(value);
  ARKodeGetNumLinRhsEvals(memory_, &value);
  statistics.jacobian_evaluations += count(value);
  ARKodeGetNumJacEvals(memory_, &value);
  statistics.jacobians += count(value);
  ARKodeGetNumLinSolvSetups(memory_, &value);
  statistics.factorisations += count(value);
}

}  // namespace

std::unique_ptr<Solver> make_arkode(const SolverRow& row, const Ode& ode, const SolverOptions& options) {
  CONSORT_ASSERT(row.name.starts_with(explicit_prefix) || row.name.starts_with(implicit_prefix));
  return std::make_unique<Arkode>(row, ode, options);
}

}  // namespace consort::solve
