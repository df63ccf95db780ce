// One unit's part of a communication step: inputs in, the step, outputs out, and whatever comes up on the way.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fleet/request.hpp"
#include "fleet/signals.hpp"
#include "fmi/instance.hpp"
#include "unit/unit.hpp"

namespace consort::fleet {

class Exchange {
 public:
  // The unit and the sets of the blocks must outlive it.
  Exchange(unit::Unit& unit, UnitId id, const Blocks& blocks, int output_order = 0);

  [[nodiscard]] unit::Unit& unit() const { return unit_; }
  [[nodiscard]] UnitId id() const { return id_; }

  // See HostedUnits::expect_discards().
  void expect_discards();

  // See Fleet::parts().
  [[nodiscard]] std::span<const Columns> parts() const { return parts_; }

  // Takes inputs from the unit's block, steps in the unit's sub-steps and puts outputs into its block. A unit that
  // returns early, discards or has events is served until the whole step is done. True when there is nothing to tell;
  // otherwise `reply` is filled: its outcome is completed, terminate where the unit wants the run to end, or event
  // where the request is to stop at one. Inputs are held where they have no derivatives; where they do, the unit is
  // given as many of them as it takes, and for the rest the constant that has the same mean over what it is asked to
  // step.
  //
  // FMI 2.0, 4.2.4: after a discarded step a unit is in a state of its own that only its old state leads out of. Saving
  // that before every step costs too much for what hardly any unit does, so it is saved from the first time on that the
  // unit discards. That first time, and where a state cannot be saved, the unit is asked again as it is and it is
  // counted.
  bool step(const StepRequest& request, Signals& signals, Reply& reply) {
    if (direct_ != nullptr && signals.highest == 0) {
      return exchange_reals(request, signals.inputs.column<double>().data(), signals.outputs.column<double>().data()) ||
             finish_reals(request, signals, reply);
    }
    if (simple_ && signals.highest == 0) {
      if (has_inputs_) unit_.set_part(*blocks_.inputs, signals.inputs, blocks_.first_input);
      const StepOutcome outcome = unit_.step(request);
      if (outcome.completed() && !has_inner_events_) [[likely]] {
        read(signals);
        return true;
      }
      return finish(outcome, request, signals, reply);
    }
    return step_in_parts(request, signals, reply);
  }
  // The parts of step() for units whose signals are Float64 alone and that do nothing unusual: for the loop over many
  // units, which has the columns at hand. Where it was not a whole step, finish_reals() is called next.
  [[nodiscard]] bool is_direct() const { return direct_ != nullptr; }
  bool exchange_reals(const StepRequest& request, const double* inputs, double* outputs) {
    return direct_->exchange(reals_, inputs + first_real_input_, outputs + first_real_output_, request.t, request.h,
                             request.may_roll_back);
  }
  bool finish_reals(const StepRequest& request, Signals& signals, Reply& reply);

  void give(Signals& signals);  // inputs
  void evaluate(Signals& signals) {
    give(signals);
    read(signals);
  }
  // Outputs, and of a unit that runs the derivatives that are wanted.
  void read(Signals& signals) {
    read_outputs(signals);
    if (tells_derivatives_) read_derivatives(signals);
  }
  // The unit has left its initialization: from now on it tells derivatives. A step says so, too.
  void begin_run() { tells_derivatives_ = !output_references_.empty(); }
  // In event mode: inputs, one update, outputs. True when there is nothing to tell. Derivatives of outputs stay what
  // they were: whoever ends event mode reads them.
  bool update(Signals& signals, Reply& reply);

  // What goes with the unit's own state: the discrete inputs that it was given last, if it is told of changes alone,
  // and how often it returned from steps without getting any further.
  struct Memory {
    Columns given{};
    int without_progress = 0;

    template <class Archive>
    void fields(Archive& archive) {
      archive(given, without_progress);
    }
  };
  [[nodiscard]] bool has_memory() const { return !simple_ || !discrete_.places.empty(); }
  void save(Memory& to) const {
    if (!discrete_.places.empty()) to.given = discrete_before_;
    to.without_progress = without_progress_;
  }
  void restore(const Memory& from) {
    if (!discrete_.places.empty()) discrete_before_ = from.given;
    without_progress_ = from.without_progress;
  }

