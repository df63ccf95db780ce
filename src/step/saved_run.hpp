// A run state to go back to, without what a step does not change.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "base/value.hpp"
#include "couple/run_state.hpp"
#include "graph/plan.hpp"
#include "unit/fleet.hpp"

namespace consort::step {

// What goes back with a rejected step: all but what controllers and tallies remember, the values in histories, which
// take their points back by themselves, and what steppers make anew at the beginning of every step. It is copied in
// every step, so what is empty in this run is not looked at.
class SavedRun {
 public:
  SavedRun(const graph::Plan& plan, unit::Fleet& fleet);

  void keep(const couple::RunState& state);
  // As often as wanted, as long as histories have not gone on by more than they can take back.
  void bring_back(couple::RunState& state) const;

 private:
  std::vector<Type> types_;  // beside Float64, that signals have
  bool has_events_ = false;  // of units

  Time t_ = 0;
  std::uint64_t steps_ = 0;
  int order_ = 0;
  bool stopped_ = false;
  std::vector<double> inputs_, outputs_;
  Columns other_inputs_, other_outputs_;
  std::vector<Time> next_event_;
  std::vector<couple::AccelerationMemory> iteration_;
  std::vector<couple::BondState> bonds_;
  couple::History::Mark history_, coarse_;
};

}  // namespace consort::step
