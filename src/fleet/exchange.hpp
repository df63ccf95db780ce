// Carries out a communication step for one unit: sets inputs, steps, reads outputs, and handles events, early returns
// and discarded steps.
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
  // The unit and the signal sets of the blocks must outlive this object.
  Exchange(unit::Unit& unit, UnitId id, const Blocks& blocks, int output_order = 0);

  [[nodiscard]] unit::Unit& unit() const { return unit_; }
  [[nodiscard]] UnitId id() const { return id_; }
  [[nodiscard]] const describe::SignalSet& outputs() const { return *blocks_.outputs; }

  // See HostedUnits::expect_discards().
  void expect_discards();

  // See Fleet::parts().
  [[nodiscard]] std::span<const Columns> parts() const { return parts_; }

  // Takes inputs from the block of the unit, runs its sub-steps and writes outputs to its block. If the unit returns
  // early, discards a step or has events, it is served until the whole step is done. Returns true if there is nothing
  // to report. Otherwise `reply` is filled; its outcome is completed, terminate (the unit requests to end the run),
  // event (the request has stop_at_event) or discarded (the request has may_discard; the unit is then undefined).
  // Inputs without derivatives are held. If inputs have derivatives, the unit gets as many as it accepts; the remaining
  // terms are replaced by the constant with the same mean over the requested step.
  //
  // FMI 2.0, 4.2.4: after a discarded step, the unit can only continue from a restored state. Saving the state before
  // every step is too expensive, since few units discard steps. Therefore the state is saved only after the first
  // discarded step. That first time, and if the state cannot be saved, the step is retried without a restore and
  // counted as repeated_as_is. If the request has may_discard, the caller saves and restores states, and repeats the
  // step.
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
  // The parts of step() for simple units that have only Float64 signals: for the loop over many units, which holds
  // pointers to the columns. If exchange_reals() returns false, call finish_reals() next.
  [[nodiscard]] bool is_direct() const { return direct_ != nullptr; }
  bool exchange_reals(const StepRequest& request, const double* inputs, double* outputs) {
    return direct_->exchange(reals_, inputs + first_real_input_, outputs + first_real_output_, request.t, request.h,
                             request.may_roll_back);
  }
  bool finish_reals(const StepRequest& request, Signals& signals, Reply& reply);

  void give(Signals& signals);  // sets the inputs
  void evaluate(Signals& signals) {
    give(signals);
    read(signals);
  }
  // Reads outputs and, after begin_run(), the requested output derivatives.
  void read(Signals& signals) {
    read_outputs(signals);
    if (tells_derivatives_) read_derivatives(signals);
  }
  // The unit has left initialization: output derivatives are read from now on. A step has the same effect.
  void begin_run() { tells_derivatives_ = !output_references_.empty(); }
  // In event mode: sets inputs, runs one update, reads outputs. Returns true if there is nothing to report. Does not
  // read output derivatives: the caller reads them after it ends event mode.
  bool update(Signals& signals, Reply& reply);

  // State that is saved with the state of the unit: the last discrete inputs (if only changes are passed to the unit),
  // and the number of steps without progress.
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
  // One element of a continuous input.
  struct Element {
    std::uint32_t place = 0;   // index in the block
    std::uint32_t scalar = 0;  // its index among the elements that accept derivatives
    int takes = 0;             // number of derivatives it accepts, up to accepted_
    double sign = 1;           // sign of the derivatives: -1 for negated aliases of FMI 1.0
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
  // True if the outcome ends the step and the caller handles the event.
  [[nodiscard]] bool stops(const StepOutcome& outcome, const StepRequest& request) const {
    return outcome.why == Why::event && request.stop_at_event && unit_.events() != nullptr;
  }
  bool tell(const StepOutcome& outcome, Signals& signals, Reply& reply);
  bool set_inputs(Duration since_start, Duration h, const StepRequest& request, Signals& signals);
  void set_continuous(Duration since_start, Duration h, Signals& signals);
  bool pass_derivatives(Signals& signals);
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

  // Data of the step loop, kept together. For simple units with only Float64 signals: the instance behind the unit.
  fmi::CoSimulation* direct_ = nullptr;
  fmi::RealPorts reals_;
  std::uint32_t first_real_input_ = 0;
  std::uint32_t first_real_output_ = 0;

  unit::Unit& unit_;
  UnitId id_;
  Blocks blocks_;
  unit::Events* events_ = nullptr;  // if discrete inputs are set in event mode; else null
  bool simple_ = false;             // no sub-steps, event mode or output derivatives; no step discarded yet
  bool has_inputs_ = false;
  bool has_inner_events_ = false;
  bool tells_derivatives_ = false;
  Reply told_;                      // of the current step
  Time next_event_before_ = never;  // at the beginning of the step
  int without_progress_ = 0;
  unit::Rollback* states_ = nullptr;  // of a unit that discards steps and has rollback; else null
  std::unique_ptr<unit::Snapshot> before_;
  bool cannot_save_ = false;  // although the unit claims that it can
  // For a unit with event mode and non-continuous inputs: these inputs with their last values, and the continuous ones.
  struct Chosen {
    std::vector<std::uint32_t> places;  // index in the choice of all inputs
    describe::SignalSet set;
    Columns values;
    void copy(const Blocks& blocks, const Columns& inputs);
  };
  Chosen discrete_, continuous_;
  std::vector<Columns> parts_;
  Columns discrete_before_;
  // The continuous inputs, and the lists that are passed to the unit.
  std::vector<Element> elements_;
  std::size_t scalars_ = 0;  // number of elements that accept derivatives
  int accepted_ = 0;         // highest order of input derivatives that the unit has not refused
  std::vector<ValueReference> references_;
  std::vector<std::int32_t> orders_;
  std::vector<double> values_;
  std::vector<double> base_;  // values of the block at the beginning of the step
  // Requested output derivatives: one reference, order, index in the signals and sign per value.
  std::vector<ValueReference> output_references_;
  std::vector<std::int32_t> output_orders_;
  std::vector<double> output_values_;
  std::vector<std::uint32_t> output_places_;
  std::vector<double> output_signs_;
};

}  // namespace consort::fleet
