// Units step one after another, and the order turns around from step to step. Two neighbouring steps form a symmetric
// method, so held inputs give an error of H² instead of the H of Gauss–Seidel.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "step/schedule.hpp"
#include "step/stepper.hpp"

namespace consort::step {
namespace {

class AlternatingStepper final : public Stepper {
 public:
  explicit AlternatingStepper(const StepperSetup& setup) : Stepper(setup.point) {
    auto order = setup.plan.order;
    declare(forwards_, setup, Schedule::serial(setup.plan, order));
    std::reverse(order.begin(), order.end());
    declare(backwards_, setup, Schedule::serial(setup.plan, order));
  }

  [[nodiscard]] std::string_view name() const override { return "alternating"; }
  [[nodiscard]] bool sees_new_values() const override { return true; }

 private:
  struct Wave {
    fleet::WaveId wave;
    std::uint32_t part = 0;  // of the communication point
  };

  static void declare(std::vector<Wave>& sweep, const StepperSetup& setup, const Schedule& schedule) {
    const auto sees_new = [&](graph::UnitId unit, graph::UnitId source) { return schedule.sees_new(unit, source); };
    for (const auto& units : schedule.waves()) {
      std::vector<fleet::Wait> waits;
      for (const auto& c : setup.plan.connections)
        if (c.from != graph::no_unit && std::binary_search(units.begin(), units.end(), c.to) && sees_new(c.to, c.from))
          waits.push_back({c.to, c.from});
      sweep.push_back({setup.fleet.declare_wave(units, waits), setup.point.declare_part(units, sees_new)});
    }
  }

  // RunState::steps is restored with a rejected step, so a repeated step has the same order.
  unit::StepOutcome take(fleet::Fleet& fleet, couple::RunState& state, const Interval& interval) override {
    const unit::StepRequest request{interval.t, interval.h, interval.may_roll_back, interval.stop_at_event};
    unit::StepOutcome outcome{interval.end, unit::Why::completed};
    for (const auto& wave : state.steps % 2 == 0 ? forwards_ : backwards_) {
      point().give(state, wave.part);
      fleet.submit(wave.wave, fleet::Verb::step, request, state.signals);
      if (!fleet.wait()) couple::hear(fleet, state, request, outcome);
    }
    return outcome;
  }

  std::vector<Wave> forwards_;
  std::vector<Wave> backwards_;
};

}  // namespace

std::unique_ptr<Stepper> make_alternating(const StepperSetup& setup) {
  return std::make_unique<AlternatingStepper>(setup);
}

}  // namespace consort::step
