// Everything that the coupling remembers, in one object that can be copied: rollback and checkpoints cannot miss a
// part.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "couple/accelerator.hpp"
#include "couple/history.hpp"
#include "graph/plan.hpp"
#include "unit/fleet.hpp"

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

struct RunState {
  Time t = 0;
  std::uint64_t steps = 0;
  unit::Signals signals;
  Columns previous;                           // outputs at the beginning of the step, where a stepper needs them
  History history;                            // of the inputs' Float64 column
  std::vector<AccelerationMemory> iteration;  // what an iterating stepper has learned, per component
  std::vector<IterationTally> tallies;        // by the same components
  bool stopped = false;                       // a unit asked to end the run
  // The history at the ends of accepted steps alone, where a controller compares with coarser steps.
  History coarse;
  std::vector<BondState> bonds;
  ControlState control;
};

[[nodiscard]] RunState make_run_state(const graph::Plan& plan);

// For checkpoints. What is read goes into a state made for the same plan and prepared by the same stepper; throws Error
// (input) for bytes that are not of such a state.
void write(ByteWriter& writer, const RunState& state);
void read(ByteReader& reader, RunState& state);

}  // namespace consort::couple
