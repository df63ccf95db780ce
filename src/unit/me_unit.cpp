#include "unit/me_unit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "unit/fmu_values.hpp"
#include "unit/me_unit_impl.hpp"

namespace consort::unit {

// --- life ------------------------------------------------------------------------------------------------------------

void MeUnit::require_running() const {
  require(solver_ != nullptr, "unit '{}' is not initialised; initialise it before you step it or read from it", name());
}

void MeUnit::require_mode(bool in_event_mode) const {
  require_running();
  require_in_unit(name(), in_event_mode_ == in_event_mode,
                  "unit '{}' is {}in event mode; enter it before updates, and leave it before steps and snapshots",
                  name(), in_event_mode_ ? "" : "not ");
}

void MeUnit::enter_initialization(const Experiment& e) {
  if (!options_.own_tolerance && e.tolerance) options_.solver_options.rtol = *e.tolerance;
  t_ = e.start;
  stop_ = e.stop;
  instance_->enter_initialization(e);
}

void MeUnit::exit_initialization() {
  instance_->exit_initialization();
  inputs_.lay_out(structural_);
  problem_.set_tolerance(options_.solver_options.rtol);
  static_cast<void>(problem_.begin(t_));
  inputs_.read_back(t_);
  make_solver();
  if (set_back_) set_back_->begin(t_, stop_, options_.solver_options.rtol);
}

void MeUnit::make_solver() {
  with_unit(name(), [&] {
    solver_ = solve::make_solver(options_.solver, problem_.ode(), options_.solver_options);
    // No log: it would grow with every event.
    integration_.emplace(*solver_, problem_.ode().events, solve::RunOptions{.output_at_events = false, .log_limit = 0});
  });
  state_count_ = instance_->continuous_states();
  last_ = {};
  last_.states.resize(state_count_);
  y_.resize(solver_->size());
  tolerances_.resize(solver_->size());
  for (auto* const v : {&x_, &rates_}) v->resize(state_count_);
  direction_.resize(inputs_.elements());
  sensitivity_.reset();
  stale_ = true;
}

bool MeUnit::configure(const SignalSet& signals, Columns& values) {
  if (!configure_values(*instance_, signals, values)) return false;
  for (std::size_t i = 0; i < signals.choice().size(); ++i) {
    const auto place = signals.place(i);
    if (place.type != Type::UInt64 || place.count != 1) continue;
    structural_[description_[signals.choice()[i]].reference] = values.column<std::uint64_t>()[place.first];
  }
  return true;
}

bool MeUnit::reset() {
  structural_.clear();
  return solver_ == nullptr && reset_instance(*instance_);
}

// --- values ----------------------------------------------------------------------------------------------------------

void MeUnit::go_to(Time t, std::span<const double> x) {
  instance_->set_time(t);
  if (!x.empty()) instance_->set_states(x);
}

// In event mode, the instance is already at the current point, and only update() passes inputs to it.
void MeUnit::refresh() {
  if (in_event_mode_) return;
  if (inputs_.held_changed()) external_event();
  if (!stale_) return;
  problem_.set_point(t_, solver_->state());
  problem_.evaluate(t_);
  stale_ = false;
}

void MeUnit::get(const SignalSet& signals, Columns& values) {
  if (solver_) refresh();
  get_values(*instance_, signals, values);
}

std::string MeUnit::try_get(const SignalSet& signals, Columns& values) {
  if (solver_) refresh();
  return try_get_values(*instance_, signals, values);
}

void MeUnit::set(const SignalSet& signals, Columns& values) {
  if (!solver_) {
    set_values(*instance_, signals, values);
    return inputs_.remember(signals, values);
  }
  if (signals.choice().size() == 1) {
    if (const auto first = state_of(signals.choice().front())) return set_state(signals, values, *first);
  }
  inputs_.take(signals, values);
  stale_ = true;
}

std::optional<std::size_t> MeUnit::state_of(describe::VariableId id) const {
  if (description_[id].is_settable_at_run_time()) return std::nullopt;
  std::size_t first = 0;
  for (const auto& unknown : description_.structure.derivatives) {
    const auto& derivative = description_[unknown.variable];
    if (derivative.derivative_of == id) return first;
    first += derivative.is_array() ? static_cast<std::size_t>(description_.element_count(derivative)) : 1;
  }
  return std::nullopt;
}

void MeUnit::set_state(const SignalSet& signals, Columns& values, std::size_t first) {
  if (problem_.memory().ended) return;
  const bool was_in_event_mode = in_event_mode_;
  if (was_in_event_mode) {
    if (wants_update_) static_cast<void>(settle(*this, name(), t_));
    if (problem_.memory().ended) return;
    if (in_event_mode_) leave_event_mode();
  }
  load_solver();
  const auto place = signals.place(0);
  require_in_unit(name(), first + place.count <= state_count_, "unit '{}': '{}' has more elements than states", name(),
                  description_[signals.choice().front()].name);
  signals.negate(values);
  with_type(place.type, [&]<class T>() {
    if constexpr (std::is_floating_point_v<T>)
      std::copy_n(values.column<T>().begin() + place.first, place.count,
                  y_.begin() + static_cast<std::ptrdiff_t>(first));
  });
  signals.negate(values);
  solver_->reinitialise({.t = t_, .y = y_, .absolute_tolerances = tolerances_});
  integration_->refresh();
  stale_ = true;
  last_.known = false;
  if (was_in_event_mode) enter_event_mode();
}

// --- steps -----------------------------------------------------------------------------------------------------------

void MeUnit::load_solver() {
  std::copy(solver_->state().begin(), solver_->state().end(), y_.begin());
  std::copy(solver_->absolute_tolerances().begin(), solver_->absolute_tolerances().end(), tolerances_.begin());
}

void MeUnit::external_event() {
  load_solver();
  inputs_.begin_event();
  if (!problem_.handle_event(t_, y_, tolerances_, options_.solver_options.rtol)) return;
  solver_->reinitialise({.t = t_, .y = y_, .absolute_tolerances = tolerances_});
  integration_->refresh();
  stale_ = true;
}

// An announced event that the end of the step misses by a rounding error is part of the step.
Time MeUnit::end_of(const StepRequest& r) const {
  const Time end = r.t + r.h;
  const Time event = problem_.memory().next_event;
  const Duration rounding = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(r.t), r.h);
  return std::abs(event - end) <= rounding ? event : end;
}

