#include "engine/simulate.hpp"

#include <chrono>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/input_feed.hpp"
#include "engine/recorder.hpp"
#include "engine/run_plan.hpp"
#include "engine/schedule.hpp"
#include "engine/start_values.hpp"
#include "engine/step_taker.hpp"

namespace consort::engine {

using Clock = std::chrono::steady_clock;

namespace {

double seconds_since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

class Run {
 public:
  Run(unit::Unit& unit, const SimulateOptions& options, const input::InputTable* table,
      std::span<record::Sink* const> sinks)
      : unit_(unit),
        o_(options),
        table_(table),
        sinks_(sinks),
        plan_(make_run_plan(unit.description(), describe::InterfaceType::co_simulation, options, report_.assumed)),
        schedule_(Grid(plan_.start, plan_.stop, plan_.step), output_grid(), unit.variable_step()) {
    report_.start = plan_.start;
    report_.stop = plan_.stop;
    report_.step = plan_.step;
    report_.reached = plan_.start;
    if (schedule_.ends_short()) {
      report_.warnings.push_back(
          fmt::format("the step {} s does not divide the run and the unit takes no other: it ends at {} s", plan_.step,
                      schedule_.stop()));
    }
    if (o_.output_interval && !unit.variable_step()) {
      report_.warnings.emplace_back(
          "the unit takes equal steps only: rows are recorded at the first communication point after each output "
          "point");
    }
  }

  RunReport operator()() {
    const auto begun = Clock::now();
    begun_ = last_look_ = begun;
    starts_ = resolve_start_values(unit_.description(), o_.start_values);
    Recorder recorder(unit_, o_.outputs, starts_, sinks_);
    recorder_ = &recorder;
    connect_inputs();
    check_state_files();
    initialize();
    recorder.begin(plan_);
    recorder.write(plan_.start);
    Time t = plan_.start;
    StepTaker steps(unit_, inputs_);
    steps_ = &steps;
    while (!schedule_.done(t) && report_.ended_early.empty()) t = advance(t);
    steps.end();
    report_.discarded = steps.discarded();
    if (!steps.warning().empty()) report_.warnings.push_back(steps.warning());
    if (o_.keep_final_state) keep_final_state();
    unit_.terminate();
    recorder.end();
    report_.rows = recorder.rows();
    if (!recorder.warning().empty()) report_.warnings.push_back(recorder.warning());
    report_.wall_seconds = seconds_since(begun);
    return std::move(report_);
  }

 private:
  [[nodiscard]] std::optional<Grid> output_grid() const {
    if (!o_.output_interval) return std::nullopt;
    return Grid(plan_.start, plan_.stop, *o_.output_interval);
  }

  // --- set-up

  void connect_inputs() {
    if (table_ == nullptr) return;
    inputs_ = InputFeed(unit_, *table_);
    if (inputs_.holds_means()) {
      report_.assumed.emplace_back(
          "continuous inputs are held at their mean over each step (the unit takes no input derivatives)");
    }
  }

  // Before anything runs: what cannot be kept at the end need not be computed.
  void check_state_files() {
    if (o_.initial_state.empty() && !o_.keep_final_state) return;
    auto* const states = unit_.rollback();
    require_in_unit(
        unit_.name(), states != nullptr && states->can_serialize(),
        "unit '{}' can neither write its state to a file nor take one over: its description does not say that it "
        "serialises its state; run it without an initial and a final state",
        unit_.name());
    require_in_unit(unit_.name(), o_.initial_state.empty() || o_.start_values.empty(),
                    "unit '{}' starts from a saved state, so start values have no effect; leave out one of the two",
                    unit_.name());
  }

  void initialize() {
    if (!o_.initial_state.empty()) {
      auto& states = *unit_.rollback();
      states.restore(*states.deserialize(o_.initial_state));
      return;
    }
    apply_structural(starts_, unit_);
    apply(starts_, unit_);
    const Time from = input_time(plan_.start);
    inputs_.set_initial(from);
    // A unit that knows its stop time refuses to go beyond it; whoever keeps its state wants it to.
    const auto stop = o_.keep_final_state ? std::nullopt : std::optional<Time>(plan_.stop);
    unit_.enter_initialization({plan_.start, stop, plan_.tolerance});
    // FMI 2.0 and 3.0: inputs are set in initialization mode. What was set before is for units that compute already
    // when they enter it.
    apply_inputs(starts_, unit_);
    inputs_.set_initial(from);
    unit_.exit_initialization();
    if (auto* const events = unit_.events()) {
      if (inputs_.has_clocks()) inputs_.set_all(from);
      iterate(*events, plan_.start);
    }
  }

  // --- the loop

  Time advance(Time t) {
    const Time from = input_time(t);
    const auto event = earliest(inputs_.next_event_after(from), next_event_);
    const auto point = schedule_.next(t, event);
    const unit::StepOutcome outcome = steps_->step(t, point.h, from);
    ++report_.steps;
    const bool whole = outcome.why != unit::Why::early && outcome.reached >= t + point.h - schedule_.tolerance();
    const Time now = whole ? point.t : outcome.reached;
    check_progress(t, now, point);
    report_.reached = now;
    if (outcome.why == unit::Why::early) ++report_.early_returns;
    if (outcome.why == unit::Why::terminate)
      report_.ended_early = fmt::format("the unit asked to end the simulation at t = {} s", now);
    const bool input_event = event && *event <= now + schedule_.tolerance();
    if (unit_.events() != nullptr && report_.ended_early.empty() && (outcome.why == unit::Why::event || input_event)) {
      recorder_->write(now);
      handle_event(now);
      recorder_->write(now);
    } else if ((whole && point.record) || !report_.ended_early.empty()) {
      recorder_->write(now);
    }
    look_around(now);
    return now;
  }

