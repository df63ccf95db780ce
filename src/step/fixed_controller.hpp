// Equal communication steps, counted from the start.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/time.hpp"
#include "step/controller.hpp"
#include "step/saved_run.hpp"

namespace consort::step {

class FixedController final : public Controller {
 public:
  explicit FixedController(const ControllerSetup& setup);
  [[nodiscard]] std::string_view name() const override { return "fixed"; }
  void prepare(couple::RunState& state) override {
    next_ = state.memory.stays.reserve<std::uint64_t>("grid point ahead");
  }
  // Steps to the next point of the grid, or to `limit` if that comes first. A unit that discards a step repeats it
  // alone (RunState::apart) the first time, and whenever units that have stepped cannot go back. Otherwise states are
  // saved before every step from then on, and a step that it discards is repeated by all units, in shorter steps.
  unit::StepOutcome advance(Stepper& stepper, fleet::Fleet& fleet, couple::RunState& state, Time limit) override;

 private:
  unit::StepOutcome step_alone(Stepper& stepper, fleet::Fleet& fleet, couple::RunState& state, Time end);
  unit::StepOutcome step_together(Stepper& stepper, fleet::Fleet& fleet, couple::RunState& state, Time end);
  // True if a unit has discarded a step whose units can go back.
  [[nodiscard]] bool is_discard_expected(const couple::RunState& state) const;
  bool save(fleet::Fleet& fleet, const couple::RunState& state);
  // The size of a step between two grid points is exactly that of the grid, whatever the rounding of their difference:
  // units with steps of their own take one more or one less if it is not.
  [[nodiscard]] Duration size_of(Time begin, Time end) const;
  // Times that are nearer to each other are one. Events that end steps are told apart better than other limits.
  [[nodiscard]] Duration slack(Time begin, Time end) const {
    return stops_at_events_ ? fleet::slack(begin, end) : grid_.tolerance();
  }

  Grid grid_;
  bool stops_at_events_;
  bool may_go_back_;                  // the caller rolls back a step that ends at an event
  couple::Slot<std::uint64_t> next_;  // the next grid point; 0 before the first step
  // For steps that are repeated by all units; none if no step can go back, or a unit takes equal steps only.
  std::optional<fleet::SnapshotId> units_;
  std::vector<graph::UnitId> may_discard_;  // the units of this snapshot
  std::unique_ptr<SavedRun> saved_;
};

}  // namespace consort::step
