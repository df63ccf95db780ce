#include "solve/integrate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "solve/problem.hpp"
#include "solve/solvers.hpp"

namespace consort::solve {
namespace {

// Events closer than this many time tolerances count as simultaneous.
constexpr double same_time = 10;

// True for a time too close for any solver step; it counts as now.
bool is_now(Time now, Time then) { return then - now <= 4 * rounding * std::abs(now); }

}  // namespace

class Integration::Impl {
 public:
  Impl(Solver& solver, const Events& events, const RunOptions& options)
      : solver_(solver),
        events_(events),
        options_(options),
        roots_(events, {.tolerance = options.time_tolerance, .look_for_dips = options.look_for_dips}),
        start_(solver.time()),
        y_(solver.size()),
        ydot_(solver.state_derivative().size()),
        atol_(solver.size()),
        crossings_(events.root_count) {
    require(options.interval >= 0 && std::isfinite(options.interval),
            "the output interval is {} s; it must be positive, or 0 for output at every step", options.interval);
    require(options.time_tolerance >= 0, "the tolerance of event times is {} s; it must not be negative",
            options.time_tolerance);
    load_state(solver.time());
    refresh();
  }

  RunEnd advance(Time stop, AtEvent at_event) {
    require(std::isfinite(stop) && stop >= solver_.time(),
            "the run is at t = {} s and is to stop at {} s; choose a stop time that is not earlier", solver_.time(),
            stop);
    at_event_ = at_event;
    if (!started_) row(solver_.time(), solver_.state(), solver_.state_derivative(), OutputRow::Kind::start);
    started_ = true;
    report_.end = RunEnd::stop;
    while (rest_.empty() ? begin_step(stop) : go_through(stop)) {
    }
    return report_.end;
  }

  [[nodiscard]] Time time() const { return at_; }
  [[nodiscard]] ConstVector state() const { return y_; }

  bool handle_event() {
    const After after = event(pending_);
    if (after != After::same) rest_ = {};
    return after != After::end;
  }

  void refresh() {
    roots_.reset();
    roots_.start(solver_, solver_.time(), solver_.state());
    ask_time_event(solver_.time(), solver_.state());
  }

  void go_on() {
    count(solver_.time());
    roots_.start(solver_, solver_.time(), solver_.state());
    ask_time_event(solver_.time(), solver_.state());
  }

  [[nodiscard]] RunReport report() const {
    RunReport result = report_;
    result.reached = solver_.time();
    result.statistics = solver_.statistics();
    result.root_evaluations = roots_.evaluations();
    result.y.assign(solver_.state().begin(), solver_.state().end());
    return result;
  }

  void copy_memory(Memory& to) const {
    to.roots = roots_.memory();
    to.next_time_event = memory_.next_time_event;
    to.last_event = memory_.last_event;
    to.events_here = memory_.events_here;
  }

  // memory_.roots stays empty: the finder has its own memory.
  void restore(const Memory& memory) {
    memory_.next_time_event = memory.next_time_event;
    memory_.last_event = memory.last_event;
    memory_.events_here = memory.events_here;
    roots_.restore(memory.roots);
    rest_ = {};
    load_state(solver_.time());
  }

 private:
  // Handles an event that is due, or takes the next step of the solver. False: advance() returns.
  bool begin_step(Time stop) {
    if (options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed)) {
      load_state(solver_.time());
      report_.end = RunEnd::cancelled;
      return false;
    }
    // A time event that rounding moved just beyond `stop` is left to the next advance().
    if (is_now(solver_.time(), memory_.next_time_event) && memory_.next_time_event <= std::max(stop, solver_.time())) {
      load_state(solver_.time());
      // Handled at its own time, which may be a rounding error ahead: a model that compares times would miss it
      // otherwise.
      return goes_on(meet({.t = std::max(solver_.time(), memory_.next_time_event), .time_event = true}));
    }
    if (is_now(solver_.time(), stop)) {
      finish(stop);
      return false;
    }
    const StepResult result = solver_.step(std::min(stop, memory_.next_time_event));
    rest_ = {.from = result.from, .to = result.to, .size = result.to - result.from};
    return true;
  }