StepOutcome MeUnit::step(const StepRequest& r) {
  require_mode(false);
  const double slack = 1e-9 * std::max({std::abs(r.t), std::abs(t_), r.h});
  if (!(std::abs(r.t - t_) <= slack && r.h > 0)) {
    throw input_error(
        "unit '{}' is at t = {} s and cannot step from {} s by {} s; step it from its current time, by more than 0",
        name(), t_, r.t, r.h)
        .in_unit(name())
        .at(t_);
  }
  if (problem_.memory().ended) return {t_, Why::terminate};
  problem_.set_may_roll_back(r.may_roll_back);
  solve::RunEnd end = solve::RunEnd::stop;
  with_unit(name(), [&] {
    if (inputs_.external_event_needed(options_.solver_options.rtol)) external_event();
    last_.events = {};
    if (problem_.memory().ended) return;
    const auto events = problem_.memory().events;
    problem_.watch_for_events();
    last_.from = t_;
    std::copy(states().begin(), states().end(), last_.states.begin());
    end = integration_->advance(end_of(r), r.stop_at_event ? solve::AtEvent::stop : solve::AtEvent::handle);
    last_.events = {static_cast<std::uint32_t>(problem_.memory().events - events), problem_.first_event()};
    last_.known = true;
  });
  t_ = solver_->time();
  inputs_.end_step(t_);
  stale_ = true;
  if (end == solve::RunEnd::event && !problem_.end_if_requested()) return {t_, Why::event};
  const bool ended = end == solve::RunEnd::terminated || problem_.memory().ended;
  return {t_, ended ? Why::terminate : Why::completed};
}

// --- events ----------------------------------------------------------------------------------------------------------

void MeUnit::enter_event_mode() {
  require_mode(false);
  load_solver();
  inputs_.begin_event();
  with_unit(name(), [&] { problem_.enter_event(t_, y_); });
  in_event_mode_ = true;
  wants_update_ = false;
}

EventOutcome MeUnit::update() {
  require_mode(true);
  inputs_.begin_event();
  return with_unit(name(), [&] {
    const auto outcome = problem_.update(t_);
    wants_update_ = outcome.repeat;
    return outcome;
  });
}

void MeUnit::leave_event_mode() {
  require_mode(true);
  with_unit(name(), [&] {
    problem_.leave_event(y_, tolerances_, options_.solver_options.rtol);
    in_event_mode_ = false;
    stale_ = true;
    last_.known = false;
    if (problem_.memory().ended) return;
    solver_->reinitialise({.t = t_, .y = y_, .absolute_tolerances = tolerances_});
    integration_->go_on();
  });
}

std::unique_ptr<Unit> make_me_unit(const fmi::Fmu& fmu, fmi::InstanceOptions instance, MeUnitOptions options) {
  return make_me_unit(fmu.model_exchange(std::move(instance)), fmu.description(), std::move(options));
}

std::unique_ptr<Unit> make_me_unit(std::unique_ptr<fmi::ModelExchange> instance,
                                   const describe::Description& description, MeUnitOptions options) {
  return std::make_unique<MeUnit>(std::move(instance), description, std::move(options));
}

}  // namespace consort::unit
