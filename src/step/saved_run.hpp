// A run state to go back to, without what a step does not change.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "base/value.hpp"
#include "couple/run_state.hpp"
#include "fleet/fleet.hpp"
#include "graph/plan.hpp"

namespace consort::step {

// What goes back with a rejected step: all but what controllers and tallies remember, who stopped at an event, the
// arena that stays, and what is made anew at the beginning of every step. It is copied in every step, so what is empty
// in this run is not looked at.
class SavedRun {
 public:
  SavedRun(const graph::Plan& plan, const fleet::Fleet& fleet);

  void keep(const couple::RunState& state);
  // As often as wanted, as long as histories have not gone on by more than they can take back.
  void bring_back(couple::RunState& state) const;

 private:
  std::vector<Type> types_;  // beside Float64, that signals have
  bool has_events_ = false;  // of units

  Time t_ = 0;
  std::uint64_t n_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t events_ = 0;
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