  // The part of the solver's last step whose rows and events are not done.
  struct Rest {
    Time from = 0;
    Time to = 0;
    Duration size = 0;      // of the whole step
    bool searched = false;  // for root functions that cross zero
    bool root = false;      // one does
    Time end = 0;           // there; else the end of the step
    [[nodiscard]] bool empty() const { return !(from < to); }
  };

  // Does the rows of the rest up to the first event, and the event. False: advance() returns.
  bool go_through(Time stop) {
    if (!rest_.searched) {
      rest_.root = roots_.search(solver_, rest_.from, rows_before(rest_.to, stop));
      rest_.end = rest_.root ? roots_.event_time() : rest_.to;
      rest_.searched = true;
    }
    const bool meets_event = has_event_rows() && (rest_.root || rest_.end == memory_.next_time_event);
    for (Time t = next_row(stop); t < rest_.end; t = next_row(stop)) {
      ++grid_index_;
      if (meets_event && is_now(t, rest_.end)) continue;
      at_ = t;
      solver_.interpolate(t, y_);
      if (!ydot_.empty()) solver_.interpolate_derivative(t, ydot_);
      if (options_.rows_end_steps && ends_step(t)) return step_event_at(t);
      options_.output({.t = t, .y = y_, .ydot = ydot_, .kind = OutputRow::Kind::grid});
    }
    return end_part(stop);
  }

  // Handles the step event of a row inside of the last step, with the loaded state.
  bool step_event_at(Time t) {
    rest_.from = t;
    rest_.searched = false;
    if (!has_event_rows()) row(t, y_, ydot_, OutputRow::Kind::grid);
    const After after = meet({.t = t, .step_event = true});
    // The root functions have their values of later times.
    if (after == After::same) roots_.start(solver_, t, y_);
    return goes_on(after);
  }

  bool end_part(Time stop) {
    const Time end = rest_.end;
    load_state(end);
    EventInfo info{.t = end, .time_event = end == memory_.next_time_event};
    if (rest_.root) info.roots = roots_.crossings();
    info.step_event = ends_step(end);
    const bool is_event = rest_.root || info.time_event || info.step_event;
    const bool is_row = next_row(stop) == end;
    if (is_row) ++grid_index_;
    rest_.from = end;
    rest_.searched = false;
    if (is_event) {
      if (is_row && !has_event_rows()) row(end, y_, ydot_, OutputRow::Kind::grid);
      const bool on = goes_on(meet(info));
      if (options_.progress) tell_progress();
      return on;
    }
    if (options_.progress) tell_progress();
    if (is_row) row(end, y_, ydot_, OutputRow::Kind::grid);
    if (options_.interval == 0 && end < stop) row(end, y_, ydot_, OutputRow::Kind::step);
    return true;
  }

  void tell_progress() {
    options_.progress({.t = solver_.time(), .step = rest_.size, .statistics = &solver_.statistics()});
  }

  // Rows before and after events replace the row of the grid at the same time, up to rounding.
  [[nodiscard]] bool has_event_rows() const { return options_.output_at_events || at_event_ == AtEvent::pause; }

  // The step event query at t with the loaded state.
  bool ends_step(Time t) { return events_.step_event && events_.step_event(t, y_, solver_.switches()); }

  // Loads the states at t, a time in the last step, into y_ (and ydot_).
  void load_state(Time t) {
    at_ = t;
    if (t == solver_.time()) {
      std::copy(solver_.state().begin(), solver_.state().end(), y_.begin());
      std::copy(solver_.state_derivative().begin(), solver_.state_derivative().end(), ydot_.begin());
      return;
    }
    solver_.interpolate(t, y_);
    if (!ydot_.empty()) solver_.interpolate_derivative(t, ydot_);
  }

  enum class After : std::uint8_t { same, restarted, paused, end };

  // Handles the event at info.t, which may be a rounding error ahead of the state in y_, or leaves it to the caller.
  After meet(const EventInfo& info) {
    at_ = info.t;
    switch (at_event_) {
      case AtEvent::handle: return event(info);
      case AtEvent::stop: return stop_before(info);
      case AtEvent::pause: return pause_before(info);
    }
    return After::end;
  }

