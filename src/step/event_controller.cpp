#include "step/event_controller.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "step/saved_run.hpp"

namespace consort::step {

using couple::RunState;
using graph::UnitId;
using unit::Why;

namespace {

// Adds a note to those of a controller.
class Noted final : public Controller {
 public:
  Noted(std::unique_ptr<Controller> inner, std::string note) : inner_(std::move(inner)), note_(std::move(note)) {}
  [[nodiscard]] std::string_view name() const override { return inner_->name(); }
  unit::StepOutcome advance(Stepper& stepper, fleet::Fleet& fleet, RunState& state, Time limit) override {
    return inner_->advance(stepper, fleet, state, limit);
  }
  void prepare(RunState& state) override { inner_->prepare(state); }
  [[nodiscard]] std::vector<std::string> notes() const override {
    auto all = inner_->notes();
    all.push_back(note_);
    return all;
  }
  [[nodiscard]] std::vector<std::string> warnings(const RunState& state) const override {
    return inner_->warnings(state);
  }
  [[nodiscard]] std::span<const couple::EstimatedOutput> estimated() const override { return inner_->estimated(); }

 private:
  std::unique_ptr<Controller> inner_;
  std::string note_;
};

class EventController final : public Controller {
 public:
  EventController(std::unique_ptr<Controller> inner, const ControllerSetup& setup)
      : inner_(std::move(inner)),
        events_(*setup.events),
        units_(setup.fleet.reserve_snapshot(setup.plan.all_units())),
        saved_(setup.plan, setup.fleet) {
    causes_.reserve(setup.fleet.size());
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
    const Time begin = state.t;
    auto outcome = inner_->advance(stepper, fleet, state, limit);
    for (int tried = 1; outcome.why == Why::event; ++tried) {
      if (tried > most_trials) throw restless(state, outcome.reached);
      fleet.restore(units_);
      saved_.bring_back(state);
      if (outcome.reached <= begin + fleet::slack(begin, begin)) break;  // it is due at the beginning of the step
      outcome = inner_->advance(stepper, fleet, state, outcome.reached);
    }
    find_causes(state, begin);
    if (outcome.why == Why::terminate) return outcome;
    return events_.run(fleet, state, causes_);
  }

 private:
  static constexpr int most_trials = 100;  // for one step

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
};

// The reason why steps cannot end at events; empty if they can.
std::string obstacle(const fleet::Fleet& fleet) {
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

}  // namespace

std::unique_ptr<Controller> make_event_controller(const ControllerSetup& setup, const ControllerRow& row) {
  CONSORT_ASSERT(setup.events != nullptr);
  const auto why = obstacle(setup.fleet);
  if (why.empty()) return std::make_unique<EventController>(row.make(setup), setup);
  ControllerSetup alone = setup;
  alone.events = nullptr;
  return std::make_unique<Noted>(
      row.make(alone),
      fmt::format("events inside of steps are settled by each unit alone, not by all units together, because {}", why));
}

}  // namespace consort::step
