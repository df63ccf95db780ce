// What a run of a system did, and how far to trust it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "couple/consistency.hpp"
#include "step/stepper.hpp"

namespace consort::engine {

struct UnitReport {
  std::string name;
  std::string kind;    // "FMI 2.0, Co-Simulation"
  double seconds = 0;  // estimated from sampled steps
  std::uint64_t early_returns = 0;
  std::uint64_t discarded = 0;
  std::uint64_t repeated_as_is = 0;  // of these, from where the unit was left, not from where the step began
  std::uint64_t events = 0;
};

struct SystemReport {
  std::string system;
  Time start = 0, stop = 0, reached = 0;
  Duration step = 0;
  std::string stepper;
  std::string controller;  // of the step size
  bool equal_steps = true;
  int extrapolation = 0;
  unsigned threads = 1;
  std::uint64_t steps = 0;
  std::uint64_t rejected = 0;
  std::uint64_t rows = 0;
  double start_up_seconds = 0;  // compiling, instantiation, initialization
  double run_seconds = 0;
  double engine_seconds = 0;  // of the run, outside of the units; estimated
  double latest = 0;          // real-time pacing: the largest delay
  std::uint64_t overruns = 0;
  bool paced = false;
  std::vector<UnitReport> units;
  std::vector<couple::LoopReport> loops;
  std::vector<step::IterationReport> iterations;
  std::vector<std::string> assumed;
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
  std::string ended_early;

  [[nodiscard]] std::string text() const;  // for people
  [[nodiscard]] std::string json() const;
};

}  // namespace consort::engine