  // An event invalidates the rest of the step unless its handler changed nothing. False: advance() returns.
  bool goes_on(After after) {
    if (after != After::paused && after != After::same) rest_ = {};
    return after == After::same || after == After::restarted;
  }

  // Copied because the finder's crossings change in its next search.
  void keep_crossings(EventInfo& info) {
    if (info.roots.data() == crossings_.data()) return;
    std::fill(crossings_.begin(), crossings_.end(), std::int8_t{0});
    std::copy(info.roots.begin(), info.roots.end(), crossings_.begin());
    info.roots = crossings_;
  }

  After pause_before(const EventInfo& info) {
    pending_ = info;
    keep_crossings(pending_);
    report_.end = RunEnd::event;
    return After::paused;
  }

  After stop_before(const EventInfo& info) {
    solver_.reinitialise({.t = info.t, .y = y_, .ydot = ydot_});
    load_state(info.t);
    roots_.start(solver_, info.t, y_, info.roots);
    report_.end = RunEnd::event;
    return After::end;
  }

  After event(EventInfo info) {
    keep_crossings(info);
    if (has_event_rows() && options_.interval > 0 && is_now(info.t, grid_point())) ++grid_index_;
    if (options_.output_at_events) row(info.t, y_, ydot_, OutputRow::Kind::before_event);
    count(info.t);
    switches_ = solver_.switches();
    std::copy(solver_.absolute_tolerances().begin(), solver_.absolute_tolerances().end(), atol_.begin());
    EventState state{.y = y_, .ydot = ydot_, .switches = switches_, .absolute_tolerances = atol_};
    std::uint32_t rounds = 0;
    do {
      state.again = false;
      state.rounds = 1;
      events_.handle(info, state);
      rounds += state.rounds;
      if (++info.iteration > options_.iteration_limit) fail_settling(info.t);
    } while (state.again && !state.terminate);
    log(info, rounds);
    if (state.restart || state.terminate) {
      solver_.reinitialise({.t = info.t, .y = y_, .ydot = ydot_, .switches = &switches_, .absolute_tolerances = atol_});
      // The solver may have corrected the given states.
      load_state(info.t);
      roots_.start(solver_, info.t, y_, crossings_);
    }
    ask_time_event(info.t, y_);
    if (options_.output_at_events) row(info.t, y_, ydot_, OutputRow::Kind::after_event);
    if (state.terminate) report_.end = RunEnd::terminated;
    if (state.terminate) return After::end;
    return state.restart ? After::restarted : After::same;
  }

  void ask_time_event(Time t, ConstVector y) {
    memory_.next_time_event = events_.next_time_event ? events_.next_time_event(t, y, solver_.switches()) : never;
    if (std::isnan(memory_.next_time_event)) {
      throw run_error(
          "the next time event, requested at t = {} s, is not a number; return `never` if there is no event", t)
          .at(t);
    }
  }

  void count(Time t) {
    const bool here = t - memory_.last_event <= same_time * roots_.tolerance(t, 0);
    memory_.events_here = here ? memory_.events_here + 1 : 0;
    memory_.last_event = t;
    if (memory_.events_here >= options_.iteration_limit) {
      throw run_error(
          "{} events occurred at t = {} s without advance of time; let the model come to rest there (a state for "
          "sticking or lying still), or give its conditions a hysteresis",
          memory_.events_here, t)
          .at(t);
    }
  }

  void log(const EventInfo& info, std::uint32_t rounds) {
    if (info.state_event()) ++report_.state_events;
    if (info.time_event) ++report_.time_events;
    if (info.step_event) ++report_.step_events;
    const bool keep = report_.log.size() < options_.log_limit;
    if (!keep && !options_.on_event) return;
    EventRecord record{.t = info.t,
                       .roots = {info.roots.begin(), info.roots.end()},
                       .time_event = info.time_event,
                       .step_event = info.step_event,
                       .iterations = info.iteration,
                       .rounds = rounds};
    if (options_.on_event) options_.on_event(record);
    if (keep) report_.log.push_back(std::move(record));
  }

  [[noreturn]] void fail_settling(Time t) const {
    throw run_error(
        "the event at t = {} s is not settled after {} iterations; let its handler request another one only if it "
        "changed something",
        t, options_.iteration_limit)
        .at(t);
  }

