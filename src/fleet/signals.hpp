// The values that units and the coupling exchange, and where each unit finds its own among them.
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
inline constexpr int highest_order = 5;  // of polynomials that inputs follow within a step

// Everything that units are given and answer, one contiguous column per type: a part of the run state, which is copied
// and restored as a whole.
struct Signals {
  Columns inputs;
  Columns outputs;
  // Derivatives 1 … highest of the inputs' Float64 column at the beginning of the step: order after order, each as long
  // as the column.
  std::vector<double> derivatives;
  std::vector<std::uint8_t> order;  // by unit: how many of them count for its inputs
  int highest = 0;                  // of these; 0: all inputs are held
  // The same for outputs at the end of the step, as far as units were asked to tell them (Fleet::declare_derivatives).
  // Whoever asks gives it room for the highest order.
  std::vector<double> output_derivatives;
  std::vector<Time> next_event;  // by unit, as it announced it; written by the fleet

  // The same order for all units.
  void set_order(int same_for_all) {
    if (highest == same_for_all) return;
    highest = same_for_all;
    std::fill(order.begin(), order.end(), static_cast<std::uint8_t>(same_for_all));
  }
};

// A unit's blocks of the signals, and how it is stepped.
struct Blocks {
  const describe::SignalSet* inputs = nullptr;
  const describe::SignalSet* outputs = nullptr;
  describe::Offsets first_input{};
  describe::Offsets first_output{};
  std::uint32_t substeps = 1;  // equal steps of its own per communication step
  bool keep_parts = false;     // what it answers after each of them, for Fleet::parts()
};

}  // namespace consort::fleet
