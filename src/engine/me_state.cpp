#include "engine/me_state.hpp"

#include <string_view>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace consort::engine {

namespace {

constexpr std::string_view header = "consort model exchange run 2";

}  // namespace

template <class Archive>
void MeState::fields(Archive& archive, unit::MeProblem::Memory& problem) {
  archive(problem.next_event, problem.last_event, problem.events, problem.ended);
}

template <class Archive>
void MeState::fields(Archive& archive, solve::Integration::Memory& integration) {
  archive(integration.roots.values, integration.roots.signs, integration.roots.open_until, integration.next_time_event,
          integration.last_event, integration.events_here);
}

void MeState::require_serialization(fmi::ModelExchange& instance) {
  auto* const states = instance.state_saving();
  require_in_unit(
      instance.name(), states != nullptr && states->can_serialize(),
      "unit '{}' can neither save its state to a file nor load it: its description does not declare that its state "
      "can be serialised for Model Exchange; run it without an initial and a final state",
      instance.name());
}

std::vector<std::uint8_t> MeState::write(fmi::ModelExchange& instance, const unit::MeProblem& problem,
                                         const solve::Solver& solver, const solve::Integration& integration) {
  auto& states = *instance.state_saving();
  ByteWriter driver;
  auto memory = integration.memory();
  fields(driver, memory);
  ByteWriter writer;
  writer(std::string(header), solver.time());
  auto events = problem.memory();
  fields(writer, events);
  writer(text_of(states.serialize(*states.save())), std::string(solver.name()), text_of(solver.serialise()),
         text_of(driver.take()));
  return writer.take();
}

MeState::MeState(std::span<const std::uint8_t> bytes, const std::string& unit_name) : unit_name_(unit_name) {
  ByteReader reader(bytes);
  std::string first;
  try {
    reader(first);
  } catch (const Error&) {
    first.clear();
  }
  require_in_unit(
      unit_name, first == header,
      "unit '{}' cannot start from this state: it was not saved by a Model Exchange run; use a state that was, or "
      "use --interface-type cs",
      unit_name);
  reader(time_);
  fields(reader, problem_);
  reader(instance_, solver_name_, solver_, integration_);
  reader.expect_end();
}

void MeState::restore(fmi::ModelExchange& instance, unit::MeProblem& problem) const {
  auto& states = *instance.state_saving();
  states.restore(*states.deserialize(bytes_of(instance_)));
  problem.resume(time_, problem_);
}

void MeState::restore(solve::Solver& solver) const {
  require_in_unit(unit_name_, solver_name_ == solver.name(),
                  "unit '{}' was saved with the solver '{}' and cannot continue with '{}'; use --solver {}", unit_name_,
                  solver_name_.substr(0, 40), solver.name(), solver_name_.substr(0, 40));
  solver.deserialise(bytes_of(solver_));
}

void MeState::restore(solve::Integration& integration) const {
  auto memory = integration.memory();
  const auto bytes = bytes_of(integration_);
  ByteReader reader(bytes);
  fields(reader, memory);
  reader.expect_end();
  integration.restore(memory);
}

}  // namespace consort::engine
