// Capabilities of a unit, independent of its host: flat data, fixed when the unit is made.
#pragma once

#include <cstdint>
#include <string>

#include "unit/unit.hpp"

namespace consort::fleet {

enum class RollbackKind : std::uint8_t {
  none,
  state,    // the unit saves its state
  process,  // the process of the unit is copied
};

struct UnitTraits {
  std::string name;
  int input_order = 0;   // highest derivative of continuous inputs that it accepts
  int output_order = 0;  // highest derivative of outputs that it provides
  bool variable_step = true;
  bool responds_without_step = false;  // outputs follow new inputs without a step
  RollbackKind rollback = RollbackKind::none;
  std::string why_no_rollback;    // see unit::Unit; may be empty
  bool serialises = false;        // a saved state can be serialised
  bool exact_restart = false;     // a restored unit repeats its results bit for bit, as far as Consort can know
  bool states_only = false;       // rollback sets back only time, continuous states and inputs
  bool event_verbs = false;       // the caller can enter event mode, update and leave it
  bool event_mode = false;        // discrete inputs are set only in event mode (FMI 3.0, 4.2.1.3)
  bool inner_events = false;      // handles events inside its steps, and announces its time events
  bool takes_states = false;      // continuous states can be set, see unit::Unit
  bool derivatives = false;       // of outputs with respect to inputs, at a communication point
  bool step_derivatives = false;  // of outputs at the end of the last step

  [[nodiscard]] bool can_roll_back() const { return rollback != RollbackKind::none; }
  // For messages about units without rollback: ", and …" with the reason why it is not enough to set back their states.
  [[nodiscard]] std::string rollback_obstacle() const;
  // True if the unit may set Signals::next_event.
  [[nodiscard]] bool announces_events() const { return event_mode || inner_events; }

  template <class Archive>
  void fields(Archive& archive) {
    archive(name, input_order, output_order, variable_step, responds_without_step, rollback, why_no_rollback,
            serialises, exact_restart, states_only, event_verbs, event_mode, inner_events, takes_states, derivatives,
            step_derivatives);
  }
};

[[nodiscard]] UnitTraits traits_of(unit::Unit& unit);

}  // namespace consort::fleet
