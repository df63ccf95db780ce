#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "unit/me_unit_impl.hpp"
#include "unit/settle.hpp"

namespace consort::unit {

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

namespace {

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

constexpr std::string_view unit_header = "consort model exchange unit 1";

}  // namespace

std::vector<std::uint8_t> MeUnit::serialize(const Snapshot& snapshot) {
  const auto* const s = dynamic_cast<const MeSnapshot*>(&snapshot);
  CONSORT_ASSERT(s != nullptr);
  const auto instance = instance_->state_saving()->serialize(*s->instance);
  ByteWriter writer;
  writer(std::string(unit_header), std::string(instance.begin(), instance.end()));
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
        name(), first == unit_header,
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

}  // namespace consort::unit
