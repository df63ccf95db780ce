// A unit that runs alone: its table, its state and its events.
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/simulation_impl.hpp"

namespace consort::engine {

// Drives the inputs of a unit that runs alone.
void Simulation::Impl::feed_from_table() {
  const auto& d = *plan_.units.front().description;
  const bool moves = TableFeed::has_continuous(d, *o_.solo->table);
  const bool slopes = moves && !o_.solo->hold_inputs && fleet_->traits(0).input_order > 0;
  if (slopes) o_.run.extrapolation = "1";
  feed_ = TableFeed(plan_, *o_.solo->table, experiment_.slack(), slopes);
  if (moves && !slopes)
    report_.assumed.emplace_back(
        fmt::format("continuous inputs are held at their mean over each step ({})",
                    o_.solo->hold_inputs ? "as demanded" : "the unit takes no input derivatives"));
}

// No variable if there are fewer rows than steps: the recorder then reads values itself.
graph::WantedVariable Simulation::Impl::read_by_steps() const {
  if (runs_ahead() || o_.run.output_interval || o_.run.record.every != 1)
    return [](const describe::Variable&) { return false; };
  if (o_.solo->variables.empty()) return {};
  const auto& names = o_.solo->variables;
  return [chosen = std::unordered_set<std::string_view>(names.begin(), names.end())](const describe::Variable& v) {
    return v.causality == describe::Causality::output && chosen.contains(v.name);
  };
}

// Called before the run, because a run is useless if its final state cannot be kept.
void Simulation::Impl::check_states() const {
  if (!o_.solo || (o_.solo->initial_state.empty() && !o_.solo->keep_final_state)) return;
  const auto& name = plan_.units.front().name;
  require_in_unit(
      name, fleet_->traits(0).serialises,
      "unit '{}' can neither save its state to a file nor load it: its description does not declare that its state can "
      "be serialised; run it without an initial and a final state",
      name);
  require_in_unit(name, o_.solo->initial_state.empty() || plan_.units.front().component.settings.empty(),
                  "unit '{}' starts from a saved state, so start values have no effect; leave out one of the two",
                  name);
}

void Simulation::Impl::take_over_state() {
  fleet_->deserialise(*saved_, 0, o_.solo->initial_state);
  fleet_->restore(*saved_);
  fleet_->ask(fleet_->wave_of(0), fleet::Verb::read, state_.t, state_.signals);
}

// One step to the limit or to the first event, instead of steps on a grid.
unit::StepOutcome Simulation::Impl::run_ahead(Time limit) {
  const auto outcome =
      stepper_->step(*fleet_, state_, {.t = state_.t, .h = limit - state_.t, .end = limit, .stop_at_event = true});
  ++state_.control.accepted;
  ++state_.control.unit_steps;
  return outcome;
}

bool Simulation::Impl::has_event(Time begin, Time jump) const {
  if (!report_.ended_early.empty()) return false;
  const Time now = state_.t + experiment_.slack();
  const Time announced = state_.signals.next_event.front();
  return state_.stopped.front() <= now || jump <= now || (announced > begin && announced <= now);
}

void Simulation::Impl::settle_event() {
  constexpr UnitId alone = 0;
  state_.stopped.front() = unit::never;
  if (events_->run(*fleet_, state_, std::span(&alone, 1)).why == unit::Why::terminate) return end_early();
  // Ignore an event announced for the present time, because it has just been handled (FMI 3.0, 4.2.1).
  Time& announced = state_.signals.next_event.front();
  if (announced <= state_.t + experiment_.slack()) announced = unit::never;
}

}  // namespace consort::engine
