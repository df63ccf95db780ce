// Events that the system of a group declares itself: which conditions became true, and the values to assign.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "couple/gather.hpp"
#include "graph/plan.hpp"
#include "group/wiring.hpp"

namespace consort::group {

class OwnEvents {
 public:
  // An input or tunable parameter that events set. Several actions may have the same target.
  struct Target {
    MemberId member = 0;
    Type type = Type::Float64;
    std::uint32_t input = 0;    // element of the plan's inputs
    std::uint32_t slot = none;  // of u, if it is a connected continuous input
  };
  // Part of the state of a run.
  struct State {
    bool begun = false;
    std::vector<std::uint8_t> conditions;  // by event: true at the last round
    std::vector<std::uint8_t> set;         // by target: it has a value of its own …
    std::vector<double> values;            // … which is this
    std::vector<std::uint8_t> pulses;      // by target: the value lasts for this round only

    template <class Archive>
    void fields(Archive& archive) {
      archive(begun, conditions, set, values, pulses);
    }
  };
  struct Reinit {  // of a state
    MemberId member = 0;
    describe::VariableId variable = 0;
    std::uint32_t element = 0;
    double value = 0;
  };

  OwnEvents(const graph::Plan& plan, const Wiring& wiring);

  [[nodiscard]] bool empty() const { return plan_.events.empty(); }
  [[nodiscard]] std::span<const Target> targets() const { return targets_; }
  [[nodiscard]] const State& state() const { return state_; }
  void restore(const State& state) { state_ = state; }

  // True if the next round has something to do: a condition became true, or a pulse ends.
  [[nodiscard]] bool is_due(const Columns& outputs, Time t) const;
  // Ends pulses, finds the conditions that became true, evaluates all right sides, then assigns: targets in the state
  // of this object, states in `reinits`. The first call only looks at the conditions. Returns true if something
  // happened.
  bool operator()(const Columns& outputs, Time t, std::vector<Reinit>& reinits);
  // Call when an event iteration begins.
  void begin() { counts_.assign(counts_.size(), 0); }
  // Names of the events that happened most often since then, for a message about events that do not settle.
  [[nodiscard]] std::vector<std::string> restless() const;
  // Events of the last call, as indices; and the text of `stop`, if one asked for it.
  [[nodiscard]] std::span<const std::uint32_t> fired() const { return fired_; }
  [[nodiscard]] const std::string* stop() const { return stop_; }
  // Targets that were changed by the last call.
  [[nodiscard]] std::span<const std::uint32_t> changed() const { return changed_; }
  // Writes the values of the targets of a member to the plan's inputs.
  void apply(MemberId member, Columns& inputs) const;

 private:
  [[nodiscard]] bool holds(std::size_t event, const Columns& outputs, Time t) const;
  [[nodiscard]] std::uint32_t target_of(const graph::PlannedEvent::Action& action) const;

  const graph::Plan& plan_;
  std::vector<Target> targets_;
  State state_;
  std::vector<std::uint32_t> fired_, changed_;
  std::vector<std::uint32_t> counts_;  // by event, in this event iteration
  std::vector<double> right_sides_;    // by action of the fired events
  const std::string* stop_ = nullptr;
};

}  // namespace consort::group
