// Event iteration of a system, repeated until events settle, in superdense time (t, n): methods.md §5.
//
// Units that have to handle an event enter event mode. A round updates each of them once, all in parallel, and brings
// inputs up to date. Units that ask for another update and units whose discrete inputs changed take part in the next
// round. When no unit is left, all leave event mode. Every round is (t, n + 1). Single instances settle with
// unit::settle.
//
// All inputs that are not continuous are discrete. Units without event verbs get theirs in their next step. A
// continuous input that jumps while events settle counts as a change of units that find events in continuous inputs
// themselves (Model Exchange).
//
// Events of the system (system_events.hpp) are looked for at the beginning and in every round, after inputs were
// brought up to date; so they can make others happen, and happen again. Units whose inputs or states they set take part
// in the same round.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "couple/point.hpp"
#include "couple/run_state.hpp"
#include "couple/system_events.hpp"
#include "fleet/fleet.hpp"
#include "graph/plan.hpp"

namespace consort::couple {

// Is told about events: for a log. Calls are in the order of events.
class EventListener {
 public:
  virtual ~EventListener() = default;
  enum class Cause : std::uint8_t {
    state,   // the unit stopped at an event of its own
    time,    // an announced event
    input,   // an input changed
    system,  // an event of the system set an input or a state
  };
  // The unit enters event mode at (state.t, state.n).
  virtual void enters(graph::UnitId unit, Cause cause, const RunState& state) = 0;
  // Events of the system fired; see SystemEvents::last(). Inputs and states do not have the new values yet.
  virtual void fired(const SystemEvents& events, const RunState& state) = 0;
  // The events at this time have settled.
  virtual void settled(const RunState& state) = 0;
};

class EventIteration {
 public:
  static constexpr std::uint64_t most_rounds = 1000;  // at one time

  // All arguments must outlive this object. `jump`: a relative change of a continuous input below it is no jump.
  EventIteration(const graph::Plan& plan, const fleet::Fleet& fleet, Point& point, SystemEvents* system = nullptr,
                 double jump = 1e-6);
  EventIteration(const EventIteration&) = delete;
  EventIteration& operator=(const EventIteration&) = delete;

  // Settles the events at state.t. Updates the units in `causes` (stopped at an event), units with an announced event
  // that is due, and units whose discrete inputs changed. Does not allocate. Returns `terminate` if a unit asked to end
  // the run; the request is in state.stop and the unit stays in event mode. Throws Error (run) after most_rounds rounds
  // at one time; the message names the units and inputs that do not settle.
  unit::StepOutcome run(fleet::Fleet& fleet, RunState& state, std::span<const graph::UnitId> causes);

  // Of the system; null if there are none.
  [[nodiscard]] SystemEvents* system() const { return system_; }
  // Looks for connected discrete outputs of units without event verbs that changed in the last step: nobody knows when.
  // Once per accepted step. silent_changes() is a line for the report; empty if there were none.
  void look_for_silent_changes(const RunState& state);
  [[nodiscard]] std::string silent_changes() const;
  // Null: nobody.
  void tell(EventListener* listener) { listener_ = listener; }

 private:
  // An element of a discrete input; its unit has event verbs.
  struct Watched {
    graph::UnitId unit = 0;
    std::uint32_t place = 0;    // of the variable, in the unit's inputs
    std::uint32_t element = 0;  // of the variable
    Type type = Type::Float64;
    std::uint32_t input = 0;  // in the column of its type
    std::uint32_t kept = 0;
  };
  // Units in insertion order, without duplicates.
  class UnitList {
   public:
    explicit UnitList(std::size_t units) : has_(units, 0) { units_.reserve(units); }
    void add(graph::UnitId u) {
      if (std::exchange(has_[u], std::uint8_t{1}) == 0) units_.push_back(u);
    }
    void clear() {
      for (const auto u : units_) has_[u] = 0;
      units_.clear();
    }
    [[nodiscard]] bool has(graph::UnitId u) const { return has_[u] != 0; }
    [[nodiscard]] bool empty() const { return units_.empty(); }
    [[nodiscard]] std::span<const graph::UnitId> all() const { return units_; }

   private:
    std::vector<graph::UnitId> units_;
    std::vector<std::uint8_t> has_;  // by unit
  };

  struct Continuous {  // an input of a unit that finds events in it
    graph::UnitId unit = 0;
    std::uint32_t input = 0;
  };

  struct Silent {  // an output of a unit without event verbs
    graph::UnitId unit = 0;
    std::uint32_t place = 0;  // of the variable, in the unit's outputs
    Type type = Type::Int32;
    std::uint32_t output = 0;  // in the column of its type
    std::uint32_t kept = 0;
  };

  void watch(graph::UnitId u, bool finds_events);
  void watch_outputs();
  // Fires events of the system. Returns true if something happened.
  bool fire(fleet::Fleet& fleet, RunState& state);
  void reinitialise(fleet::Fleet& fleet, const SystemEvents::Reinit& reinit);
  [[nodiscard]] bool is_due(const RunState& state) const { return system_ != nullptr && system_->is_due(state); }
  void ask(graph::UnitId u, EventListener::Cause cause);
  unit::StepOutcome settle_all(fleet::Fleet& fleet, RunState& state, std::span<const graph::UnitId> causes);
  void find_causes(const RunState& state, std::span<const graph::UnitId> causes);
  // Brings inputs up to date; adds units whose discrete inputs change to asking_.
  void propagate(RunState& state);
  void settle(fleet::Fleet& fleet, RunState& state);
  void enter(fleet::Fleet& fleet, RunState& state);
  void update(fleet::Fleet& fleet, RunState& state);
  void leave(fleet::Fleet& fleet, RunState& state);
  void keep(const Columns& inputs);
  [[nodiscard]] bool is_changed(const Watched& w, const Columns& inputs) const;
  void remember_continuous(const Columns& inputs);
  [[nodiscard]] bool jumps(std::size_t i, const Columns& inputs) const;  // of continuous_
  [[nodiscard]] Error unsettled(const RunState& state) const;

  const graph::Plan& plan_;
  Point& point_;
  SystemEvents* system_;
  double jump_;
  EventListener* listener_ = nullptr;
  std::vector<EventListener::Cause> cause_;  // by unit in asking_
  std::vector<graph::UnitId> able_;          // units with event verbs
  std::vector<std::uint8_t> is_able_;
  std::vector<Watched> watched_;
  Columns kept_;  // values of watched_ before inputs were brought up to date
  std::vector<Continuous> continuous_;
  std::vector<double> given_;  // by input of continuous_: the value that the unit knows
  bool looks_for_jumps_ = false;
  std::vector<Silent> silent_;
  Columns last_;  // their values
  bool knows_last_ = false;
  Sightings sightings_;  // by index in silent_
  UnitList asking_;      // to be updated in the next round
  UnitList inside_;      // in event mode
  UnitList some_;        // scratch: a part of the units
  UnitList ended_;       // units that asked to end the run
};

}  // namespace consort::couple
