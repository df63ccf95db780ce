// The loop "until events settle" for a system, in superdense time (t, n): methods.md §5.
//
// Units with a cause enter event mode. A round updates each of them once, all at the same time, and brings inputs up to
// date; units that ask for another update, and those whose discrete inputs changed, take part in the next one. When
// nobody does, all leave event mode. Every round is (t, n + 1). Single instances settle with unit::settle.
//
// Discrete inputs are those that are not continuous. Units without event verbs take theirs in their next step.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "couple/point.hpp"
#include "couple/run_state.hpp"
#include "fleet/fleet.hpp"
#include "graph/plan.hpp"

namespace consort::couple {

class EventIteration {
 public:
  static constexpr std::uint64_t most_rounds = 1000;  // at one time

  // All must outlive it.
  EventIteration(const graph::Plan& plan, const fleet::Fleet& fleet, Point& point);
  EventIteration(const EventIteration&) = delete;
  EventIteration& operator=(const EventIteration&) = delete;

  // Settles what there is at state.t: `causes` are units that stopped at an event; those whose announced event is due,
  // or whose discrete inputs are others than they were given last, have a cause as well. Allocates nothing. Terminate
  // when a unit asked to end the run, which then is in state.stop and stays in event mode. Throws Error (run) when
  // there are more than most_rounds at one time, with the units and inputs that do not come to rest.
  unit::StepOutcome run(fleet::Fleet& fleet, RunState& state, std::span<const graph::UnitId> causes);

 private:
  // An element of a discrete input of a unit with event verbs.
  struct Watched {
    graph::UnitId unit = 0;
    std::uint32_t place = 0;    // of the variable, in the unit's inputs
    std::uint32_t element = 0;  // of the variable
    Type type = Type::Float64;
    std::uint32_t input = 0;  // in the column of its type
    std::uint32_t kept = 0;
  };
  // Units in the order in which they were added, each once.
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

  void watch(graph::UnitId u);
  void find_causes(const RunState& state, std::span<const graph::UnitId> causes);
  // Brings inputs up to date; units whose discrete ones change are to be updated.
  void propagate(RunState& state);
  void settle(fleet::Fleet& fleet, RunState& state);
  void enter(fleet::Fleet& fleet, RunState& state);
  void update(fleet::Fleet& fleet, RunState& state);
  void leave(fleet::Fleet& fleet, RunState& state);
  void keep(const Columns& inputs);
  [[nodiscard]] bool is_changed(const Watched& w, const Columns& inputs) const;
  [[nodiscard]] Error unsettled(const RunState& state) const;

  const graph::Plan& plan_;
  Point& point_;
  std::vector<graph::UnitId> able_;  // units with event verbs
  std::vector<std::uint8_t> is_able_;
  std::vector<Watched> watched_;
  Columns kept_;     // their values before inputs were brought up to date
  UnitList asking_;  // to be updated in the next round
  UnitList inside_;  // in event mode
  UnitList some_;    // of them
  UnitList ended_;   // that asked to end the run
};

}  // namespace consort::couple
