#include "unit/me_unit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "solve/integrate.hpp"
#include "solve/solvers.hpp"
#include "unit/fmu_values.hpp"
#include "unit/me_problem.hpp"
#include "unit/polynomial_inputs.hpp"
#include "unit/set_back.hpp"
#include "unit/step_sensitivity.hpp"

namespace consort::unit {

using describe::SignalSet;

namespace {

class MeSnapshot : public Snapshot {
 public:
  std::unique_ptr<fmi::SavedState> instance;  // null: see `set_back`
  SetBack::Memory set_back;
  std::unique_ptr<solve::Snapshot> solver;
  solve::Integration::Memory integration;
  MeProblem::Memory problem;
  PolynomialInputs::State inputs;
  Time t = 0;
  std::vector<std::uint8_t> bytes;  // of a deserialised snapshot: everything except the instance state
};

class MeUnit final : public Unit, public Rollback, public Events, public Derivatives, public StepDerivatives {
 public:
  MeUnit(std::unique_ptr<fmi::ModelExchange> instance, const describe::Description& description, MeUnitOptions options)
      : description_(description),
        options_(std::move(options)),
        instance_(std::move(instance)),
        inputs_(*instance_, description_),
        problem_(*instance_, description_, &inputs_) {
    static_cast<void>(solve::find_solver(options_.solver));
    if (instance_->state_saving() != nullptr) return;
    memory_ = declared_memory(description_);
    if (memory_.empty()) set_back_.emplace(*instance_, description_, problem_, inputs_, structural_);
  }

  [[nodiscard]] const std::string& name() const override { return instance_->name(); }
  [[nodiscard]] const describe::Description& description() const override { return description_; }
  [[nodiscard]] bool variable_step() const override { return true; }
  [[nodiscard]] bool responds_without_step() const override { return true; }
  [[nodiscard]] bool handles_events_inside() const override { return true; }
  [[nodiscard]] bool takes_states() const override { return true; }
  [[nodiscard]] StepEvents events_in_step() const override { return last_.events; }
  [[nodiscard]] Time next_event() const override { return problem_.memory().next_event; }

  void enter_initialization(const Experiment& e) override;
  void exit_initialization() override;
  void terminate() override { instance_->terminate(); }
  bool configure(const SignalSet& signals, Columns& values) override;
  [[nodiscard]] bool reset() override;

  void get(const SignalSet& signals, Columns& values) override;
  [[nodiscard]] std::string try_get(const SignalSet& signals, Columns& values) override;
  void set(const SignalSet& signals, Columns& values) override;
  [[nodiscard]] int input_order() const override { return PolynomialInputs::highest_order; }
  void set_input_derivatives(std::span<const ValueReference> inputs, std::span<const std::int32_t> orders,
                             std::span<const double> values) override {
    require_running();
    inputs_.take_derivatives(inputs, orders, values);
  }
  StepOutcome step(const StepRequest& r) override;
  [[nodiscard]] int output_order() const override { return 1; }
  void get_output_derivatives(std::span<const ValueReference> outputs, std::span<const std::int32_t> orders,
                              std::span<double> values) override;

  [[nodiscard]] Rollback* rollback() override { return memory_.empty() ? this : nullptr; }
  [[nodiscard]] std::string why_no_rollback() const override { return memory_; }
  std::unique_ptr<Snapshot> save(std::unique_ptr<Snapshot> reuse) override;
  void restore(const Snapshot& snapshot) override;
  [[nodiscard]] bool is_exact() const override {
    return solve::find_solver(options_.solver).capabilities.exact_restart;
  }
  [[nodiscard]] bool is_complete() const override { return !set_back_; }
  [[nodiscard]] bool can_serialize() const override {
    auto* const states = instance_->state_saving();
    return states != nullptr && states->can_serialize();
  }
  [[nodiscard]] std::vector<std::uint8_t> serialize(const Snapshot& snapshot) override;
  [[nodiscard]] std::unique_ptr<Snapshot> deserialize(std::span<const std::uint8_t> bytes) override;

  [[nodiscard]] Events* events() override { return this; }
  void enter_event_mode() override;
  EventOutcome update() override;
  void leave_event_mode() override;

  [[nodiscard]] Derivatives* derivatives() override { return this; }
  void directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                   std::span<const double> seed, std::span<double> sensitivity) override;
  [[nodiscard]] StepDerivatives* step_derivatives() override { return this; }
  void step_directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                        std::span<const double> seed, std::span<double> sensitivity) override;

