#include "step/event_controller.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "step/event_search.hpp"
#include "step/saved_run.hpp"

namespace consort::step {

using couple::RunState;
using graph::UnitId;
using unit::Why;

namespace {

// Events of the system happen at the ends of steps; a note says why.
class AtPoints final : public Controller {
 public:
  AtPoints(std::unique_ptr<Controller> inner, couple::EventIteration& events, std::string note)
      : inner_(std::move(inner)), events_(events), note_(std::move(note)) {}
  [[nodiscard]] std::string_view name() const override { return inner_->name(); }
  unit::StepOutcome advance(Stepper& stepper, fleet::Fleet& fleet, RunState& state, Time limit) override {
    const auto outcome = inner_->advance(stepper, fleet, state, limit);
    auto* const system = events_.system();
    if (system == nullptr || outcome.why == Why::terminate) return outcome;
    events_.look_for_silent_changes(state);
    if (system->is_due(state)) return events_.run(fleet, state, {});
    system->look(state);
    return outcome;
  }
  void prepare(RunState& state) override { inner_->prepare(state); }
  [[nodiscard]] std::vector<std::string> notes() const override {
    auto all = inner_->notes();
    if (!note_.empty()) all.push_back(note_);
    return all;
  }
  [[nodiscard]] std::vector<std::string> warnings(const RunState& state) const override {
    return inner_->warnings(state);
  }
  [[nodiscard]] std::span<const couple::EstimatedOutput> estimated() const override { return inner_->estimated(); }

 private:
  std::unique_ptr<Controller> inner_;
  couple::EventIteration& events_;
  std::string note_;
};

class EventController final : public Controller {
 public:
  EventController(std::unique_ptr<Controller> inner, const ControllerSetup& setup)
      : inner_(std::move(inner)),
        events_(*setup.events),
        units_(setup.fleet.reserve_snapshot(setup.plan.all_units())),
        saved_(setup.plan, setup.fleet),
        step_(setup.grid.step()) {
    causes_.reserve(setup.fleet.size());
    if (events_.system() != nullptr) search_.emplace(*events_.system());
  }

  [[nodiscard]] std::string_view name() const override { return inner_->name(); }
  void prepare(RunState& state) override { inner_->prepare(state); }
  [[nodiscard]] std::vector<std::string> notes() const override { return inner_->notes(); }
  [[nodiscard]] std::vector<std::string> warnings(const RunState& state) const override {
    return inner_->warnings(state);
  }
  [[nodiscard]] std::span<const couple::EstimatedOutput> estimated() const override { return inner_->estimated(); }

  unit::StepOutcome advance(Stepper& stepper, fleet::Fleet& fleet, RunState& state, Time limit) override {
    fleet.save(units_);
    saved_.keep(state);
    begin_ = state.t;
    if (search_) {
      control_ = state.control;
      events_.system()->hold(state);
      search_->begin(state);
    }
    auto outcome = reach(stepper, fleet, state, limit);
    if (search_) outcome = end_at_system_event(stepper, fleet, state, outcome);
    find_causes(state, begin_);
    events_.look_for_silent_changes(state);
    if (outcome.why == Why::terminate) return outcome;
    return events_.run(fleet, state, causes_);
  }

 private:
  static constexpr int most_trials = 100;  // for one step
  static constexpr int most_looks = 13;    // for a condition that becomes false within a step

  // To the first event of a unit, or to the end of the step.
  unit::StepOutcome reach(Stepper& stepper, fleet::Fleet& fleet, RunState& state, Time limit) {
    auto outcome = inner_->advance(stepper, fleet, state, limit);
    for (int tried = 1; outcome.why == Why::event; ++tried) {
      if (tried > most_trials) throw restless(state, outcome.reached);
      fleet.restore(units_);
      saved_.bring_back(state);
      if (outcome.reached <= begin_ + fleet::slack(begin_, begin_)) break;  // it is due at the beginning of the step
      outcome = inner_->advance(stepper, fleet, state, outcome.reached);
    }
    return outcome;
  }

  // Takes an accepted step back and reaches an earlier time.
  unit::StepOutcome reach_instead(Stepper& stepper, fleet::Fleet& fleet, RunState& state, Time limit) {
    fleet.restore(units_);
    saved_.bring_back(state);
    const auto steps = state.control.unit_steps;
    state.control = control_;
    state.control.unit_steps = steps;
    for (auto& stopped : state.stopped) stopped = unit::never;
    return reach(stepper, fleet, state, limit);
  }

