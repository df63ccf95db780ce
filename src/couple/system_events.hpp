// Events that the system declares itself (graph::PlannedEvent), in co-simulation: which conditions became true, and the
// values that inputs, tunable parameters and states get. couple::EventIteration fires them in its rounds, and
// step::make_event_controller() finds the time at which a condition becomes true.
//
// An event that sets an input overrides its connection until another one releases it; a pulse lasts for one round, and
// the input is 0 after it. An input without a connection goes back to its start value when it is released. Scenarios
// override events.
//
// All events of one round read the values before the round. If two of them give one target different values, the run
// ends with an error that names them: no order between them would be more than an accident. In a later round, or within
// the same round with the same value, there is no contradiction.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "couple/gather.hpp"
#include "couple/input_source.hpp"
#include "couple/run_state.hpp"
#include "graph/plan.hpp"

namespace consort::couple {

class SystemEvents final : public InputSource {
 public:
  // A state that gets a new value.
  struct Reinit {
    graph::UnitId unit = 0;
    describe::VariableId variable = 0;
    std::uint32_t element = 0;
    double value = 0;
  };
  // What the events of one round did.
  struct Fired {
    std::vector<std::uint32_t> events;   // in the order of declaration
    std::vector<std::uint32_t> targets;  // changed ones, those whose pulse ended included; a target may be here twice
    std::vector<Reinit> reinits;
    void clear() {
      events.clear();
      targets.clear();
      reinits.clear();
    }
    [[nodiscard]] bool empty() const { return events.empty() && targets.empty(); }
  };

  SystemEvents() = default;
  // `step`: the communication step, against which the times between events are small (see fire()). The plan must
  // outlive this object. Throws Error (input) if an event assigns to one target twice, or pulses or reinitialises
  // something of a unit that cannot take it.
  SystemEvents(const graph::Plan& plan, const fleet::Fleet& fleet, Duration step);

  [[nodiscard]] bool empty() const { return plan_ == nullptr || plan_->events.empty(); }
  void prepare(RunState& state) override;
  // Call it once after initialization: conditions that are true now do not fire, and inputs without a connection have
  // the values that they get back when they are released.
  void begin(RunState& state);

  // --- conditions

  // True if the next round has something to do: a condition became true since the last round, or a pulse ends.
  [[nodiscard]] bool is_due(const RunState& state) const;
  // True if a condition became true that depends on continuous values, so that the time can be located.
  [[nodiscard]] bool became_true(const RunState& state) const;
  // True if the last firing of an event is recent, its condition has been true since, and it could become false and
  // true again unseen; at a point where it is still true.
  [[nodiscard]] bool lingers(const RunState& state) const;
  // True if one of these conditions is false now.
  [[nodiscard]] bool has_left(const RunState& state) const;
  // The conditions of lingers() really stay true.
  void stop_watching(RunState& state) const;
  // Indicators of the relations in all conditions. hold() fixes the outcomes that a change of sign refers to.
  [[nodiscard]] std::size_t indicators() const { return relations_; }
  void hold(const RunState& state);
  void indicators(const RunState& state, std::span<double> values) const;

  // Remembers which conditions are no longer true, where no round follows.
  void look(RunState& state) const;

  // --- a round

  // Ends pulses, finds the conditions that became true, evaluates all right sides and assigns values to targets; states
  // are left to the caller. Returns true if something happened; last() says what. Throws Error (run) if two events
  // contradict each other, an expression has no value, or an event accumulates: it happens again and again after times
  // that become shorter and are far below the communication step, or a thousand times in a row after such times.
  bool fire(RunState& state);
  [[nodiscard]] const Fired& last() const { return last_; }
  [[nodiscard]] graph::UnitId unit_of(std::uint32_t target) const { return targets_[target].unit; }
  // Text of the `stop` that was fired; null if none was.
  [[nodiscard]] const std::string* stop(const RunState& state) const;

  // --- names, for messages

  [[nodiscard]] const std::string& name(std::uint32_t event) const { return plan_->events[event].name; }
  // "left.omega"
  [[nodiscard]] std::string target_name(std::uint32_t target) const;
  [[nodiscard]] std::string name_of(const Reinit& reinit) const;
  // What an event of the last round did: "left.omega = 2; ball.J = 3 for one round; pid.limit released; stop".
  [[nodiscard]] std::string deeds(std::uint32_t event) const;
  // The events that happened most often at the present time.
  [[nodiscard]] std::vector<std::string> restless() const;

  // --- as a source of inputs

  void apply(RunState& state) const override;
  void apply_at_point(RunState& state) const override;
  [[nodiscard]] bool overrides_inputs() const override { return !targets_.empty(); }
  [[nodiscard]] bool overrides(std::uint32_t input, const RunState& state) const override;

 private:
  using Action = graph::PlannedEvent::Action;
  struct Target {
    graph::UnitId unit = 0;
    describe::VariableId variable = 0;
    std::uint32_t element = 0;
    Type type = Type::Float64;
    std::uint32_t input = 0;  // element of the plan's inputs
    bool driven = false;
    graph::Formula to{};  // text for messages
  };
  // Memory of an event.
  struct Known {
    std::uint8_t is_true = 0;   // at the last round
    std::uint8_t watched = 0;   // has been true since it fired, see lingers()
    std::uint32_t quick = 0;    // firings in a row that followed the one before quickly …
    std::uint32_t quicker = 0;  // … and after ever shorter times
    Time fired = 0;
    Duration gap = 0;
  };
  struct Override {
    std::uint8_t on = 0;
    std::uint8_t pulse = 0;  // the value lasts for this round only
    double value = 0;
    std::uint64_t released = 0;  // bytes of the value without events, if nothing drives the input
  };
  // A value that an event of this round gives to a target.
  struct Assigned {
    std::uint32_t event = 0;
    const Action* action = nullptr;
    double value = 0;
  };

  void add_target(const Action& action);
  void check(const graph::PlannedEvent& event, const fleet::Fleet& fleet) const;
  [[nodiscard]] std::uint32_t target_of(const Action& action) const;
  [[nodiscard]] std::string name_of(const Action& action) const;
  [[nodiscard]] bool holds(std::size_t event, const RunState& state) const;
  void note_firing(std::uint32_t event, Known& known, Time t) const;
  void evaluate_right_sides(const RunState& state);
  void require_agreement(Time t) const;
  void assign(RunState& state);
  void keep_released(RunState& state) const;
  void put_released(const Target& target, std::uint64_t bytes, Columns& inputs) const;

  const graph::Plan* plan_ = nullptr;
  Duration step_ = 0;
  std::vector<Target> targets_;
  std::vector<const std::string*> stops_;  // texts
  std::size_t relations_ = 0;
  std::vector<std::uint8_t> located_;  // by event: its time can be located
  Slot<Known> known_;                  // by event
  Slot<Override> overrides_;           // by target
  Slot<std::uint32_t> stop_;           // index in stops_, from 1; 0: none
  // Scratch.
  Fired last_;
  Time now_ = 0;                       // of the last round
  std::vector<std::uint32_t> counts_;  // by event: firings at that time
  std::vector<Assigned> assigned_;
  std::vector<double> held_;  // outcomes of relations
};

}  // namespace consort::couple