 private:
  void make_solver();
  void load_solver();  // copies its state and tolerances into y_ and tolerances_
  // Moves the instance to the current time with the inputs that were set.
  void refresh();
  void external_event();
  // Index of the first state of a variable; none if it is not a state.
  [[nodiscard]] std::optional<std::size_t> state_of(describe::VariableId id) const;
  void set_state(const SignalSet& signals, Columns& values, std::size_t first);
  [[nodiscard]] Time end_of(const StepRequest& r) const;
  void restore_instance(const MeSnapshot& snapshot);
  void restore_bytes(const MeSnapshot& snapshot);
  void read_bytes(std::span<const std::uint8_t> bytes);
  // Writes the direction of these inputs to direction_. Returns its size relative to the inputs.
  double make_direction(std::span<const ValueReference> knowns, std::span<const double> seed);
  void go_to(Time t, std::span<const double> x);  // leaves the inputs unchanged
  // At the point to which the instance was moved, whose time is t.
  void read_at(Time t, std::span<const ValueReference> references, std::span<double> values) {
    problem_.evaluate(t);
    instance_->get<double>(references, values);
  }
  [[nodiscard]] std::span<const double> states() const { return solver_->state().first(state_count_); }
  void require_running() const;
  void require_mode(bool in_event_mode) const;

  const describe::Description& description_;
  MeUnitOptions options_;
  std::unique_ptr<fmi::ModelExchange> instance_;
  PolynomialInputs inputs_;
  MeProblem problem_;
  std::unique_ptr<solve::Solver> solver_;  // from exit_initialization() on
  std::optional<solve::Integration> integration_;
  std::map<ValueReference, std::uint64_t> structural_;
  std::string memory_;               // declared, of an instance that cannot save its state; a clause
  std::optional<SetBack> set_back_;  // if the instance cannot save its state and declares no memory
  std::size_t state_count_ = 0;
  Time t_ = 0;
  std::optional<Time> stop_;
  bool stale_ = false;  // the instance is at another point or has other inputs
  bool in_event_mode_ = false;
  bool wants_update_ = false;  // the last update in event mode asked for another one

  struct LastStep {
    bool known = false;
    StepEvents events{};
    Time from = 0;
    std::vector<double> states{};  // at the beginning of the step
  };
  LastStep last_;
  std::unique_ptr<StepSensitivity> sensitivity_;
  std::vector<double> y_, tolerances_, x_, rates_, direction_, ahead_, further_;
};

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

void MeUnit::get_output_derivatives(std::span<const ValueReference> outputs, std::span<const std::int32_t> orders,
                                    std::span<double> values) {
  require_running();
  require_in_unit(name(), std::all_of(orders.begin(), orders.end(), [](std::int32_t order) { return order == 1; }),
                  "unit '{}' provides only first derivatives of its outputs; request order 1", name());
  // Time does not advance in event mode, and an instance that has ended stays in event mode.
  if (outputs.empty() || in_event_mode_ || problem_.memory().ended) return std::fill(values.begin(), values.end(), 0.0);
  refresh();
  // Forward differences, because time must not go back before an event. States move along a straight line; its
  // second-order error cancels in the difference of three points, like that of the outputs.
  ahead_.resize(outputs.size());
  further_.resize(outputs.size());
  instance_->get<double>(outputs, std::span(values).first(outputs.size()));
  if (state_count_ > 0) instance_->get_derivatives(rates_);
  const Duration scale = last_.known ? t_ - last_.from : 1e-3 * std::max(1.0, std::abs(t_));
  const Duration s = std::max(1e-4 * scale, 1e-12 * std::abs(t_));
  for (const int k : {1, 2}) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = states()[i] + k * s * rates_[i];
    go_to(t_ + k * s, x_);
    inputs_.set_present(inputs_.state().slopes, k * s);
    read_at(t_ + k * s, outputs, std::span(k == 1 ? ahead_ : further_));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) values[i] = (4 * ahead_[i] - 3 * values[i] - further_[i]) / (2 * s);
  stale_ = true;
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

// --- saving ----------------------------------------------------------------------------------------------------------

std::unique_ptr<Snapshot> MeUnit::save(std::unique_ptr<Snapshot> reuse) {
  require_in_unit(name(), solver_ != nullptr,
                  "unit '{}' runs with a solver and can be saved only after initialisation; initialise it first",
                  name());
  require_mode(false);
  auto* s = dynamic_cast<MeSnapshot*>(reuse.get());
  if (s == nullptr) {
    reuse = std::make_unique<MeSnapshot>();
    s = static_cast<MeSnapshot*>(reuse.get());
  }
  s->bytes.clear();
  if (set_back_) {
    set_back_->save(t_, solver_->state(), s->set_back);
  } else {
    s->instance = instance_->state_saving()->save(std::move(s->instance));
  }
  s->solver = solver_->snapshot(std::move(s->solver));
  integration_->copy_memory(s->integration);
  s->problem = problem_.memory();
  s->inputs = std::as_const(inputs_).state();
  s->t = t_;
  return reuse;
}

