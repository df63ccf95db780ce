// Equal communication steps, counted from the start.
#pragma once

#include "base/time.hpp"
#include "step/controller.hpp"

namespace consort::step {

class FixedController final : public Controller {
 public:
  // With whole_steps, a step from a grid point to the next is exactly as long as the grid's, whatever their difference
  // rounds to.
  explicit FixedController(const ControllerSetup& setup)
      : grid_(setup.grid),
        whole_(setup.whole_steps),
        stops_at_events_(setup.events != nullptr || setup.stays_at_events),
        may_go_back_(setup.events != nullptr) {}
  [[nodiscard]] std::string_view name() const override { return "fixed"; }
  void prepare(couple::RunState& state) override {
    next_ = state.memory.stays.reserve<std::uint64_t>("grid point ahead");
  }
  // To the next point of the grid, or to `limit` when that comes first.
  unit::StepOutcome advance(Stepper& stepper, fleet::Fleet& fleet, couple::RunState& state, Time limit) override;

 private:
  Grid grid_;
  bool whole_;
  bool stops_at_events_;
  bool may_go_back_;                  // the caller takes back a step that ends at an event
  couple::Slot<std::uint64_t> next_;  // the grid point ahead; 0 before the first step
};

}  // namespace consort::step
