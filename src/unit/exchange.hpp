// One unit's part of a communication step: inputs in, the step, outputs out, and whatever comes up on the way.
#pragma once

#include <memory>
#include <vector>

#include "fmi/instance.hpp"
#include "unit/fleet.hpp"

namespace consort::unit {

class Exchange {
 public:
  // The unit and the sets of the ports must outlive it.
  Exchange(Unit& unit, UnitId id, const Ports& ports);

  [[nodiscard]] Unit& unit() const { return unit_; }
  [[nodiscard]] ExchangeCounts counts() const {
    ExchangeCounts all = counts_;
    all.events += unit_.events_inside();
    return all;
  }

  void go_on_from(const ExchangeCounts& counts) {
    counts_ = counts;
    counts_.events -= unit_.events_inside();  // counts() adds them
    if (counts.discarded > 0) expect_discards();
  }

  // See Fleet::parts().
  [[nodiscard]] std::span<const Columns> parts() const { return parts_; }

  // Takes inputs from the unit's block, steps in the unit's sub-steps and puts outputs into its block. A unit that
  // returns early, discards or has events is served until the whole step is done: what comes back is completed, or
  // terminate where it wants the run to end. Inputs are held where they have no derivatives; where they do, the unit is
  // given as many of them as it takes, and for the rest the constant that has the same mean over what it is asked to
  // step.
  //
  // FMI 2.0, 4.2.4: after a discarded step a unit is in a state of its own that only its old state leads out of. Saving
  // that before every step costs too much for what hardly any unit does, so it is saved from the first time on that the
  // unit discards. That first time, and where a state cannot be saved, the unit is asked again as it is and it is
  // counted.
  StepOutcome step(const StepRequest& request, Signals& signals) {
    if (direct_ != nullptr && signals.order == 0) {
      const bool whole =
          exchange_reals(request, signals.inputs.column<double>().data(), signals.outputs.column<double>().data());
      return whole ? StepOutcome{request.t + request.h, Why::completed} : finish_reals(request, signals);
    }
    if (simple_ && signals.order == 0) {
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
  // The parts of step() for units whose signals are Float64 alone and that do nothing unusual: for the loop over many
  // units, which has the columns at hand. Where it was not a whole step, finish_reals() is called next.
  [[nodiscard]] bool is_direct() const { return direct_ != nullptr; }
  bool exchange_reals(const StepRequest& request, const double* inputs, double* outputs) {
    return direct_->exchange(reals_, inputs + first_real_input_, outputs + first_real_output_, request.t, request.h,
                             request.may_roll_back);
  }
  StepOutcome finish_reals(const StepRequest& request, Signals& signals);

  void evaluate(Signals& signals);
  // With the unit's own state: the discrete inputs that it was given last, if it is told of changes alone.
  [[nodiscard]] bool keeps_inputs() const { return !discrete_.places.empty(); }
  void save_inputs(Columns& to) const {
    if (keeps_inputs()) to = discrete_before_;
  }
  void restore_inputs(const Columns& from) {
    if (keeps_inputs()) discrete_before_ = from;
  }
  void read(Signals& signals) { unit_.get_part(*ports_.outputs, signals.outputs, ports_.first_output); }

 private:
  // An element of a continuous input.
  struct Element {
    std::uint32_t place = 0;  // in the block
    std::uint32_t first = 0;  // of its derivatives in values_
    int takes = 0;            // derivatives
  };

  StepOutcome step_in_parts(const StepRequest& request, Signals& signals);
  StepOutcome finish(StepOutcome outcome, const StepRequest& request, Signals& signals);
  StepOutcome reach(Time from, Time end, const StepRequest& request, Signals& signals);
  StepOutcome step_once(Time t, Time goal, const StepRequest& request, Signals& signals);
  StepOutcome retry(StepOutcome outcome, Time t, Time goal, const StepRequest& request, Signals& signals);
  void check(const StepOutcome& outcome, Time t, Time goal) const;
  void note_progress(Time from, Time to);
  bool set_inputs(Duration since_start, Duration h, const StepRequest& request, Signals& signals);
  void approximate(Duration since_start, Duration h, Signals& signals);
  bool handle_events(Time t, const StepRequest& request, Signals& signals);
  void find_discrete_inputs();
  bool take_discrete_inputs(const Signals& signals);

  void find_short_cut();
  void expect_discards();

  // What the step loop needs, together: of simple units with Float64 alone, the instance behind.
  fmi::CoSimulation* direct_ = nullptr;
  fmi::RealPorts reals_;
  std::uint32_t first_real_input_ = 0;
  std::uint32_t first_real_output_ = 0;

  Unit& unit_;
  UnitId id_;
  Ports ports_;
  bool simple_ = false;  // no sub-steps, no event mode, never discarded a step
  bool has_inputs_ = false;
  ExchangeCounts counts_;
  int without_progress_ = 0;
  Rollback* states_ = nullptr;  // of a unit that discards steps and can go back
  std::unique_ptr<Snapshot> before_;
  // Of a unit with event mode that has others than continuous inputs: these, as it was given them last, and the rest.
  struct Chosen {
    std::vector<std::uint32_t> places;  // in the choice of all inputs
    describe::SignalSet set;
    Columns values;
    void copy(const Ports& ports, const Columns& inputs);
  };
  Chosen discrete_, continuous_;
  std::vector<Columns> parts_;
  Columns discrete_before_;
  // The continuous inputs, and the lists that the unit is given.
  std::vector<Element> elements_;
  std::vector<ValueReference> references_;
  std::vector<std::int32_t> orders_;
  std::vector<double> values_;
  std::vector<double> base_;  // the block at the beginning of the step
};

}  // namespace consort::unit