void MeUnit::restore(const Snapshot& snapshot) {
  const auto* const s = dynamic_cast<const MeSnapshot*>(&snapshot);
  CONSORT_ASSERT(s != nullptr);
  if (!s->bytes.empty()) {
    restore_bytes(*s);
  } else {
    CONSORT_ASSERT(solver_ != nullptr);
    restore_instance(*s);
    solver_->restore(*s->solver);
    integration_->restore(s->integration);
    problem_.restore(s->problem);
    inputs_.restore(s->inputs);
    t_ = s->t;
  }
  in_event_mode_ = false;
  last_.known = false;
  stale_ = true;
  if (set_back_) set_back_->check_return(solver_->state(), s->set_back);
}

void MeUnit::restore_instance(const MeSnapshot& snapshot) {
  if (!set_back_) return instance_->state_saving()->restore(*snapshot.instance);
  if (in_event_mode_) static_cast<void>(settle(*this, name(), t_));
  set_back_->require_return(snapshot.set_back);
}

// The parts of a serialised unit except the instance, in this order.
template <class Archive>
void archive_unit(Archive& archive, Time& t, MeProblem::Memory& problem, PolynomialInputs::State& inputs,
                  solve::Integration::Memory& integration, std::string& solver) {
  archive(t, problem.next_event, problem.last_event, problem.events, problem.ended);
  archive(integration.roots.values, integration.roots.signs, integration.roots.open_until, integration.next_time_event,
          integration.last_event, integration.events_here);
  inputs.fields(archive);
  archive(solver);
}

constexpr std::string_view header = "consort model exchange unit 1";

std::vector<std::uint8_t> MeUnit::serialize(const Snapshot& snapshot) {
  const auto* const s = dynamic_cast<const MeSnapshot*>(&snapshot);
  CONSORT_ASSERT(s != nullptr);
  const auto instance = instance_->state_saving()->serialize(*s->instance);
  ByteWriter writer;
  writer(std::string(header), std::string(instance.begin(), instance.end()));
  if (!s->bytes.empty()) {
    writer(std::string(s->bytes.begin(), s->bytes.end()));
    return writer.take();
  }
  // A solver serialises only its current state. Therefore a second solver restores the snapshot and serialises it.
  const auto other = solve::make_solver(options_.solver, problem_.ode(), options_.solver_options);
  other->restore(*s->solver);
  const auto solver = other->serialise();
  stale_ = true;
  Time t = s->t;
  auto problem = s->problem;
  auto inputs = s->inputs;
  auto integration = s->integration;
  std::string solver_text(solver.begin(), solver.end());
  ByteWriter rest;
  rest(options_.solver_options.rtol, options_.solver);
  archive_unit(rest, t, problem, inputs, integration, solver_text);
  const auto bytes = rest.take();
  writer(std::string(bytes.begin(), bytes.end()));
  return writer.take();
}

std::unique_ptr<Snapshot> MeUnit::deserialize(std::span<const std::uint8_t> bytes) {
  std::string first, instance, rest;
  with_unit(name(), [&] {
    ByteReader reader(bytes);
    reader(first);
    require_in_unit(
        name(), first == header,
        "unit '{}' cannot load this state: it does not belong to a Model Exchange unit with a solver; use one that "
        "was saved with the same model and --interface-type me",
        name());
    reader(instance, rest);
    reader.expect_end();
    ByteReader::check(!rest.empty());
  });
  auto snapshot = std::make_unique<MeSnapshot>();
  const std::vector<std::uint8_t> instance_bytes(instance.begin(), instance.end());
  snapshot->instance = instance_->state_saving()->deserialize(instance_bytes);
  snapshot->bytes.assign(rest.begin(), rest.end());
  return snapshot;
}

// Damaged bytes leave the unit unchanged.
void MeUnit::restore_bytes(const MeSnapshot& snapshot) {
  auto& states = *instance_->state_saving();
  const bool was_running = solver_ != nullptr;
  const auto before = was_running ? states.save() : nullptr;
  try {
    states.restore(*snapshot.instance);
    with_unit(name(), [&] { read_bytes(snapshot.bytes); });
  } catch (...) {
    if (was_running) {
      states.restore(*before);
    } else {
      integration_.reset();
      solver_.reset();
    }
    throw;
  }
}