  unit::StepOutcome end_at_system_event(Stepper& stepper, fleet::Fleet& fleet, RunState& state,
                                        unit::StepOutcome outcome) {
    auto& system = *events_.system();
    if (state.t <= begin_) return outcome;
    if (system.became_true(state)) outcome = locate(stepper, fleet, state);
    if (!system.lingers(state)) return outcome;
    const Time end = state.t;
    for (int look = 1; look <= most_looks; ++look) {
      const Time earlier = begin_ + std::ldexp(end - begin_, -2 * look);
      if (earlier <= begin_ + 2 * fleet::slack(begin_, end)) break;
      outcome = reach_instead(stepper, fleet, state, earlier);
      if (system.has_left(state)) return outcome;
    }
    outcome = reach_instead(stepper, fleet, state, end);
    system.stop_watching(state);
    return outcome;
  }

  unit::StepOutcome locate(Stepper& stepper, fleet::Fleet& fleet, RunState& state) {
    auto& system = *events_.system();
    const Duration rounding = 4 * std::numeric_limits<double>::epsilon() * std::abs(state.t);
    search_->bracket(state, EventSearch::event_time * step_ + rounding);
    unit::StepOutcome outcome{state.t, Why::completed};
    bool is_true = false;
    while (!search_->done()) {
      outcome = reach_instead(stepper, fleet, state, search_->next());
      is_true = system.became_true(state);
      search_->take(state, is_true);
    }
    return is_true ? outcome : reach_instead(stepper, fleet, state, search_->end());
  }

  // Units that stopped at or before the end of the step. Later events are found again from here.
  void find_causes(RunState& state, Time begin) {
    causes_.clear();
    for (UnitId u = 0; u < state.stopped.size(); ++u) {
      if (state.stopped[u] <= state.t + fleet::slack(begin, state.t)) causes_.push_back(u);
      state.stopped[u] = unit::never;
    }
  }

  static Error restless(const RunState& state, Time reached) {
    return run_error(
               "the first event after t = {} s, now at {} s, comes earlier every time the step is repeated up to it "
               "({} times); check for an event condition that depends on the step size",
               state.t, reached, most_trials)
        .at(reached);
  }

  std::unique_ptr<Controller> inner_;
  couple::EventIteration& events_;
  fleet::SnapshotId units_;
  SavedRun saved_;
  std::vector<UnitId> causes_;
  Duration step_;                      // the communication step
  std::optional<EventSearch> search_;  // if the system has events
  couple::ControlState control_;       // at the beginning of the step
  Time begin_ = 0;
};

}  // namespace

std::string obstacle_to_events(const fleet::Fleet& fleet) {
  std::vector<std::string_view> rigid;
  std::string reason;  // of the first one
  std::vector<std::string_view> fixed;
  for (const auto& unit : fleet.traits()) {
    if (!unit.can_roll_back() && rigid.empty()) reason = unit.rollback_obstacle();
    if (!unit.can_roll_back()) rigid.push_back(unit.name);
    if (!unit.variable_step) fixed.push_back(unit.name);
  }
  if (!rigid.empty())
    return fmt::format("{} cannot save and restore {} state{}", some_of(rigid), rigid.size() == 1 ? "its" : "their",
                       rigid.size() == 1 ? reason : "");
  if (!fixed.empty())
    return fmt::format("{} {} equal steps only", some_of(fixed), fixed.size() == 1 ? "takes" : "take");
  return {};
}

std::unique_ptr<Controller> make_event_controller(const ControllerSetup& setup, const ControllerRow& row) {
  CONSORT_ASSERT(setup.events != nullptr);
  const auto why = obstacle_to_events(setup.fleet);
  if (why.empty() && !setup.events_at_points) return std::make_unique<EventController>(row.make(setup), setup);
  ControllerSetup alone = setup;
  alone.events = nullptr;
  std::string note;
  if (!setup.events_at_points)
    note = fmt::format("events inside of steps are settled by each unit alone, not by all units together, because {}",
                       why);
  if (setup.events->system() != nullptr)
    note = fmt::format(
        "events of the system happen at the first communication point at which their conditions are true, and events "
        "inside of steps are settled by each unit alone, because {}",
        why.empty() ? "the setting 'events' is 'alone'" : why);
  return std::make_unique<AtPoints>(row.make(alone), *setup.events, std::move(note));
}

}  // namespace consort::step
