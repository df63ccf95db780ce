// Equal communication steps, counted from the start.
#pragma once

#include "base/time.hpp"
#include "step/controller.hpp"

namespace consort::step {

struct FixedSteps {
  bool whole =
      false;  // from a grid point to the next exactly as long as the grid's, whatever their difference rounds to
  bool stop_at_events = false;
  bool may_go_back = false;  // the caller takes back a step that ends at an event
};

class FixedController final : public Controller {
 public:
  explicit FixedController(const Grid& grid, const FixedSteps& how = {}) : grid_(grid), how_(how) {}
  [[nodiscard]] std::string_view name() const override { return "fixed"; }
  void prepare(couple::RunState& state) override {
    next_ = state.memory.stays.reserve<std::uint64_t>("grid point ahead");
  }
  // To the next point of the grid, or to `limit` when that comes first.
  unit::StepOutcome advance(Stepper& stepper, fleet::Fleet& fleet, couple::RunState& state, Time limit) override;

 private:
  Grid grid_;
  FixedSteps how_;
  couple::Slot<std::uint64_t> next_;  // the grid point ahead; 0 before the first step
};

}  // namespace consort::step
