#include "fleet/traits.hpp"

#include <fmt/format.h>

namespace consort::fleet {

std::string UnitTraits::rollback_obstacle() const {
  if (why_no_rollback.empty()) return {};
  return fmt::format(", and setting back its continuous states and inputs is not enough because {}", why_no_rollback);
}

UnitTraits traits_of(unit::Unit& unit) {
  UnitTraits t;
  t.name = unit.name();
  t.input_order = unit.input_order();
  t.output_order = unit.output_order();
  t.variable_step = unit.variable_step();
  t.responds_without_step = unit.responds_without_step();
  if (auto* const states = unit.rollback(); states != nullptr) {
    t.rollback = RollbackKind::state;
    t.serialises = states->can_serialize();
    t.exact_restart = states->is_exact();
    t.states_only = !states->is_complete();
  } else {
    t.why_no_rollback = unit.why_no_rollback();
  }
  t.event_verbs = unit.events() != nullptr;
  t.inner_events = unit.handles_events_inside();
  t.event_mode = t.event_verbs && !t.inner_events;
  t.takes_states = unit.takes_states();
  t.derivatives = unit.derivatives() != nullptr;
  t.step_derivatives = unit.step_derivatives() != nullptr;
  return t;
}

}  // namespace consort::fleet
