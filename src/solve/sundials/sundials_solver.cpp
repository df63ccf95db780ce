#include "solve/sundials/sundials_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace consort::solve {

SundialsSolver::SundialsSolver(const SolverRow& row, const Problem& problem, const SolverOptions& options)
    : row_(row), options_(options), components_(problem.components), other_(problem.y0), from_(problem.t0) {
  check(options, row.name, row.capabilities);
  state_.t = problem.t0;
  state_.y = problem.y0;
  state_.atol = solve::absolute_tolerances(options, problem.components, problem.y0.size());
  state_.switches = problem.events.switches;
  now_ = wrap(state_.y, context_);
  before_ = wrap(other_, context_);
  out_ = wrap(other_, context_);
}

// --- stepping

StepResult SundialsSolver::step(Time limit) {
  check_limit(limit);
  if (size() == 0) return step_without_states(limit);
  const auto done = guarded_advance(limit);
  from_ = state_.t;
  state_.t = done.reached;
  stepped_ = true;
  ++steps_;
  if (done.stiff) fail_stiff(done.next);
  return {.from = from_, .to = done.reached, .order = done.order, .next = done.next};
}

// After any failure the state is that of the last step.
SundialsSolver::Advance SundialsSolver::guarded_advance(Time limit) {
  std::swap(now_, before_);
  try {
    const auto done = advance(limit);
    if (done.flag < 0 || trouble_.thrown) fail(done.flag);
    if (!(done.reached > state_.t)) fail_step_size();
    return done;
  } catch (...) {
    std::swap(now_, before_);
    throw;
  }
}

// A model may have only events and outputs; the libraries do not accept an empty state.
StepResult SundialsSolver::step_without_states(Time limit) {
  from_ = state_.t;
  state_.t = std::min(limit, from_ + options_.max_step);
  stepped_ = true;
  ++steps_;
  return {.from = from_, .to = state_.t, .order = row_.capabilities.min_order, .next = options_.max_step};
}

void SundialsSolver::check_limit(Time limit) const {
  CONSORT_ASSERT(limit > state_.t);
  if (options_.step_limit == 0 || steps_ < options_.step_limit) return;
  throw run_error(
      "solver '{}' stopped at t = {} s after {} steps, the given limit; raise the step limit, loosen the "
      "tolerance, or choose a solver that suits the problem better",
      row_.name, state_.t, steps_)
      .at(state_.t);
}

void SundialsSolver::reinitialise(const Restart& restart) {
  CONSORT_ASSERT(restart.y.size() == size());
  for (std::size_t i = 0; i < size(); ++i) {
    if (std::isfinite(restart.y[i])) continue;
    throw run_error("solver '{}' cannot start at t = {} s: the state {} is {}; check the value that the event sets",
                    row_.name, restart.t, component_text(components_, i), restart.y[i])
        .at(restart.t);
  }
  for (std::size_t i = 0; i < restart.absolute_tolerances.size(); ++i) {
    if (restart.absolute_tolerances[i] > 0) continue;
    throw run_error("the absolute tolerance of {} was set to {} at t = {} s; it must be positive",
                    component_text(components_, i), restart.absolute_tolerances[i], restart.t)
        .at(restart.t);
  }
  const auto copy = [](ConstVector from, Vector to) {
    if (from.empty() || from.data() == to.data()) return;
    CONSORT_ASSERT(from.size() == to.size());
    std::copy(from.begin(), from.end(), to.begin());
  };
  copy(restart.y, view(now()));
  copy(restart.ydot, state_.ydot);
  copy(restart.absolute_tolerances, state_.atol);
  if (restart.switches != nullptr && restart.switches != &state_.switches) state_.switches = *restart.switches;
  state_.t = restart.t;
  from_ = restart.t;
  stepped_ = false;
  ++restarts_;
  if (size() == 0) return;
  earlier_ = library_counters();
  trouble_.thrown = nullptr;
  trouble_.not_finite.reset();
  start();
}

bool SundialsSolver::one_tolerance_for_all() const {
  return std::all_of(state_.atol.begin(), state_.atol.end(), [&](double a) { return a == state_.atol.front(); });
}

// --- dense output

void SundialsSolver::interpolate(Time t, Vector y) const {
  CONSORT_ASSERT(y.size() == size() && t >= from_ && t <= state_.t);
  if (t == state_.t || t == from_ || size() == 0) {
    const auto end = const_view(t == state_.t ? now_.get() : before_.get());
    std::copy(end.begin(), end.end(), y.begin());
    return;
  }
  if (const int flag = polynomial(t, 0, around(y)); flag < 0) fail(flag);
}

void SundialsSolver::interpolate_derivative(Time t, Vector ydot) const {
  CONSORT_ASSERT(ydot.size() == size() && t >= from_ && t <= state_.t);
  if (size() == 0) return;
  if (!stepped_) return first_derivative(ydot);
  if (const int flag = polynomial(t, 1, around(ydot)); flag < 0) fail(flag);
}

N_Vector SundialsSolver::around(Vector memory) const {
  NV_DATA_S(out_.get()) = memory.data();
  return out_.get();
}

// --- statistics

Statistics SundialsSolver::library_counters() const {
  auto counters = earlier_;
  if (size() != 0) add_counters(counters);
  return counters;
}

