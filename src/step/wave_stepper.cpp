#include "step/wave_stepper.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace consort::step {

using couple::RunState;
using graph::UnitId;

namespace {

// Pairs of a unit among `units` and a source whose new values it uses.
std::vector<fleet::Wait> waits_of(const graph::Plan& plan, const Schedule& schedule, const std::vector<UnitId>& units) {
  std::vector<fleet::Wait> waits;
  for (const auto& c : plan.connections)
    if (c.from != graph::no_unit && std::binary_search(units.begin(), units.end(), c.to) &&
        schedule.sees_new(c.to, c.from))
      waits.push_back({c.to, c.from});
  return waits;
}

class WaveStepper final : public Stepper {
 public:
  WaveStepper(std::string_view name, const StepperSetup& setup, const Schedule& schedule)
      : Stepper(setup.point), name_(name) {
    for (const auto& units : schedule.waves()) {
      const auto sees_new = [&](UnitId u, UnitId source) { return schedule.sees_new(u, source); };
      const auto waits = waits_of(setup.plan, schedule, units);
      waves_.push_back({setup.fleet.declare_wave(units, waits), setup.point.declare_part(units, sees_new),
                        declare_next(units, setup.fleet)});
      sees_new_ = sees_new_ || !waits.empty();
    }
  }

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] bool sees_new_values() const override { return sees_new_; }
  [[nodiscard]] bool takes_past_alone() const override { return true; }

 private:
  unit::StepOutcome take(fleet::Fleet& fleet, RunState& state, const Interval& interval) override {
    unit::StepRequest request{interval.t, interval.h, interval.may_roll_back, interval.stop_at_event};
    unit::StepOutcome outcome{interval.end, unit::Why::completed};
    for (const auto& wave : waves_) {
      point().give(state, wave.part);
      request.may_discard = interval.units_may_discard && wave.may_discard;
      fleet.submit(wave.wave, fleet::Verb::step, request, state.signals);
      if (!fleet.wait()) [[unlikely]] {
        couple::hear(fleet, state, request, outcome);
        if (outcome.why == unit::Why::discarded) break;
      }
    }
    return outcome;
  }

  struct Wave {
    fleet::WaveId wave;
    std::uint32_t part = 0;    // of the communication point
    bool may_discard = false;  // see Stepper::may_discard()
  };
  std::string_view name_;
  std::vector<Wave> waves_;
  bool sees_new_ = false;  // a unit uses values computed in the same step
};

std::vector<UnitId> chosen_order(const graph::Plan& plan, const std::vector<std::string>& names) {
  if (names.empty()) return plan.order;
  std::vector<UnitId> order;
  for (const auto& name : names) {
    const UnitId u = plan.require_unit(name);
    require(std::find(order.begin(), order.end(), u) == order.end(), "unit '{}' appears twice in the order; remove one",
            name);
    order.push_back(u);
  }
  for (const auto u : plan.order)
    if (std::find(order.begin(), order.end(), u) == order.end()) order.push_back(u);
  return order;
}

}  // namespace

std::unique_ptr<Stepper> make_jacobi(const StepperSetup& setup) {
  return std::make_unique<WaveStepper>("jacobi", setup, Schedule::parallel(setup.plan));
}

std::unique_ptr<Stepper> make_gauss_seidel(const StepperSetup& setup) {
  return std::make_unique<WaveStepper>("gauss-seidel", setup,
                                       Schedule::serial(setup.plan, chosen_order(setup.plan, setup.settings.order)));
}

std::unique_ptr<Stepper> make_scheduled(const StepperSetup& setup) {
  require(!setup.settings.schedule.empty(),
          "the stepper 'scheduled' needs a schedule; define it under 'run' in the system file");
  const graph::ScheduleEntry root{graph::ScheduleEntry::Kind::serial, {}, setup.settings.schedule};
  return std::make_unique<WaveStepper>("scheduled", setup, Schedule::given(setup.plan, root));
}

}  // namespace consort::step
