// The values exchanged between units and the coupling, and the block of each unit in them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/time.hpp"
#include "base/value.hpp"
#include "describe/signals.hpp"

namespace consort::fleet {

using UnitId = std::uint32_t;

inline constexpr Time never = std::numeric_limits<Time>::infinity();
inline constexpr int highest_order = 5;  // highest order of the polynomials that inputs follow within a step

// All inputs and outputs of units, one contiguous column per type. Part of the run state, which is copied and restored
// as a whole.
struct Signals {
  Columns inputs;
  Columns outputs;
  // Derivatives 1 … highest of the Float64 inputs at the beginning of the step, order after order; each order is as
  // long as the column.
  std::vector<double> derivatives;
  std::vector<std::uint8_t> order;  // by unit: number of derivatives used for its inputs
  int highest = 0;                  // highest order in use; 0: all inputs are held
  // The same for outputs at the end of the step, if requested with Fleet::declare_derivatives. The caller must size it
  // for the highest requested order.
  std::vector<double> output_derivatives;
  std::vector<Time> next_event;  // by unit: its announced next event; written by the fleet

  // Sets the same order for all units.
  void set_order(int same_for_all) {
    if (highest == same_for_all) return;
    highest = same_for_all;
    std::fill(order.begin(), order.end(), static_cast<std::uint8_t>(same_for_all));
  }
};

// The signal blocks of a unit and its sub-steps.
struct Blocks {
  const describe::SignalSet* inputs = nullptr;
  const describe::SignalSet* outputs = nullptr;
  describe::Offsets first_input{};
  describe::Offsets first_output{};
  std::uint32_t substeps = 1;  // number of equal sub-steps per communication step
  bool keep_parts = false;     // keep the outputs after each sub-step for Fleet::parts()
};

}  // namespace consort::fleet