void MeUnit::read_bytes(std::span<const std::uint8_t> bytes) {
  ByteReader reader(bytes);
  double rtol = 0;
  std::string solver_name;
  reader(rtol, solver_name);
  require_in_unit(
      name(), solver_name == options_.solver,
      "unit '{}' was saved with the solver '{}' and cannot continue with '{}'; choose the solver of the saved state",
      name(), solver_name.substr(0, 40), options_.solver);
  // A unit that is not initialised takes everything from the saved state.
  if (!solver_) {
    if (!options_.own_tolerance) options_.solver_options.rtol = rtol;
    problem_.set_tolerance(options_.solver_options.rtol);
    inputs_.lay_out(structural_);
    inputs_.read_back(t_);
    problem_.resume(t_, {});
    make_solver();
  }
  Time t = 0;
  MeProblem::Memory problem;
  auto inputs = std::as_const(inputs_).state();
  solve::Integration::Memory integration = integration_->memory();
  std::string solver;
  archive_unit(reader, t, problem, inputs, integration, solver);
  reader.expect_end();
  const std::vector<std::uint8_t> solver_bytes(solver.begin(), solver.end());
  solver_->deserialise(solver_bytes);
  integration_->restore(integration);
  problem_.restore(problem);
  inputs_.restore(inputs);
  t_ = t;
}

// --- derivatives -----------------------------------------------------------------------------------------------------

double MeUnit::make_direction(std::span<const ValueReference> knowns, std::span<const double> seed) {
  std::fill(direction_.begin(), direction_.end(), 0.0);
  inputs_.add_seed(knowns, seed, direction_);
  double size = 0;
  for (std::size_t i = 0; i < direction_.size(); ++i)
    size = std::max(size, std::abs(direction_[i]) / std::max(1.0, std::abs(inputs_.values()[i])));
  return size;
}

void MeUnit::directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                         std::span<const double> seed, std::span<double> sensitivity) {
  if (unknowns.empty()) return;
  if (solver_) refresh();
  if (auto* const own = instance_->directional_derivatives())
    return own->directional(unknowns, knowns, seed, sensitivity);
  require_running();
  const double step = difference_step(make_direction(knowns, seed));
  ahead_.resize(sensitivity.size());
  inputs_.set_present(direction_, -step);
  read_at(t_, unknowns, ahead_);
  inputs_.set_present(direction_, step);
  read_at(t_, unknowns, sensitivity);
  for (std::size_t i = 0; i < sensitivity.size(); ++i) sensitivity[i] = (sensitivity[i] - ahead_[i]) / (2 * step);
  stale_ = true;
}

void MeUnit::step_directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                              std::span<const double> seed, std::span<double> sensitivity) {
  if (!last_.known || last_.events.count > 0) {
    throw run_error(
        "unit '{}' has no derivatives of its last step at t = {} s: {}; repeat the step with changed inputs instead",
        name(), t_,
        last_.known ? "the step contained an event" : "no step was taken since the start or the last restore")
        .in_unit(name())
        .at(t_);
  }
  if (unknowns.empty()) return;
  const double seed_size = make_direction(knowns, seed);
  if (!sensitivity_ && state_count_ > 0) {
    const auto rate = [this](Time t, solve::ConstVector x, double amount, solve::Vector dx) {
      go_to(t, x);
      inputs_.set_in_last_step(t, direction_, amount);
      instance_->get_derivatives(dx);
    };
    sensitivity_ = std::make_unique<StepSensitivity>(state_count_, rate, options_.solver_options.rtol);
  }
  std::span<const double> s;
  with_unit(name(), [&] {
    if (state_count_ > 0) s = (*sensitivity_)(last_.from, t_, last_.states, seed_size);
  });
  double size = seed_size;
  for (std::size_t i = 0; i < s.size(); ++i)
    size = std::max(size, std::abs(s[i]) / std::max(1.0, std::abs(states()[i])));
  const double step = difference_step(size);
  ahead_.resize(sensitivity.size());
  for (const double sign : {-1.0, 1.0}) {
    for (std::size_t i = 0; i < s.size(); ++i) x_[i] = states()[i] + sign * step * s[i];
    go_to(t_, x_);
    inputs_.set_in_last_step(t_, direction_, sign * step);
    read_at(t_, unknowns, sign < 0 ? std::span(ahead_) : sensitivity);
  }
  for (std::size_t i = 0; i < sensitivity.size(); ++i) sensitivity[i] = (sensitivity[i] - ahead_[i]) / (2 * step);
  stale_ = true;
}

}  // namespace

std::unique_ptr<Unit> make_me_unit(const fmi::Fmu& fmu, fmi::InstanceOptions instance, MeUnitOptions options) {
  return make_me_unit(fmu.model_exchange(std::move(instance)), fmu.description(), std::move(options));
}

std::unique_ptr<Unit> make_me_unit(std::unique_ptr<fmi::ModelExchange> instance,
                                   const describe::Description& description, MeUnitOptions options) {
  return std::make_unique<MeUnit>(std::move(instance), description, std::move(options));
}

}  // namespace consort::unit
