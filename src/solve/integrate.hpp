// The driver, once for all solvers: output, events, limits, cancellation and progress around Solver::step.
//
//   const auto report = integrate(ode, "dopri5", {.rtol = 1e-8}, {.stop = 10, .interval = 0.1, .output = print});
//
// State events. A root function has an event where it goes from positive to not positive (falling) or from not positive
// to positive (rising), in the direction asked for; the event stands at the end of a bracket no wider than the time
// tolerance, where the sign has changed. A root function that is exactly zero at the start, or that has just had its
// event, has the sign that it shows ten tolerances later. Dips through zero and back inside one step are looked for
// where three points of the step suggest one; touching zero without crossing it is no event. Of several roots in a step
// the earliest counts; the rest of the step is dropped.
//
// Order at one time: step event asked, output before the event, handler (again while it asks), solver restarted, next
// time event asked, output after the event. Output on the grid comes before all of these.
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
  // Output at start + n * interval, interpolated, and at stop; 0: at every step.
  Duration interval = 0;
  std::function<void(const OutputRow&)> output{};      // none: no output
  bool output_at_events = true;                        // rows before and after each event, too
  Duration time_tolerance = 0;                         // of event times; 0: what rounding allows
  bool look_for_dips = true;                           // spends one more evaluation of the root functions per step
  std::uint32_t iteration_limit = 1000;                // of events at (nearly) the same time
  std::size_t log_limit = 100'000;                     // events that are kept in the log; all are counted
  std::function<void(const EventRecord&)> on_event{};  // after each event, whatever is kept
  const std::atomic<bool>* cancel = nullptr;           // looked at before each step
  std::function<void(const Progress&)> progress{};     // after each step
};

enum class RunEnd : std::uint8_t { stop, terminated, cancelled, event };

// What becomes of an event.
enum class AtEvent : std::uint8_t {
  handle,  // its handler is called, and the run goes on
  stop,    // the run ends there, before it
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

// A run that can be continued: advance() again goes on where the last one stopped. It refers to solver and events.
class Integration {
 public:
  // Evaluates the root functions and asks for the next time event at solver.time(). `options.stop` is not used.
  Integration(Solver& solver, const Events& events, const RunOptions& options);
  ~Integration();
  Integration(Integration&&) noexcept;
  Integration& operator=(Integration&&) noexcept;

  // Ends exactly on `stop`, or earlier when a handler terminates or the run is cancelled. With AtEvent::stop also where
  // the first event is, which may be at `stop`: the solver stands there with the state before it, and the caller
  // handles it, restarts the solver and calls go_on().
  RunEnd advance(Time stop, AtEvent at_event = AtEvent::handle);
  // After an event that the caller has handled: root functions that had it may take a moment to show their sign. Throws
  // Error (run) when events pile up at one time.
  void go_on();
  // Tells that states, switches or inputs were changed from outside: what it knows about roots and time events is asked
  // anew. The solver is to be restarted by whoever changed something.
  void refresh();
  [[nodiscard]] RunReport report() const;

  // What the driver remembers, to be saved along with the solver. Output and report are not part of it.
  struct Memory {
    RootMemory roots{};
    Time next_time_event = never;
    Time last_event = -never;
    std::uint32_t events_here = 0;
  };
  [[nodiscard]] Memory memory() const;
  // The same into one that was filled before, then without allocation.
  void copy_memory(Memory& to) const;
  void restore(const Memory& memory);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// A whole run. Throws Error as the solver does, and Error (run) when events pile up at one time.
RunReport integrate(Solver& solver, const Events& events, const RunOptions& options);
RunReport integrate(const Ode& ode, std::string_view solver, const SolverOptions& options, const RunOptions& run);
RunReport integrate(const Dae& dae, std::string_view solver, const SolverOptions& options, const RunOptions& run);

}  // namespace consort::solve
