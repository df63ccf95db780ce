// What is known of a unit wherever it runs: flat data, fixed when the unit is made.
#pragma once

#include <cstdint>
#include <string>

#include "unit/unit.hpp"

namespace consort::fleet {

enum class RollbackKind : std::uint8_t {
  none,
  state,    // the unit saves its state
  process,  // its process is copied
};

struct UnitTraits {
  std::string name;
  int input_order = 0;   // the highest derivative of continuous inputs that it takes
  int output_order = 0;  // the highest derivative of outputs that it tells
  bool variable_step = true;
  bool responds_without_step = false;  // outputs follow new inputs without a step
  RollbackKind rollback = RollbackKind::none;
  bool serialises = false;        // a saved state can be written down
  bool exact_restart = false;     // a restored unit repeats what it did bit for bit, as far as Consort can know
  bool event_verbs = false;       // it can be asked to enter event mode, to update and to leave
  bool event_mode = false;        // discrete inputs are given in event mode alone (FMI 3.0, 4.2.1.3)
  bool inner_events = false;      // it has events inside of its steps, and announces those of time
  bool derivatives = false;       // of outputs with respect to inputs, at a communication point
  bool step_derivatives = false;  // of outputs at the end of the last step

  [[nodiscard]] bool can_roll_back() const { return rollback != RollbackKind::none; }
  // Whether Signals::next_event may say something about it.
  [[nodiscard]] bool announces_events() const { return event_mode || inner_events; }

  template <class Archive>
  void fields(Archive& archive) {
    archive(name, input_order, output_order, variable_step, responds_without_step, rollback, serialises, exact_restart,
            event_verbs, event_mode, inner_events, derivatives, step_derivatives);
  }
};

[[nodiscard]] UnitTraits traits_of(unit::Unit& unit);

}  // namespace consort::fleet
