// Equal communication steps, counted from the start.
#pragma once

#include "base/time.hpp"
#include "step/controller.hpp"

namespace consort::step {

class FixedController final : public Controller {
 public:
  // With whole_steps, a step between two grid points has exactly the size of the grid's step, whatever the rounding of
  // their difference.
  explicit FixedController(const ControllerSetup& setup)
      : grid_(setup.grid),
        whole_(setup.whole_steps),
        stops_at_events_(setup.events != nullptr || setup.stays_at_events),
        may_go_back_(setup.events != nullptr) {}
  [[nodiscard]] std::string_view name() const override { return "fixed"; }
  void prepare(couple::RunState& state) override {
    next_ = state.memory.stays.reserve<std::uint64_t>("grid point ahead");
  }
  // Steps to the next point of the grid, or to `limit` if that comes first.
  unit::StepOutcome advance(Stepper& stepper, fleet::Fleet& fleet, couple::RunState& state, Time limit) override;

 private:
  Grid grid_;
  bool whole_;
  bool stops_at_events_;
  bool may_go_back_;                  // the caller rolls back a step that ends at an event
  couple::Slot<std::uint64_t> next_;  // the next grid point; 0 before the first step
};

}  // namespace consort::step