  // Rows that are not at a time of the grid are left to the caller if the driver pauses.
  void row(Time t, ConstVector y, ConstVector ydot, OutputRow::Kind kind) {
    if (at_event_ == AtEvent::pause && kind != OutputRow::Kind::grid && kind != OutputRow::Kind::step) return;
    if (options_.output) options_.output({.t = t, .y = y, .ydot = ydot, .kind = kind});
  }

  [[nodiscard]] Time grid_point() const { return start_ + static_cast<double>(grid_index_) * options_.interval; }

  // The next grid point, or `never` if it is the stop or close to it, because finish() writes that row.
  [[nodiscard]] Time next_row(Time stop) const {
    if (options_.interval == 0 || !options_.output) return never;
    const Time t = grid_point();
    return t >= stop - Grid::slack * options_.interval ? never : t;
  }

  // The grid points before `end`, which lies in the last step. Root functions are compared there as well: the steps of
  // a model without states, or at rest, can be far longer than the time between its events.
  [[nodiscard]] std::span<const Time> rows_before(Time end, Time stop) {
    samples_.clear();
    if (events_.root_count == 0 || next_row(stop) == never) return samples_;
    for (auto i = grid_index_;; ++i) {
      const Time t = start_ + static_cast<double>(i) * options_.interval;
      if (t >= end) return samples_;
      samples_.push_back(t);
    }
  }

  void finish(Time stop) {
    load_state(solver_.time());
    at_ = stop;
    if (solver_.time() != stop) solver_.reinitialise({.t = stop, .y = y_, .ydot = ydot_});
    if (options_.interval > 0) {
      while (start_ + static_cast<double>(grid_index_) * options_.interval <= stop + Grid::slack * options_.interval) {
        ++grid_index_;
      }
    }
    const bool has_row = options_.output_at_events && memory_.last_event == stop;
    if (stop > start_ && !has_row) row(stop, y_, ydot_, OutputRow::Kind::stop);
  }

  Solver& solver_;
  const Events& events_;
  RunOptions options_;
  RootFinder roots_;
  Time start_;
  Time at_ = 0;  // the time of y_
  Rest rest_;
  EventInfo pending_;  // the event that the caller handles
  AtEvent at_event_ = AtEvent::handle;
  bool started_ = false;
  std::uint64_t grid_index_ = 1;
  Memory memory_;
  RunReport report_;
  std::vector<double> y_;
  std::vector<double> ydot_;
  std::vector<double> atol_;
  Switches switches_;
  std::vector<std::int8_t> crossings_;
  std::vector<Time> samples_;
};

Integration::Integration(Solver& solver, const Events& events, const RunOptions& options)
    : impl_(std::make_unique<Impl>(solver, events, options)) {}
Integration::~Integration() = default;
Integration::Integration(Integration&&) noexcept = default;
Integration& Integration::operator=(Integration&&) noexcept = default;

RunEnd Integration::advance(Time stop, AtEvent at_event) { return impl_->advance(stop, at_event); }
Time Integration::time() const { return impl_->time(); }
ConstVector Integration::state() const { return impl_->state(); }
bool Integration::handle_event() { return impl_->handle_event(); }
void Integration::go_on() { impl_->go_on(); }
void Integration::refresh() { impl_->refresh(); }
RunReport Integration::report() const { return impl_->report(); }
Integration::Memory Integration::memory() const {
  Memory result;
  impl_->copy_memory(result);
  return result;
}
void Integration::copy_memory(Memory& to) const { impl_->copy_memory(to); }
void Integration::restore(const Memory& memory) { impl_->restore(memory); }

RunReport integrate(Solver& solver, const Events& events, const RunOptions& options) {
  Integration run(solver, events, options);
  run.advance(options.stop);
  return run.report();
}

RunReport integrate(const Ode& ode, std::string_view solver, const SolverOptions& options, const RunOptions& run) {
  const auto made = make_solver(solver, ode, options);
  return integrate(*made, ode.events, run);
}

RunReport integrate(const Dae& dae, std::string_view solver, const SolverOptions& options, const RunOptions& run) {
  const auto made = make_solver(solver, dae, options);
  return integrate(*made, dae.events, run);
}

}  // namespace consort::solve
