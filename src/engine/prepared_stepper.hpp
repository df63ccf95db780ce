// A stepper with all that belongs to a step beside it: what is known of inputs beforehand is found for the interval
// that is tried, and afterwards outputs are made consistent and polynomials forget what jumped. So controllers may try
// any interval, as often as they like.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "couple/consistency.hpp"
#include "couple/power_bonds.hpp"
#include "engine/external_inputs.hpp"
#include "engine/scenario.hpp"
#include "step/stepper.hpp"
#include "unit/timeline.hpp"

namespace consort::engine {

class PreparedStepper final : public step::Stepper {
 public:
  struct Parts {
    step::Stepper& stepper;
    Scenario& scenario;
    ExternalInputs& inputs;
    couple::Consistency* consistency = nullptr;  // null: outputs are taken as they are
    const couple::PowerBonds* bonds = nullptr;   // null: none
    bool polynomials = false;                    // inputs follow them
    Duration slack = 0;                          // times that are nearer are the same
    unit::Timeline* timeline = nullptr;
  };
  // All parts must outlive it.
  explicit PreparedStepper(const Parts& parts);

  [[nodiscard]] std::string_view name() const override { return p_.stepper.name(); }
  [[nodiscard]] std::vector<std::string> notes() const override { return p_.stepper.notes(); }
  [[nodiscard]] bool sees_new_values() const override { return p_.stepper.sees_new_values(); }
  [[nodiscard]] bool interpolates() const override { return p_.stepper.interpolates(); }
  [[nodiscard]] bool takes_past_alone() const override { return p_.stepper.takes_past_alone(); }
  [[nodiscard]] std::vector<step::IteratedPart> iterated() const override { return p_.stepper.iterated(); }
  void prepare(couple::RunState& state) const override { p_.stepper.prepare(state); }
  unit::StepOutcome step(unit::Fleet& fleet, couple::RunState& state, const step::Interval& interval) override;

  // The next time after t at which a table jumps or a scenario does something.
  [[nodiscard]] Time next_event(Time t) const;
  // Whatever events units have had so far, they are over: after a checkpoint was loaded.
  void see_events(const unit::Fleet& fleet) { events_seen_ = events_of(fleet); }
  // Where the last step began.
  [[nodiscard]] Time begin() const { return begin_; }

 private:
  unit::StepOutcome try_step(unit::Fleet& fleet, couple::RunState& state, const step::Interval& interval);
  static std::uint64_t events_of(const unit::Fleet& fleet);
  void forget_past_of_events(unit::Fleet& fleet, couple::RunState& state, Time event);

  Parts p_;
  std::function<bool(std::uint32_t)> is_overridden_;  // input elements that a scenario decides on; null: none
  unit::Timeline::Activity agreeing_;
  std::uint64_t events_seen_ = 0;
  Time begin_ = 0;
};

}  // namespace consort::engine
