// Equal communication steps, counted from the start.
#pragma once

#include "base/time.hpp"
#include "step/controller.hpp"

namespace consort::step {

class FixedController final : public Controller {
 public:
  explicit FixedController(const Grid& grid) : grid_(grid) {}
  [[nodiscard]] std::string_view name() const override { return "fixed"; }
  // To the next point of the grid, or to `limit` when that comes first.
  void restart() override { next_ = 1; }
  unit::StepOutcome advance(Stepper& stepper, unit::Fleet& fleet, couple::RunState& state, Time limit) override;

 private:
  Grid grid_;
  std::uint64_t next_ = 1;  // the grid point ahead
};

}  // namespace consort::step