 private:
  // An element of a continuous input.
  struct Element {
    std::uint32_t place = 0;   // in the block
    std::uint32_t scalar = 0;  // its place among those that take derivatives
    int takes = 0;             // derivatives
    double sign = 1;           // that they have for the unit: -1 for the negated aliases of FMI 1.0
  };

  void begin(const Signals& signals);
  bool step_in_parts(const StepRequest& request, Signals& signals, Reply& reply);
  bool finish(StepOutcome outcome, const StepRequest& request, Signals& signals, Reply& reply);
  StepOutcome reach(Time from, Time end, const StepRequest& request, Signals& signals);
  StepOutcome step_once(Time t, Time goal, const StepRequest& request, Signals& signals);
  StepOutcome step_unit(const StepRequest& request);
  void save_before();
  StepOutcome retry(StepOutcome outcome, Time t, Time goal, const StepRequest& request, Signals& signals);
  void check(const StepOutcome& outcome, Time t, Time goal) const;
  void note_progress(Time from, Time to);
  void note_inner_events();
  // Whether a step ends with this, and its event is left to who asked for the step.
  [[nodiscard]] bool stops(const StepOutcome& outcome, const StepRequest& request) const {
    return outcome.why == Why::event && request.stop_at_event && unit_.events() != nullptr;
  }
  bool tell(const StepOutcome& outcome, Signals& signals, Reply& reply);
  bool set_inputs(Duration since_start, Duration h, const StepRequest& request, Signals& signals);
  void approximate(Duration since_start, Duration h, Signals& signals);
  bool handle_events(Time t, const StepRequest& request, Signals& signals);
  void find_continuous_inputs();
  void find_discrete_inputs();
  void find_output_derivatives(int order);
  void read_outputs(Signals& signals) {
    unit_.get_part(*blocks_.outputs, signals.outputs, blocks_.first_output);
    if (has_inner_events_) signals.next_event[id_] = unit_.next_event();
  }
  void read_derivatives(Signals& signals);
  bool take_discrete_inputs(const Signals& signals);
  void find_short_cut();
  [[nodiscard]] bool has_event_mode() const { return events_ != nullptr; }

  // What the step loop needs, together: of simple units with Float64 alone, the instance behind.
  fmi::CoSimulation* direct_ = nullptr;
  fmi::RealPorts reals_;
  std::uint32_t first_real_input_ = 0;
  std::uint32_t first_real_output_ = 0;

  unit::Unit& unit_;
  UnitId id_;
  Blocks blocks_;
  unit::Events* events_ = nullptr;  // of units that are given discrete inputs in event mode
  bool simple_ = false;             // no sub-steps, no event mode, no derivatives of outputs, never discarded a step
  bool has_inputs_ = false;
  bool has_inner_events_ = false;
  bool tells_derivatives_ = false;
  Reply told_;                      // of the present step
  Time next_event_before_ = never;  // when it began
  int without_progress_ = 0;
  unit::Rollback* states_ = nullptr;  // of a unit that discards steps and can go back
  std::unique_ptr<unit::Snapshot> before_;
  bool cannot_save_ = false;  // although it says so
  // Of a unit with event mode that has others than continuous inputs: these, as it was given them last, and the rest.
  struct Chosen {
    std::vector<std::uint32_t> places;  // in the choice of all inputs
    describe::SignalSet set;
    Columns values;
    void copy(const Blocks& blocks, const Columns& inputs);
  };
  Chosen discrete_, continuous_;
  std::vector<Columns> parts_;
  Columns discrete_before_;
  // The continuous inputs, and the lists that the unit is given.
  std::vector<Element> elements_;
  std::size_t scalars_ = 0;  // that take derivatives
  std::vector<ValueReference> references_;
  std::vector<std::int32_t> orders_;
  std::vector<double> values_;
  std::vector<double> base_;  // the block at the beginning of the step
  // Derivatives of outputs that are wanted: one reference and order per value, where it goes in the signals, and the
  // sign that it has there.
  std::vector<ValueReference> output_references_;
  std::vector<std::int32_t> output_orders_;
  std::vector<double> output_values_;
  std::vector<std::uint32_t> output_places_;
  std::vector<double> output_signs_;
};

}  // namespace consort::fleet
