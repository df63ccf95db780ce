// Event iteration of a system, repeated until events settle, in superdense time (t, n): methods.md §5.
//
// Units that have to handle an event enter event mode. A round updates each of them once, all in parallel, and brings
// inputs up to date. Units that ask for another update and units whose discrete inputs changed take part in the next
// round. When no unit is left, all leave event mode. Every round is (t, n + 1). Single instances settle with
// unit::settle.
//
// All inputs that are not continuous are discrete. Units without event verbs get theirs in their next step.
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

  // All arguments must outlive this object.
  EventIteration(const graph::Plan& plan, const fleet::Fleet& fleet, Point& point);
  EventIteration(const EventIteration&) = delete;
  EventIteration& operator=(const EventIteration&) = delete;

  // Settles the events at state.t. Updates the units in `causes` (stopped at an event), units with an announced event
  // that is due, and units whose discrete inputs changed. Does not allocate. Returns `terminate` if a unit asked to end
  // the run; the request is in state.stop and the unit stays in event mode. Throws Error (run) after most_rounds rounds
  // at one time; the message names the units and inputs that do not settle.
  unit::StepOutcome run(fleet::Fleet& fleet, RunState& state, std::span<const graph::UnitId> causes);

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

  void watch(graph::UnitId u);
  void find_causes(const RunState& state, std::span<const graph::UnitId> causes);
  // Brings inputs up to date; adds units whose discrete inputs change to asking_.
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
  Columns kept_;     // values of watched_ before inputs were brought up to date
  UnitList asking_;  // to be updated in the next round
  UnitList inside_;  // in event mode
  UnitList some_;    // scratch: a part of the units
  UnitList ended_;   // units that asked to end the run
};

}  // namespace consort::couple
