// One unit's part of a communication step: inputs in, the step, outputs out, and whatever comes up on the way.
#pragma once

#include <vector>

#include "unit/fleet.hpp"

namespace consort::unit {

class Exchange {
 public:
  // The unit and the sets of the ports must outlive it.
  Exchange(Unit& unit, UnitId id, const Ports& ports);

  [[nodiscard]] Unit& unit() const { return unit_; }
  [[nodiscard]] const ExchangeCounts& counts() const { return counts_; }

  // Takes inputs from the unit's block, steps in the unit's sub-steps and puts outputs into its block. A unit that
  // returns early, discards or has events is served until the whole step is done, inputs held: what comes back is
  // completed, or terminate where it wants the run to end.
  StepOutcome step(const StepRequest& request, Signals& signals) {
    if (simple_ && signals.order == 0) [[likely]] {
      if (has_inputs_) unit_.set_part(*ports_.inputs, signals.inputs, ports_.first_input);
      const StepOutcome outcome = unit_.step(request);
      if (outcome.completed()) [[likely]] {
        unit_.get_part(*ports_.outputs, signals.outputs, ports_.first_output);
        return outcome;
      }
      return finish(outcome, request, signals);
    }
    return step_in_parts(request, signals);
  }
  void evaluate(Signals& signals);
  void read(Signals& signals) { unit_.get_part(*ports_.outputs, signals.outputs, ports_.first_output); }

 private:
  StepOutcome step_in_parts(const StepRequest& request, Signals& signals);
  StepOutcome finish(StepOutcome outcome, const StepRequest& request, Signals& signals);
  StepOutcome reach(Time from, Time end, const StepRequest& request, Signals& signals);
  StepOutcome discarded(Time t, Time end, const StepRequest& request);
  void set_inputs(Time since_start, Duration h, Signals& signals);
  bool handle_events(Time t, Signals& signals);

  Unit& unit_;
  UnitId id_;
  Ports ports_;
  bool simple_ = false;  // no sub-steps, no event mode
  bool has_inputs_ = false;
  int input_order_ = 0;
  ExchangeCounts counts_;
  int without_progress_ = 0;
  // The continuous inputs: their elements in the block, and the lists that the unit is given.
  std::vector<std::uint32_t> elements_;
  std::vector<ValueReference> references_;
  std::vector<std::int32_t> orders_;
  std::vector<double> values_;
  std::vector<double> base_;  // the block at the beginning of the step
};

}  // namespace consort::unit
