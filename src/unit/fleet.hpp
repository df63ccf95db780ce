// The units of a run, wherever they are: in this thread, in a pool, in other processes.
//
// Values change hands in Signals, which belong to whoever runs the fleet. A call of submit() sends units off; until
// wait() has returned, their blocks of the signals are theirs. Results do not depend on where units run.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/time.hpp"
#include "base/value.hpp"
#include "describe/signals.hpp"
#include "unit/unit.hpp"

namespace consort::unit {

class Timeline;

using UnitId = std::uint32_t;

inline constexpr Time never = std::numeric_limits<Time>::infinity();

// Everything that units are given and answer, one contiguous column per type: a part of the run state, which is copied
// and restored as a whole.
struct Signals {
  Columns inputs;
  Columns outputs;
  // Derivatives 1 … order of the inputs' Float64 column at the beginning of the step: order after order, each as long
  // as the column.
  std::vector<double> derivatives;
  int order = 0;
  std::vector<Time> next_event;  // per unit, as it announced it
};

// A unit's blocks of the signals.
struct Ports {
  const describe::SignalSet* inputs = nullptr;
  const describe::SignalSet* outputs = nullptr;
  describe::Offsets first_input{};
  describe::Offsets first_output{};
  std::uint32_t substeps = 1;  // equal steps of its own per communication step
  bool keep_parts = false;     // what it answers after each of them, for Fleet::parts()
};

enum class Verb : std::uint8_t {
  step,      // takes inputs, steps, answers outputs
  evaluate,  // takes inputs, answers outputs; for units that answer without a step
  read,      // answers outputs
};

// What happened beside whole steps, per unit.
struct ExchangeCounts {
  std::uint64_t early_returns = 0;
  std::uint64_t discarded = 0;
  std::uint64_t repeated_as_is = 0;  // of these, tried again without going back to where the step began
  std::uint64_t events = 0;
};

struct FleetSnapshot {
  std::vector<std::unique_ptr<Snapshot>> units;  // null for units that were not saved
  std::vector<Columns> given;  // discrete inputs that they were given last, where units with event mode have some
};

class Fleet {
 public:
  virtual ~Fleet() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;
  // For everything off the step path; only while nothing is submitted.
  [[nodiscard]] virtual Unit& unit(UnitId id) = 0;

  // Sends units off, each of them at most once until wait() is called. The request, the signals and the list must stay
  // in place until wait() returns. Throws nothing that a unit did.
  virtual void submit(std::span<const UnitId> units, Verb verb, const StepRequest& request, Signals& signals) = 0;
  // Waits for all that were submitted. True when each completed its step; otherwise outcomes() tells. When units
  // failed, the Error of the first of them (in the order of ids) is thrown, after all have stopped.
  virtual bool wait() = 0;
  // Both at once, for what takes no time: read and evaluate.
  void ask(std::span<const UnitId> units, Verb verb, Time t, Signals& signals) {
    const StepRequest now{t, 0, false};
    submit(units, verb, now, signals);
    wait();
  }
  // Of the last step, by id.
  [[nodiscard]] virtual std::span<const StepOutcome> outcomes() const = 0;

  // Into `snapshot`, reusing what it holds. Units that cannot be saved must not be named.
  virtual void save(std::span<const UnitId> units, FleetSnapshot& snapshot) = 0;
  virtual void restore(const FleetSnapshot& snapshot) = 0;

  // The outputs of a unit after each sub-step of the last step but its last one, in the layout of its ports' outputs;
  // nothing for units whose ports do not ask to keep them.
  [[nodiscard]] virtual std::span<const Columns> parts(UnitId id) const = 0;

  [[nodiscard]] virtual ExchangeCounts counts(UnitId id) const = 0;
  // The unit was put where a run of before had come to, with these counts: they go on, and a unit that has discarded
  // steps is known to do so.
  virtual void go_on_from(UnitId id, const ExchangeCounts& counts) = 0;
  // Seconds that the unit took per step on average, from steps sampled now and then; 0 before the first sample.
  [[nodiscard]] virtual double cost(UnitId id) const = 0;

  // Whether units have run in several threads at the same time so far.
  [[nodiscard]] virtual bool has_shared() const { return false; }

  // From now on every call of a unit goes into this timeline, which must outlive the fleet or be replaced, and have a
  // track for every thread; null: none. Only while nothing is submitted.
  virtual void trace(Timeline* timeline) = 0;
};

}  // namespace consort::unit
