// Overrides inputs at given times: set, hold, ramp, release.
#pragma once

#include <vector>

#include "base/time.hpp"
#include "couple/gather.hpp"
#include "couple/input_source.hpp"
#include "couple/run_state.hpp"
#include "graph/document.hpp"
#include "graph/plan.hpp"

namespace consort::engine {

class Scenario final : public couple::InputSource {
 public:
  Scenario() = default;
  // The plan must be compiled with targets(). `near`: an action that is nearer to a communication point than this is at
  // the point. Throws Error (input) for values that cannot be read, and for ramps of types other than Float64.
  Scenario(const graph::Plan& plan, const std::vector<graph::ScenarioAction>& actions, Duration near);

  // The inputs of all actions, for graph::CompileOptions.
  [[nodiscard]] static std::vector<std::string> targets(const std::vector<graph::ScenarioAction>& actions);

  [[nodiscard]] bool empty() const { return actions_.empty(); }

  void prepare(couple::RunState& state) override;
  // Holds inputs and begins ramps at the values of the connected outputs at the present point.
  bool begin_due(couple::RunState& state) override;
  void begin_step(const couple::Interval& interval, couple::RunState& state) override;
  // Costs little if no action is active.
  void apply(couple::RunState& state) const override;
  void apply_at_point(couple::RunState& state) const override;
  [[nodiscard]] bool overrides_inputs() const override { return !actions_.empty(); }
  [[nodiscard]] bool overrides(std::uint32_t input, const couple::RunState& state) const override;
  // The next time at which an action begins or a ramp ends.
  [[nodiscard]] Time next_event(const couple::RunState& state) const override;

 private:
  struct Action {
    graph::ScenarioAction::Kind kind = graph::ScenarioAction::Kind::set;
    Time at = 0;
    Duration duration = 0;
    std::uint32_t target = 0;
    Value value;
  };
  struct Target {
    graph::UnitId unit = 0;
    Type type = Type::Float64;
    std::uint32_t first = 0;  // in the inputs' column
    std::uint32_t count = 1;
    bool driven = false;
    bool moves = false;       // continuous, so that a ramp may have a slope within a step
    couple::Gather routes{};  // into its unit
    // Indices into the run state: the value after release if nothing drives the input, the overriding value, and the
    // data of its ramp.
    std::uint32_t released = 0, kept = 0;  // in the column of RunState::kept of its type
    std::uint32_t ramp = 0;                // in from_ and to_
  };
  // The present action on a target.
  struct Active {
    std::uint8_t on = 0;
    std::uint8_t ramp = 0;
    Time since = 0;
    Duration duration = 0;
  };
  void begin(const Action& action, couple::RunState& state) const;
  // The value of a ramp at t, for one element.
  [[nodiscard]] double ramp_at(const Target& target, const Active& active, Time t, std::size_t element,
                               const couple::RunState& state) const;
  static void keep(const Target& target, std::uint32_t place, couple::RunState& state);
  static void put(const Target& target, std::uint32_t place, couple::RunState& state);
  void put_ramp(const Target& target, const Active& active, couple::RunState& state) const;

  std::vector<Action> actions_;  // sorted by time; actions at the same time in the given order
  std::vector<Target> targets_;
  Duration near_ = 0;
  couple::Slot<std::uint64_t> next_;  // index of the next action
  couple::Slot<Active> active_;       // by target
  couple::Slot<double> from_, to_;    // of ramps
  std::uint32_t ramp_elements_ = 0;
  Time step_begin_ = 0, step_end_ = 0;  // scratch of one step
};

}  // namespace consort::engine
