// The report of a run of a system, and the estimates of its accuracy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "couple/consistency.hpp"
#include "couple/run_state.hpp"
#include "record/sink.hpp"

namespace consort::report {

struct UnitReport {
  std::string name;
  std::string kind;    // "FMI 2.0, Co-Simulation"
  double seconds = 0;  // estimated from sampled steps
  std::uint64_t early_returns = 0;
  std::uint64_t discarded = 0;
  // number of these repeated from where the unit stopped, not from the beginning of the step
  std::uint64_t repeated_as_is = 0;
  std::uint64_t apart = 0;  // steps that it discarded and repeated alone, while other units took the whole step
  std::uint64_t events = 0;
  std::uint64_t limited = 0;  // steps whose size was limited by one of its outputs
};

// The estimated coupling error of a connection at its inputs: in their unit of measure, after the connection's
// transformation. For an array, the values of its worst element.
struct TrustReport {
  std::string source;  // "chassis.F"
  // "wheel.F_c"; all inputs with the same value; empty: an output at the end of a chain
  std::vector<std::string> targets;
  std::string unit;  // of measure
  std::uint64_t elements = 1;
  std::string element;        // of an array: the worst element of the source
  double local = 0;           // the largest error of a step
  double rms = 0;             // root mean square over all steps
  double accumulated = 0;     // sum of absolute errors, as if errors neither faded nor cancelled
  double range = 0;           // largest value minus smallest value
  std::uint64_t limited = 0;  // trials whose size was limited by the source

  // The accumulated error relative to the range; 0 if there is no range.
  [[nodiscard]] double relative() const { return range > 0 ? accumulated / range : 0; }
  // The largest error of a step relative to the range; 0 if there is no range.
  [[nodiscard]] double in_a_step() const { return range > 0 ? local / range : 0; }
};

// Units whose steps were repeated until their interface variables agreed.
struct IterationReport : couple::IterationTally {
  std::vector<std::string> units;
  std::vector<std::string> variables;  // the interface: inputs that must agree with outputs

  [[nodiscard]] double per_step() const {
    return steps > 0 ? static_cast<double>(iterations) / static_cast<double>(steps) : 0;
  }
};

// Difference of power and energy between the two sides of a bond; W and J.
struct BondReport {
  std::string name;
  double made = 0;          // energy created by the coupling; negative: lost
  double lost_or_made = 0;  // sum of absolute values
  double carried = 0;
  double largest = 0;         // largest residual power
  double peak = 0;            // largest power
  std::uint64_t limited = 0;  // steps whose size was limited by the bond
};

struct LoopReport : couple::LoopTally {
  std::vector<std::string> variables;
};

struct SystemReport {
  std::string system;
  Time start = 0, stop = 0, reached = 0;
  Time began = 0;  // the time of the checkpoint if the run was resumed; else the start
  Duration step = 0;
  std::string stepper;
  std::string controller;  // of the step size
  bool equal_steps = true;
  bool records_trust = false;  // step sizes are in the result
  int extrapolation = 0;
  unsigned threads = 1;
  std::uint64_t steps = 0;
  std::uint64_t rejected = 0;
  std::uint64_t cut = 0;         // steps that were shortened to end at an output point, an event or the end
  std::uint64_t at_maximum = 0;  // steps of the maximum size
  double coupling_tolerance = 0, absolute_tolerance = 0;  // if steps vary
  std::string tolerance_for;                              // "step" or "run"
  std::uint64_t rows = 0;
  double start_up_seconds = 0;  // compiling, instantiation, initialization
  double run_seconds = 0;
  double engine_seconds = 0;  // part of the run outside of units; estimated
  bool knows_engine = true;   // false: the run was too short for an estimate
  double latest = 0;          // real-time pacing: the largest delay
  std::uint64_t overruns = 0;
  bool paced = false;
  std::vector<UnitReport> units;
  std::vector<LoopReport> loops;
  std::vector<IterationReport> iterations;
  std::vector<TrustReport> trust;  // empty if nothing is estimated
  std::vector<BondReport> bonds;
  std::vector<std::string> assumed;
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
  std::string ended_early;

  [[nodiscard]] std::string text() const;      // readable text
  [[nodiscard]] std::string headline() const;  // its beginning, without durations
  [[nodiscard]] std::string json() const;
  // For result files: steps, connections, units, loops, iterations, interface, bonds, run; without empty tables. The
  // same run has the same tables.
  [[nodiscard]] std::vector<record::Table> tables() const;
};

}  // namespace consort::report
