// The driver of all solvers: calls Solver::step and handles output, events, limits, cancellation and progress.
//
//   const auto report = integrate(ode, "dopri5", {.rtol = 1e-8}, {.stop = 10, .interval = 0.1, .output = print});
//
// State events. A root function has an event when it changes from positive to not positive (falling) or from not
// positive to positive (rising), in the requested direction. The event time is the end of a bracket no wider than the
// time tolerance, where the sign has changed. The sign of a root function that is exactly zero at the start, or that
// has just had its event, is taken ten tolerances later (see also Events::apart_after_events). Dips through zero and
// back inside one step are searched if three points of the step suggest one; a function that touches zero without
// crossing has no event. Signs are also compared at the rows inside of a step. Of several roots in a step only the
// earliest counts; the rest of the step is dropped.
//
// Order at one time: step event query, output before the event, handler (repeated on its request), restart of the
// solver, next time event query, output after the event. A time of the grid that is the end of a step has its output
// after the step event query; if it is the time of an event with output, up to
// rounding, it has no other output.
//
// With AtEvent::pause the caller has the rows at the start, at events and at the stop for itself: advance() returns
// before every event, and output is called for the others only.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "solve/problem.hpp"
#include "solve/roots.hpp"
#include "solve/solver.hpp"

namespace consort::solve {

struct OutputRow {
  enum class Kind : std::uint8_t { start, grid, step, before_event, after_event, stop };
  Time t = 0;
  ConstVector y{};
  ConstVector ydot{};  // Dae only
  Kind kind = Kind::step;
};

struct EventRecord {
  Time t = 0;
  std::vector<std::int8_t> roots{};  // as in EventInfo
  bool time_event = false;
  bool step_event = false;
  std::uint32_t iterations = 1;
  std::uint32_t rounds = 1;  // see EventState
};

struct Progress {
  Time t = 0;
  Duration step = 0;
  const Statistics* statistics = nullptr;
};

struct RunOptions {
  Time stop = 0;
  // Output interpolated at start + n * interval, and at stop; 0: at every step.
  Duration interval = 0;
  std::function<void(const OutputRow&)> output{};      // empty: no output
  bool output_at_events = true;                        // also rows before and after each event
  bool rows_end_steps = false;                         // step_event is queried before each interpolated row, too
  Duration time_tolerance = 0;                         // of event times; 0: limited by rounding only
  bool look_for_dips = true;                           // costs one more evaluation of the root functions per step
  std::uint32_t iteration_limit = 1000;                // of events at (nearly) the same time
  std::size_t log_limit = 100'000;                     // events kept in the log; further events are only counted
  std::function<void(const EventRecord&)> on_event{};  // after each event, also beyond log_limit
  const std::atomic<bool>* cancel = nullptr;           // checked before each step; null: no cancellation
  std::function<void(const Progress&)> progress{};     // after each step
};

// event: stopped or paused before an event.
enum class RunEnd : std::uint8_t { stop, terminated, cancelled, event };

// The action at an event.
enum class AtEvent : std::uint8_t {
  handle,  // call its handler and continue
  stop,    // stop before the event is handled
  pause,   // return before the event is handled, with the rest of the step; see Integration::handle_event()
};

struct RunReport {
  RunEnd end = RunEnd::stop;
  Time reached = 0;
  Statistics statistics{};  // of the solver
  std::uint64_t state_events = 0;
  std::uint64_t time_events = 0;
  std::uint64_t step_events = 0;
  std::uint64_t root_evaluations = 0;
  std::vector<EventRecord> log{};
  std::vector<double> y{};  // at `reached`
};

// A run that can be continued: each advance() starts where the last one stopped. Keeps references to solver and events.
class Integration {
 public:
  // Evaluates the root functions and the next time event at solver.time(). Ignores `options.stop`.
  Integration(Solver& solver, const Events& events, const RunOptions& options);
  ~Integration();
  Integration(Integration&&) noexcept;
  Integration& operator=(Integration&&) noexcept;

  // Ends exactly on `stop`, or earlier if a handler terminates or the run is cancelled. With AtEvent::stop it also ends
  // at the first event, which may be at `stop`. The solver is then at the event with the state before it; the caller
  // handles the event, restarts the solver and calls go_on().
  RunEnd advance(Time stop, AtEvent at_event = AtEvent::handle);
  // Where the last advance() returned, which may be inside the solver's last step, and the states there. After
  // handle_event(), the states after the event. Valid until the next advance() or restore().
  [[nodiscard]] Time time() const;
  [[nodiscard]] ConstVector state() const;
  // After advance(…, AtEvent::pause) returned RunEnd::event: calls the handler of the event. Returns false if it
  // terminates the run. The next advance() continues.
  bool handle_event();
  // Call after handling an event. The root functions that had the event may take a moment to show their sign. Throws
  // Error (run) if too many events occur at one time.
  void go_on();
  // Call after states, switches or inputs were changed from outside, and after restarting the solver. Evaluates root
  // functions and the next time event again.
  void refresh();
  [[nodiscard]] RunReport report() const;

  // The driver's state, to be saved with the solver. Does not include output and report.
  struct Memory {
    RootMemory roots{};
    Time next_time_event = never;
    Time last_event = -never;
    std::uint32_t events_here = 0;
  };
  [[nodiscard]] Memory memory() const;
  // memory() into an existing object; no allocation if it was filled before.
  void copy_memory(Memory& to) const;
  void restore(const Memory& memory);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// A whole run. Throws Error of the solver, and Error (run) if too many events occur at one time.
RunReport integrate(Solver& solver, const Events& events, const RunOptions& options);
RunReport integrate(const Ode& ode, std::string_view solver, const SolverOptions& options, const RunOptions& run);
RunReport integrate(const Dae& dae, std::string_view solver, const SolverOptions& options, const RunOptions& run);

}  // namespace consort::solve
