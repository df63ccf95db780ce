// The whole memory of the coupling in one object that can be copied, so that rollback and checkpoints are complete.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "couple/memory.hpp"
#include "fleet/fleet.hpp"
#include "graph/plan.hpp"

namespace consort::couple {

// Statistics of an output's coupling error, in the output's unit of measure.
struct SignalTrust {
  double estimate = 0;     // exact minus computed, of the last accepted step
  double largest = 0;      // absolute value, over all accepted steps
  double accumulated = 0;  // sum of absolute values; the largest for outputs that depend directly on inputs
  double squares = 0;      // sum of their squares
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  std::uint64_t limited = 0;  // steps limited by this output, rejected ones included
  // Of the last accepted step: the value at its end, the slope, and the largest recent change of slopes per second.
  double value = 0, slope = 0, bend = 0;
};

// Statistics of a power bond; W and J.
struct BondState {
  double power = 0;           // at the end of the last step
  double residual = 0;        // of power: taken by one side minus given by the other one
  double largest = 0;         // absolute value of the residual
  double peak = 0;            // absolute value of the power
  double made = 0;            // energy created by the coupling: sum of residual power times step
  double lost_or_made = 0;    // the same sum of absolute values
  double carried = 0;         // sum of absolute power times step
  std::uint64_t limited = 0;  // steps whose size it decided, if a controller uses bonds
};

// Where and when something happened: how often, and the first few times.
struct Sightings {
  static constexpr std::size_t most = 4;
  std::uint64_t count = 0;
  std::array<std::uint64_t, most> where{};  // a unit, or an index in another list
  std::array<Time, most> when{};

  void add(std::uint64_t at, Time t) {
    if (count < most) {
      where[count] = at;
      when[count] = t;
    }
    ++count;
  }
};

// "a at t = 1 s, b at t = 2 s and 3 more". `name`: of a place.
[[nodiscard]] std::string text_of(const Sightings& sightings, const std::function<std::string(std::uint64_t)>& name);

// Steps that a unit discarded and repeated in parts, while the other units took the whole step. By unit.
struct Apart {
  std::uint64_t count = 0;
  Time first = 0;  // valid if count > 0
};

// Memory of controllers. It is not restored when a step is rejected, because rejections are remembered, too.
struct ControlState {
  Duration next = 0;   // the step to try; 0: not set yet
  Duration taken = 0;  // the last accepted step
  double error = 0;    // of that step, relative to the tolerance; 0: not known yet
  std::uint64_t accepted = 0;
  std::uint64_t rejected = 0;
  std::uint64_t unit_steps = 0;  // steps done by each unit, trials included
  std::uint64_t worst = 0;       // index in signals of the largest error in the last accepted step
  std::uint64_t cut = 0;         // accepted steps that were shortened to end at an output point, an event or the end
  std::uint64_t at_maximum = 0;  // accepted steps of the maximum size
  // accepted steps with an error above the tolerance, because a shorter step does not help or is not tried
  std::uint64_t exceeded = 0;
  double largest_error = 0;    // of these, relative to the tolerance
  double lingering = 0;        // the error expected of the next step by a controller that never repeats steps
  bool error_decided = false;  // true if only the error decided the size of the last accepted step
  bool at_event = false;       // the last accepted step ended at a time that was known to have an event
  Sightings jumps;             // of outputs inside accepted steps, by index in JumpWatch
  std::vector<SignalTrust> signals;
};

// Statistics of the iteration of units that depend on each other. Not restored when a step is rejected.
struct IterationTally {
  std::uint64_t steps = 0;
  std::uint64_t iterations = 0;    // evaluations: each is a step of all units
  std::uint64_t for_jacobian = 0;  // additional evaluations for Jacobians
  std::uint64_t most = 0;          // maximum number of iterations in one step
  std::uint64_t failures = 0;      // steps that did not converge
  double largest = 0;              // residual of an accepted step, relative to the tolerance
  // By interface variable.
  std::vector<std::uint64_t> last_to_agree;  // number of steps in which it converged last
  std::vector<double> residuals;             // as `largest`
};

// The request of a unit to end the run: the first in time if there are several.
struct Stop {
  bool asked = false;
  graph::UnitId unit = graph::no_unit;
  Time at = 0;
};

// Statistics of an algebraic loop. Not restored either.
struct LoopTally {
  std::uint64_t solved = 0;
  std::uint64_t iterations = 0;
  std::uint64_t evaluations = 0;
  double largest_residual = 0;  // relative, over all solutions
};

// Rows written so far. Not restored either: rows belong to accepted steps.
struct RowCount {
  std::uint64_t points = 0;  // output points so far
  std::uint64_t next = 1;    // the next output point
};

struct RunState {
  Time t = 0;
  std::uint64_t n = 0;  // superdense time: the round of the event iteration at t
  std::uint64_t steps = 0;
  std::uint64_t events = 0;  // of units, inside steps
  Sightings inner_events;    // of these, the first one of each step that is not at one of its ends
  fleet::Signals signals;
  Memory memory;
  Columns kept;                         // values of any type, kept by parties of the communication point; not restored
  std::vector<IterationTally> tallies;  // by component iterated by the stepper
  std::vector<LoopTally> loops;         // by loop of the plan
  Stop stop;
  // By unit: the time of an event at which it stopped in a step that was tried, until the event is settled or the step
  // is finally dropped; never: it did not stop. Not restored: the unit has to handle this event even if the repeated
  // step does not stop there.
  std::vector<Time> stopped;
  std::vector<Apart> apart;                     // by unit; not restored
  std::uint64_t discards = 0;                   // sum of `apart`
  graph::UnitId discarded_by = graph::no_unit;  // the unit that discarded the last step that was discarded as a whole
  std::vector<BondState> bonds;
  ControlState control;
  RowCount rows;
};

[[nodiscard]] RunState make_run_state(const graph::Plan& plan);

// Call it after Fleet::wait() returned false. Records events inside steps, requests to end the run, and units that
// stopped at an event. The outcome of the whole step becomes `terminate`, or `event` with the time of the first one. An
// event at the end of a complete step is recorded, but does not change the outcome. If a unit discarded the step and
// the request allows it, the outcome is `discarded`, with the time that all units reach.
void hear(const fleet::Fleet& fleet, RunState& state, const unit::StepRequest& request, unit::StepOutcome& outcome);

// For checkpoints. read() needs a state that was made for the same plan and prepared by the same parties; otherwise it
// throws Error (input) that names the slot that differs.
void write(ByteWriter& writer, const RunState& state);
void read(ByteReader& reader, RunState& state);

}  // namespace consort::couple
