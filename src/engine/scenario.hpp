// Values that a scenario puts in place of connections: set, hold, ramp, release, each at its time.
#pragma once

#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "couple/gather.hpp"
#include "couple/run_state.hpp"
#include "graph/plan.hpp"
#include "graph/run_settings.hpp"

namespace consort::engine {

class Scenario {
 public:
  Scenario() = default;
  // The plan must have been compiled with targets(). Throws Error (input): values that cannot be read, ramps of what is
  // not a Float64.
  Scenario(const graph::Plan& plan, const std::vector<graph::ScenarioAction>& actions);

  // The inputs that actions are about, for graph::CompileOptions.
  [[nodiscard]] static std::vector<std::string> targets(const std::vector<graph::ScenarioAction>& actions);

  [[nodiscard]] bool empty() const { return actions_.empty(); }
  // The first time after t at which something begins or a ramp ends.
  [[nodiscard]] std::optional<Time> next_after(Time t) const;
  // Starts what is due at t, or nearer to it than `near`; once, before any step from there is tried. What is held, and
  // where ramps begin, is what the outputs of others say at t. Whether something was due.
  bool begin_due(Time t, Duration near, couple::RunState& state);
  // For a step from t to `end`, any number of times.
  void prepare(Time t, Time end);
  // Puts the values for the step in place; after routing. Cheap when nothing is active.
  void apply(couple::RunState& state) const;
  // The same with the values at t, for outputs that follow inputs without a step.
  void apply_at(Time t, couple::RunState& state) const;

  // Whether an element of the inputs' Float64 column is not what is connected to it.
  [[nodiscard]] bool overrides(std::uint32_t input) const;

  // What is active, for checkpoints of the same scenario. Throws Error (input) for bytes of another.
  void write(ByteWriter& writer) const;
  void read(ByteReader& reader);

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
    Value released;  // what it goes back to when nothing drives it
    bool driven = false;
    bool moves = false;       // continuously, so that a ramp may have a slope within a step
    couple::Gather routes{};  // into its unit
  };
  struct Active {
    bool on = false;
    Value value;  // over the step
    bool ramp = false;
    std::vector<double> from{}, to{};  // one per element
    Time since = 0;
    Duration duration = 0;
    // Where a ramp is at t, for one of its elements.
    [[nodiscard]] double at(Time t, std::size_t element) const;
  };
  void begin(const Action& action, Time t, couple::RunState& state);
  static void put(const Target& target, const Value& value, couple::RunState& state);
  void put_ramp(const Target& target, const Active& active, couple::RunState& state) const;

  std::vector<Action> actions_;  // by time, then as given
  std::vector<Target> targets_;
  std::vector<Active> active_;  // by target
  std::size_t next_ = 0;
  Time step_begin_ = 0, step_end_ = 0;
};

}  // namespace consort::engine
