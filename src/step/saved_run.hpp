// A snapshot of the run state, without the parts that a step does not change.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "base/value.hpp"
#include "couple/run_state.hpp"
#include "fleet/fleet.hpp"
#include "graph/plan.hpp"

namespace consort::step {

// Contains everything that is restored when a step is rejected. It leaves out the memory of controllers and tallies,
// the units that stopped at events, the arena `stays`, and data computed again at the beginning of every step. It is
// taken in every step, so parts that are empty in this run are skipped.
class SavedRun {
 public:
  SavedRun(const graph::Plan& plan, const fleet::Fleet& fleet);

  void keep(const couple::RunState& state);
  // Can be called repeatedly, until histories have more new points than they can undo.
  void bring_back(couple::RunState& state) const;
  // The outputs of types other than Float64 when keep() was called.
  [[nodiscard]] const Columns& other_outputs() const { return other_outputs_; }

 private:
  std::vector<Type> types_;  // types of signals besides Float64
  bool has_events_ = false;  // true if a unit announces events

  Time t_ = 0;
  std::uint64_t n_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t events_ = 0;
  couple::Sightings inner_events_;
  int order_ = 0;
  couple::Stop stop_;
  std::vector<double> inputs_, outputs_;
  Columns other_inputs_, other_outputs_;
  std::vector<double> output_derivatives_;
  std::vector<Time> next_event_;
  std::vector<couple::BondState> bonds_;
  couple::Arena memory_;
};

}  // namespace consort::step
