// Everything that the coupling remembers, in one object that can be copied: rollback and checkpoints cannot miss a
// part.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "couple/memory.hpp"
#include "fleet/fleet.hpp"
#include "graph/plan.hpp"

namespace consort::couple {

// What is known of an output's coupling error; in the output's own unit of measure.
struct SignalTrust {
  double estimate = 0;     // exact minus computed, of the last accepted step
  double largest = 0;      // of all accepted steps, without its sign
  double accumulated = 0;  // their sum, without signs; of outputs that follow inputs directly, the largest
  double squares = 0;      // sum of their squares
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  std::uint64_t limited = 0;  // steps that it limited, rejected ones included
};

// What the two sides of a power bond saw; W and J.
struct BondState {
  double power = 0;           // at the end of the last step
  double residual = 0;        // of power: what one side took, less what the other one gave
  double largest = 0;         // residual, without its sign
  double peak = 0;            // power, without its sign
  double made = 0;            // energy that the coupling made: residual power times step, summed
  double lost_or_made = 0;    // the same without signs
  double carried = 0;         // power times step, without signs
  std::uint64_t limited = 0;  // steps whose size it decided, where a controller goes by bonds
};

// What controllers remember. It does not go back with a rejected step, which is remembered, too.
struct ControlState {
  Duration next = 0;   // the step to try; 0: none yet
  Duration taken = 0;  // the last accepted step
  double error = 0;    // of that step, relative to the tolerance; 0: none yet
  std::uint64_t accepted = 0;
  std::uint64_t rejected = 0;
  std::uint64_t unit_steps = 0;  // steps of every unit, trials included
  std::uint64_t worst = 0;       // of the signals: whose error was the largest in the last accepted step
  std::uint64_t cut = 0;  // accepted steps that were made shorter to land on an output point, an event or the end
  std::uint64_t at_maximum = 0;  // accepted steps of the largest size that is allowed
  std::uint64_t exceeded = 0;    // accepted steps with an error above the tolerance: no shorter one helps or is tried
  double largest_error = 0;      // of these, relative to the tolerance
  double lingering = 0;          // the error that a controller which repeats nothing expects of the next step
  bool error_decided = false;    // on the size of the last accepted step, and nothing else
  std::vector<SignalTrust> signals;
};

// What it took to iterate the steps of units that depend on each other. Like ControlState, it does not go back with a
// rejected step.
struct IterationTally {
  std::uint64_t steps = 0;
  std::uint64_t iterations = 0;    // evaluations: each is a step of all units
  std::uint64_t for_jacobian = 0;  // beside these
  std::uint64_t most = 0;          // iterations in one step
  std::uint64_t failures = 0;      // steps that did not converge
  double largest = 0;              // residual of a step that was taken, relative as the tolerance is
  // By interface variable.
  std::vector<std::uint64_t> last_to_agree;  // steps
  std::vector<double> residuals;             // as `largest`
};

// A unit that asked to end the run, if one did: of several the first in time.
struct Stop {
  bool asked = false;
  graph::UnitId unit = graph::no_unit;
  Time at = 0;
};

// What it took to solve an algebraic loop. Does not go back either.
struct LoopTally {
  std::uint64_t solved = 0;
  std::uint64_t iterations = 0;
  std::uint64_t evaluations = 0;
  double largest_residual = 0;  // relative, over all solutions
};

// Which rows have been written. Does not go back either: rows are of accepted steps.
struct RowCount {
  std::uint64_t points = 0;  // output points so far
  std::uint64_t next = 1;    // the output point ahead
};

struct RunState {
  Time t = 0;
  std::uint64_t n = 0;  // superdense time: the round of the event iteration at t
  std::uint64_t steps = 0;
  std::uint64_t events = 0;  // of units, inside of steps
  fleet::Signals signals;
  Memory memory;
  Columns kept;                         // values of any type that parties of the communication point keep; stays
  std::vector<IterationTally> tallies;  // by component that a stepper iterates
  std::vector<LoopTally> loops;         // by loop of the plan
  Stop stop;
  // By unit: where it stopped at an event in a step that was tried, until that is settled or taken back for good;
  // never: nowhere. Does not go back: who had to stop has a cause even if it does not when the step is repeated.
  std::vector<Time> stopped;
  std::vector<BondState> bonds;
  ControlState control;
  RowCount rows;
};

[[nodiscard]] RunState make_run_state(const graph::Plan& plan);

// After Fleet::wait() was false: takes down events inside of steps, requests to end the run, and units that stopped at
// an event; the outcome of the whole step becomes terminate, or event at the time of the first one. Events at the end
// of the step, which is done then, are taken down and no more.
void hear(const fleet::Fleet& fleet, RunState& state, const unit::StepRequest& request, unit::StepOutcome& outcome);

// For checkpoints. What is read goes into a state made for the same plan and prepared by the same parties; throws Error
// (input) for bytes that are not of such a state, with the name of the slot that differs.
void write(ByteWriter& writer, const RunState& state);
void read(ByteReader& reader, RunState& state);

}  // namespace consort::couple