  // Where inputs are looked up: an input event that rounding has put right after t is one at t.
  [[nodiscard]] Time input_time(Time t) const {
    const Time latest = t + schedule_.tolerance();
    for (auto event = inputs_.next_event_after(t); event && *event <= latest; event = inputs_.next_event_after(t))
      t = *event;
    return t;
  }

  static std::optional<Time> earliest(std::optional<Time> a, std::optional<Time> b) {
    if (!a || !b) return a ? a : b;
    return std::min(*a, *b);
  }

  // What a unit says about how far it came is not to be trusted.
  void check_progress(Time t, Time now, const Schedule::Point& point) {
    if (!(now >= t && now <= point.t + schedule_.tolerance())) {
      throw run_error(
          "unit '{}' was asked to step from {} s to {} s and says that it came to {} s; report it to the maker of the "
          "FMU",
          unit_.name(), t, point.t, now)
          .in_unit(unit_.name())
          .at(t);
    }
    constexpr int most = 1000;
    steps_without_progress_ = now > t ? 0 : steps_without_progress_ + 1;
    if (steps_without_progress_ == most) {
      throw run_error(
          "unit '{}' returns from its steps at t = {} s without getting any further; run it without "
          "--early-return-allowed",
          unit_.name(), t)
          .in_unit(unit_.name())
          .at(t);
    }
  }

  void handle_event(Time t) {
    auto& events = *unit_.events();
    events.enter_event_mode();
    inputs_.set_all(input_time(t));
    iterate(events, t);
  }

  // Until the unit settles; then it is back in step mode, unless it wants to end.
  void iterate(unit::Events& events, Time t) {
    ++report_.events;
    constexpr int most = 1000;
    for (int i = 0;; ++i) {
      const auto outcome = events.update();
      if (outcome.terminate) report_.ended_early = fmt::format("the unit asked to end the simulation at t = {} s", t);
      if (outcome.terminate) return;
      // FMI 3.0, 4.2.1: event mode is entered again when this time is reached; one that is not ahead has been handled.
      next_event_ =
          outcome.next_event && *outcome.next_event > t + schedule_.tolerance() ? outcome.next_event : std::nullopt;
      if (!outcome.repeat) return events.leave_event_mode();
      if (i == most)
        throw run_error(
            "unit '{}' asks for another event iteration at t = {} s after {} of them; its events do not settle",
            unit_.name(), t, most)
            .in_unit(unit_.name())
            .at(t);
    }
  }

  // Progress and requests to stop; the clock is read rarely when steps are fast.
  void look_around(Time t) {
    if (o_.stop_requested != nullptr && o_.stop_requested->load(std::memory_order_relaxed) &&
        report_.ended_early.empty() && !schedule_.done(t)) {
      report_.ended_early = fmt::format("stopped on request at t = {} s", t);
    }
    if (++steps_since_look_ < steps_per_look_) return;
    steps_since_look_ = 0;
    const auto now = Clock::now();
    const double since = std::chrono::duration<double>(now - last_look_).count();
    if (since < 0.02 && steps_per_look_ < 65536) steps_per_look_ *= 2;
    if (since > 0.2 && steps_per_look_ > 1) steps_per_look_ /= 2;
    last_look_ = now;
    if (o_.progress)
      o_.progress({plan_.start, t, plan_.stop, plan_.step, std::chrono::duration<double>(now - begun_).count()});
  }

  void keep_final_state() {
    auto& states = *unit_.rollback();
    report_.final_state = states.serialize(*states.save());
  }

  unit::Unit& unit_;
  const SimulateOptions& o_;
  const input::InputTable* table_;
  std::span<record::Sink* const> sinks_;
  RunReport report_;
  RunPlan plan_;
  Schedule schedule_;
  StartValues starts_;

  Recorder* recorder_ = nullptr;  // of the present call, as is
  StepTaker* steps_ = nullptr;
  InputFeed inputs_;
  std::optional<Time> next_event_;  // of a unit in event mode
  int steps_without_progress_ = 0;

  Clock::time_point begun_, last_look_;
  std::uint32_t steps_since_look_ = 0, steps_per_look_ = 1;
};

}  // namespace

RunReport simulate(unit::Unit& unit, const SimulateOptions& options, const input::InputTable* table,
                   std::span<record::Sink* const> sinks) {
  return Run(unit, options, table, sinks)();
}

std::string RunReport::text() const {
  std::string out = fmt::format("simulated {} s to {} s in {} steps of {} s, {} rows, in {}", start, reached, steps,
                                step, rows, duration_text(wall_seconds));
  if (wall_seconds > 0 && reached > start)
    out += fmt::format(" ({:.3g} times real time)", (reached - start) / wall_seconds);
  if (events > 0) out += fmt::format("\n  events: {}", events);
  if (early_returns > 0) out += fmt::format("\n  early returns: {}", early_returns);
  if (discarded > 0) out += fmt::format("\n  discarded steps: {}", discarded);
  for (const auto& n : notes) out += fmt::format("\n  {}", n);
  for (const auto& a : assumed) out += fmt::format("\n  assumed: {}", a);
  for (const auto& w : warnings) out += fmt::format("\n  warning: {}", w);
  if (!ended_early.empty()) out += fmt::format("\n  ended early: {}", ended_early);
  return out;
}

}  // namespace consort::engine
