// What a run of a system did, and how far to trust it.
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
  std::uint64_t repeated_as_is = 0;  // of these, from where the unit was left, not from where the step began
  std::uint64_t events = 0;
  std::uint64_t limited = 0;  // steps whose size one of its outputs decided
};

// The estimated coupling error of a connection, as it arrives at the inputs: in their unit of measure, after the
// connection's transformation. Of an array these are the figures of its worst element.
struct TrustReport {
  std::string source;                // "chassis.F"
  std::vector<std::string> targets;  // "wheel.F_c"; all that get the same; none: an output at the end of a chain
  std::string unit;                  // of measure
  std::uint64_t elements = 1;
  std::string element;        // of an array: the source's worst one
  double local = 0;           // the largest of a step
  double rms = 0;             // over all steps
  double accumulated = 0;     // their sum without signs, as if none died out and none cancelled another
  double range = 0;           // between the least and the largest value
  std::uint64_t limited = 0;  // trials whose size the source decided

  // The accumulated error, as a part of the range; 0 where there is no range.
  [[nodiscard]] double relative() const { return range > 0 ? accumulated / range : 0; }
};

// Units whose steps were repeated until their interface agreed.
struct IterationReport : couple::IterationTally {
  std::vector<std::string> units;
  std::vector<std::string> variables;  // the interface: inputs that had to agree with outputs

  [[nodiscard]] double per_step() const {
    return steps > 0 ? static_cast<double>(iterations) / static_cast<double>(steps) : 0;
  }
};

// Power and energy that the two sides of a bond did not agree on; W and J.
struct BondReport {
  std::string name;
  double made = 0;          // energy that the coupling made out of nothing, or lost when negative
  double lost_or_made = 0;  // without signs
  double carried = 0;
  double largest = 0;         // residual power
  double peak = 0;            // power
  std::uint64_t limited = 0;  // steps whose size it decided
};

struct LoopReport : couple::LoopTally {
  std::vector<std::string> variables;
};

struct SystemReport {
  std::string system;
  Time start = 0, stop = 0, reached = 0;
  Time began = 0;  // where this run went on from a checkpoint; else the start
  Duration step = 0;
  std::string stepper;
  std::string controller;  // of the step size
  bool equal_steps = true;
  bool records_trust = false;  // the course of the step size is in the result
  int extrapolation = 0;
  unsigned threads = 1;
  std::uint64_t steps = 0;
  std::uint64_t rejected = 0;
  std::uint64_t cut = 0;         // of the steps: made shorter to land on an output point, an event or the end
  std::uint64_t at_maximum = 0;  // of the steps: as long as allowed
  double coupling_tolerance = 0, absolute_tolerance = 0;  // where steps vary
  std::string tolerance_for;                              // "step" or "run"
  std::uint64_t rows = 0;
  double start_up_seconds = 0;  // compiling, instantiation, initialization
  double run_seconds = 0;
  double engine_seconds = 0;  // of the run, outside of the units; estimated
  bool knows_engine = true;   // not: the run was too short to tell
  double latest = 0;          // real-time pacing: the largest delay
  std::uint64_t overruns = 0;
  bool paced = false;
  std::vector<UnitReport> units;
  std::vector<LoopReport> loops;
  std::vector<IterationReport> iterations;
  std::vector<TrustReport> trust;  // empty where nothing is estimated
  std::vector<BondReport> bonds;
  std::vector<std::string> assumed;
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
  std::string ended_early;

  [[nodiscard]] std::string text() const;  // for people
  [[nodiscard]] std::string json() const;
  // For result files: connections, units, loops, iterations, interface, bonds; those that there are.
  [[nodiscard]] std::vector<record::Table> tables() const;
};

}  // namespace consort::report
