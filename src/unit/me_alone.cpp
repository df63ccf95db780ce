#include "unit/me_alone.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "solve/solvers.hpp"
#include "unit/fmu_values.hpp"

namespace consort::unit {

using describe::SignalSet;

namespace {

class MeAloneSnapshot : public Snapshot {
 public:
  std::vector<std::uint8_t> bytes;
};

const std::vector<std::uint8_t>& bytes_of_snapshot(const Snapshot& snapshot) {
  const auto* const s = dynamic_cast<const MeAloneSnapshot*>(&snapshot);
  CONSORT_ASSERT(s != nullptr);
  return s->bytes;
}

template <class Archive>
void fields(Archive& archive, MeProblem::Memory& problem) {
  archive(problem.next_event, problem.last_event, problem.events, problem.ended);
}

template <class Archive>
void fields(Archive& archive, solve::Integration::Memory& integration) {
  archive(integration.roots.values, integration.roots.signs, integration.roots.open_until, integration.next_time_event,
          integration.last_event, integration.events_here);
}

}  // namespace

MeAlone::MeAlone(std::unique_ptr<fmi::ModelExchange> instance, const describe::Description& description,
                 MeAloneOptions options)
    : description_(description), options_(std::move(options)), instance_(std::move(instance)) {
  static_cast<void>(solve::find_solver(options_.solver));
}

// --- life ------------------------------------------------------------------------------------------------------------

bool MeAlone::configure(const SignalSet& signals, Columns& values) {
  return configure_values(*instance_, signals, values);
}

bool MeAlone::reset() { return !problem_ && reset_instance(*instance_); }

void MeAlone::enter_initialization(const Experiment& e) {
  t_ = e.start;
  instance_->enter_initialization(e);
}

void MeAlone::exit_initialization() {
  instance_->exit_initialization();
  make_problem();
  static_cast<void>(problem_->begin(t_));
  stale_ = true;
}

void MeAlone::make_problem() {
  problem_.emplace(*instance_, description_, inputs_);
  problem_->set_tolerance(options_.solver_options.rtol);
}

void MeAlone::start_solver() {
  solver_ = solve::make_solver(options_.solver, problem_->ode(), options_.solver_options);
  solve::RunOptions run;
  run.interval = options_.interval;
  run.cancel = options_.cancel;
  run.log_limit = 0;
  run.on_event = options_.on_event;
  run.progress = options_.progress;
  // FMI 1.0 and 2.0: some instances (OpenModelica up to 1.12) evaluate outputs only when a step is completed.
  run.rows_end_steps = description_.version != describe::FmiVersion::v3;
  // The query that ends a step evaluates at the same point.
  const bool is_queried = run.rows_end_steps && static_cast<bool>(problem_->ode().events.step_event);
  run.output = [this, is_queried](const solve::OutputRow& row) {
    if (!on_row_) return;
    if (!is_queried) {
      problem_->set_point(row.t, row.y);
      problem_->evaluate(row.t);
    }
    stale_ = false;
    on_row_(row.t);
  };
  integration_.emplace(*solver_, problem_->ode().events, run);
  stale_ = true;
}

solve::RunReport MeAlone::report() const {
  if (integration_) return integration_->report();
  solve::RunReport nothing;
  nothing.reached = t_;
  return nothing;
}

// --- values ----------------------------------------------------------------------------------------------------------

void MeAlone::get_part(const SignalSet& signals, Columns& values, const describe::Offsets& at) {
  if (problem_ && stale_) {
    problem_->set_point(t_, states());
    problem_->evaluate(t_);
    stale_ = false;
  }
  get_values(*instance_, signals, values, at);
}

std::string MeAlone::try_get(const SignalSet& signals, Columns& values) {
  return try_get_values(*instance_, signals, values);
}

void MeAlone::set(const SignalSet& signals, Columns& values) { set_values(*instance_, signals, values); }

// --- steps -----------------------------------------------------------------------------------------------------------

// To the end of the step, to an event, or until it is cancelled.
solve::RunEnd MeAlone::integrate() {
  const auto how = integration_->advance(end_, solve::AtEvent::pause);
  t_ = integration_->time();
  stale_ = true;
  return how;
}

StepOutcome MeAlone::step(const StepRequest& r) {
  CONSORT_ASSERT(problem_ && !at_event_);
  if (problem_->memory().ended) return {t_, Why::terminate};
  end_ = std::max(r.t + r.h, t_);
  near_ = 1e-9 * r.h + 1e-14 * std::max(std::abs(r.t), std::abs(end_));  // as fleet::slack()
  if (std::abs(end_ - options_.stop) <= near_) end_ = options_.stop;
  const auto how = with_unit(name(), [&] {
    if (!integration_) start_solver();
    return integrate();
  });
  at_event_ = how == solve::RunEnd::event;
  if (at_event_) return {t_, Why::event};
  return {t_, how == solve::RunEnd::cancelled ? Why::terminate : Why::completed};
}

// --- events ----------------------------------------------------------------------------------------------------------

void MeAlone::enter_event_mode() { CONSORT_ASSERT(at_event_); }

EventOutcome MeAlone::update() {
  CONSORT_ASSERT(at_event_);
  at_event_ = false;
  stale_ = true;
  with_unit(name(), [&] {
    if (integration_->handle_event()) finish_step();
  });
  return {.terminate = problem_->memory().ended};
}

// The caller takes an event just before the end of the step for one at the end. What happens until then belongs to it.
void MeAlone::finish_step() {
  while (t_ < end_ && t_ >= end_ - near_) {
    const auto how = integrate();
    if (how == solve::RunEnd::cancelled || (how == solve::RunEnd::event && !integration_->handle_event())) return;
  }
}

// --- states ----------------------------------------------------------------------------------------------------------

Rollback* MeAlone::rollback() {
  auto* const states = instance_->state_saving();
  return states != nullptr && states->can_serialize() ? this : nullptr;
}

std::unique_ptr<Snapshot> MeAlone::save(std::unique_ptr<Snapshot>) {
  CONSORT_ASSERT(problem_);
  auto snapshot = std::make_unique<MeAloneSnapshot>();
  with_unit(name(), [&] {
    if (!integration_ && problem_->memory().ended) return;  // nothing can go on from there
    if (!integration_) start_solver();
    problem_->set_point(t_, solver_->state());
    auto& states = *instance_->state_saving();
    auto problem = problem_->memory();
    auto integration = integration_->memory();
    ByteWriter driver, writer;
    fields(driver, integration);
    writer(t_, std::string(solver_->name()));
    fields(writer, problem);
    writer(text_of(states.serialize(*states.save())), text_of(solver_->serialise()), text_of(driver.take()));
    snapshot->bytes = writer.take();
  });
  return snapshot;
}

std::vector<std::uint8_t> MeAlone::serialize(const Snapshot& snapshot) { return bytes_of_snapshot(snapshot); }

std::unique_ptr<Snapshot> MeAlone::deserialize(std::span<const std::uint8_t> bytes) {
  auto snapshot = std::make_unique<MeAloneSnapshot>();
  snapshot->bytes.assign(bytes.begin(), bytes.end());
  return snapshot;
}

void MeAlone::restore(const Snapshot& snapshot) {
  CONSORT_ASSERT(!problem_);
  with_unit(name(), [&] { read_state(bytes_of_snapshot(snapshot)); });
}

void MeAlone::read_state(const std::vector<std::uint8_t>& bytes) {
  ByteReader reader(bytes);
  std::string solver_name, instance, solver, driver;
  reader(t_, solver_name);
  require_in_unit(name(), solver_name == options_.solver,
                  "unit '{}' was saved with the solver '{}' and cannot continue with '{}'; use --solver {}", name(),
                  solver_name.substr(0, 40), options_.solver, solver_name.substr(0, 40));
  MeProblem::Memory problem;
  fields(reader, problem);
  reader(instance, solver, driver);
  reader.expect_end();
  auto& states = *instance_->state_saving();
  states.restore(*states.deserialize(bytes_of(instance)));
  make_problem();
  problem_->resume(t_, problem);
  stale_ = true;
  if (problem.ended) return;
  start_solver();
  solver_->deserialise(bytes_of(solver));
  auto integration = integration_->memory();  // has the sizes that the reader checks
  const auto bytes_of_driver = bytes_of(driver);
  ByteReader driver_reader(bytes_of_driver);
  fields(driver_reader, integration);
  driver_reader.expect_end();
  integration_->restore(integration);
}

}  // namespace consort::unit