const Statistics& SundialsSolver::statistics() const {
  shown_ = library_counters();
  shown_.jacobian_evaluations += difference_evaluations_;
  shown_.steps = steps_;
  shown_.restarts = restarts_;
  shown_.evaluations = evaluations_;
  return shown_;
}

// --- failures

void SundialsSolver::fail(int flag) const {
  if (trouble_.thrown) std::rethrow_exception(std::exchange(trouble_.thrown, nullptr));
  // In all libraries the flags -8 to -12 report a failure of the problem's function.
  const bool told = flag <= -8 && flag >= -12;
  if (trouble_.not_finite && (told || trouble_.blocked_at(state_.t, attempted_step()))) fail_not_finite();
  // Common to CVODE, IDA and ARKODE: repeated error test failures, repeated convergence failures.
  constexpr int error_test = -3;
  constexpr int convergence = -4;
  if (flag == error_test || flag == convergence) fail_step_size();
  throw run_error(
      "solver '{}' gave up at t = {} s with {} ({}); try another tolerance or initial step, or another solver",
      row_.name, state_.t, flag, trouble_.message)
      .at(state_.t);
}

void SundialsSolver::fail_not_finite() const {
  throw run_error(
      "solver '{}' at t = {} s: the {} of {} is not a finite number at t = {} s ({}); look for a division by zero, "
      "the root of a negative number, or a solution that grows without bound",
      row_.name, state_.t, function_text(), component_text(components_, *trouble_.not_finite), trouble_.t,
      trouble_.value)
      .at(state_.t);
}

void SundialsSolver::fail_step_size() const {
  if (trouble_.blocked_at(state_.t, attempted_step())) fail_not_finite();
  std::vector<double> errors(size());
  std::vector<double> weights(size());
  std::string reason = "no step of the method succeeds";
  if (weighted_errors(wrap(errors, context_).get(), wrap(weights, context_).get())) {
    std::size_t worst = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      if (std::abs(errors[i] * weights[i]) > std::abs(errors[worst] * weights[worst])) worst = i;
    }
    reason = fmt::format("{} has the largest error, {:.3g} of what the tolerance allows",
                         component_text(components_, worst), std::abs(errors[worst] * weights[worst]));
  }
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  throw run_error(
      "solver '{}' at t = {} s: the step size fell below {:.3g} s (to {:.3g} s), because {}; look for a singularity or "
      "a discontinuity of the model there, loosen its tolerance, or allow smaller steps",
      row_.name, state_.t, std::max(options_.min_step, 10 * rounding * std::abs(state_.t)), attempted_step(), reason)
      .at(state_.t);
}

void SundialsSolver::fail_stiff(Duration h) const {
  throw run_error(
      "solver '{}' at t = {} s: the problem is too stiff for this method: after {} steps, stability limits the step "
      "size to about {:.3g} s; choose a solver for stiff problems such as 'bdf', or switch the stiffness check off",
      row_.name, state_.t, steps_, h)
      .at(state_.t);
}

// --- saving and restoring

void SundialsSolver::save_to(State& state) const {
  const auto y = this->state();
  state.t = state_.t;
  state.y.assign(y.begin(), y.end());
  state.ydot = state_.ydot;
  state.atol = state_.atol;
  state.switches = state_.switches;
}

void SundialsSolver::go_to(const State& state) {
  reinitialise(
      {.t = state.t, .y = state.y, .ydot = state.ydot, .switches = &state.switches, .absolute_tolerances = state.atol});
}

std::unique_ptr<Snapshot> SundialsSolver::snapshot(std::unique_ptr<Snapshot> reuse) const {
  if (auto* saved = dynamic_cast<Saved*>(reuse.get()); saved != nullptr) {
    save_to(saved->state);
    return reuse;
  }
  auto fresh = std::make_unique<Saved>();
  save_to(fresh->state);
  return fresh;
}

void SundialsSolver::restore(const Snapshot& snapshot) {
  const auto* saved = dynamic_cast<const Saved*>(&snapshot);
  CONSORT_ASSERT(saved != nullptr && saved->state.y.size() == size());
  go_to(saved->state);
}

std::vector<std::uint8_t> SundialsSolver::serialise() const {
  ByteWriter writer;
  State state;
  save_to(state);
  writer(std::string(row_.name), static_cast<std::uint64_t>(size()));
  state.fields(writer);
  return writer.take();
}

void SundialsSolver::deserialise(std::span<const std::uint8_t> bytes) {
  ByteReader reader(bytes);
  std::string name;
  std::uint64_t count = 0;
  reader(name, count);
  require(
      name == row_.name && count == size(),
      "the saved state is of solver '{}' with {} components, not of '{}' with {}; choose the solver and the model that "
      "the checkpoint was made with",
      name.substr(0, 40), count, row_.name, size());
  State state = state_;
  state.fields(reader);
  reader.expect_end();
  const auto finite = [](double value) { return std::isfinite(value); };
  require(std::isfinite(state.t) && std::all_of(state.y.begin(), state.y.end(), finite) &&
              std::all_of(state.ydot.begin(), state.ydot.end(), finite) &&
              std::all_of(state.atol.begin(), state.atol.end(), [](double a) { return a > 0; }),
          "the saved state of solver '{}' is damaged: it has values that are not finite; take another checkpoint",
          row_.name);
  go_to(state);
}

}  // namespace consort::solve
