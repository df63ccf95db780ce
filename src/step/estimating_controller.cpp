// Step size control by comparing two solutions: richardson and modified.
#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "couple/direct_paths.hpp"
#include "couple/error_ratio.hpp"
#include "couple/jump_watch.hpp"
#include "step/controller.hpp"
#include "step/saved_run.hpp"
#include "step/step_size.hpp"

namespace consort::step {

using couple::RunState;
using graph::UnitId;

namespace {

// Throws Error (input) with alternatives if a unit cannot roll back.
void require_rollback(const ControllerSetup& setup, std::string_view name) {
  require_variable_steps(setup, name);
  std::vector<std::string_view> unable;
  std::string obstacle;  // of the first one
  bool could = true;     // if run as Model Exchange
  for (UnitId u = 0; u < setup.fleet.size(); ++u) {
    const auto& unit = setup.fleet.traits(u);
    if (unit.can_roll_back()) continue;
    if (unable.empty()) obstacle = unit.rollback_obstacle();
    unable.push_back(unit.name);
    const auto& d = *setup.plan.units[u].description;
    could = could && d.interface(describe::InterfaceType::model_exchange) != nullptr && !unit.responds_without_step;
  }
  if (unable.empty()) return;
  throw input_error(
      "the controller '{}' repeats steps, but {} cannot save and restore {} state{}; run with the controller "
      "'fixed' or 'ecco' (which needs power bonds, but no rollback){}",
      name, unable.size() == 1 ? fmt::format("unit '{}'", unable.front()) : fmt::format("units {}", some_of(unable)),
      unable.size() == 1 ? "its" : "their", unable.size() == 1 ? obstacle : "",
      could ? ", or as Model Exchange (interface: me)" : "");
}

enum class Kind : std::uint8_t { richardson, modified };

class EstimatingController final : public Controller {
 public:
  EstimatingController(Kind kind, const ControllerSetup& setup)
      : kind_(kind),
        point_(setup.stepper.point()),
        order_(point_.order()),
        each_(point_.approximation().each()),
        // Inputs that are known at the end of the step have no extrapolation errors.
        extrapolates_(!setup.stepper.sees_new_values()),
        interpolates_(setup.stepper.interpolates()),
        stops_at_events_(setup.events != nullptr),
        rules_(step_size_rules(setup.settings.control, setup.grid)),
        estimate_(make_estimate(setup)),
        jumps_(setup.plan, estimate_),
        saved_(setup.plan, setup.fleet),
        middle_(saved_) {
    require_rollback(setup, name());
    require(kind_ == Kind::richardson || setup.stepper.takes_past_alone(),
            "the controller 'modified' compares extrapolated inputs, which the stepper '{}' does not have; use "
            "'richardson' with it",
            setup.stepper.name());
    if (estimate_.outputs().empty()) rules_.maximum = rules_.initial;
    const auto all = setup.plan.all_units();
    units_ = setup.fleet.reserve_snapshot(all);
    if (kind_ == Kind::modified) middle_units_ = setup.fleet.reserve_snapshot(all);
    paths_ = couple::DirectPaths(setup.plan, estimate_.outputs());
    // The matrix applies to polynomials through values only.
    corrects_ =
        kind_ == Kind::richardson && extrapolates_ && each_ == 1 && paths_.in_series() && paths_.known(setup.fleet);
    if (setup.settings.control.tolerance_for == graph::StepControl::ToleranceFor::run)
      run_ = setup.grid.stop() - setup.grid.start();
    // With a tolerance for the run, a step's share of it is proportional to the step size, which costs one order.
    local_order_ = order_ + (estimate_.has_feed_through() || run_ > 0 ? 1 : 2);
    const bool as_equal = setup.settings.control.divisor == graph::StepControl::Divisor::equal_steps;
    knows_ratio_ = as_equal || order_ == 0;
    if (knows_ratio_) ratio_ = couple::equal_steps_ratio(order_, kind_ == Kind::modified, each_);
    for (const auto& unit : setup.plan.units) names_.push_back(unit.name);
    for (const auto& unit : setup.fleet.traits()) units_announce_events_ |= unit.announces_events();
    make_notes(tolerances(setup.settings.control, setup.tolerance).relative);
    if (!setup.settings.control.maximum && rules_.maximum == most_growth * setup.grid.step())
      notes_.push_back(note_on_maximum(rules_, most_growth, "communication step"));
  }

  [[nodiscard]] std::string_view name() const override { return kind_ == Kind::richardson ? "richardson" : "modified"; }
  [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }
  [[nodiscard]] std::span<const couple::EstimatedOutput> estimated() const override { return estimate_.outputs(); }

  unit::StepOutcome advance(Stepper& stepper, fleet::Fleet& fleet, RunState& state, Time limit) override {
    auto& control = state.control;
    if (control.signals.empty()) control.signals.resize(estimate_.outputs().size());
    save(fleet, state);
    const Time event = known_event(state);
    failures_ = 0;
    for (;;) {
      const Attempt attempt = next_attempt(rules_, control, state.t, limit);
      const Trial trial{state.t, 0.5 * (attempt.end - state.t), attempt.end};
      const Tried tried = attempt_step(stepper, fleet, state, trial);
      if (tried.outcome.why == unit::Why::event) return tried.outcome;
      if (tried.outcome.why == unit::Why::terminate) {
        const Time end = end_of_run(state, trial);
        if (end <= trial.t + rules_.minimum) return finish_early(tried.outcome, state, trial);
        if (end < trial.end) {  // repeat the step up to that time, with all units
          restore(fleet, state);
          limit = end;
          continue;
        }
      }
      const double factor = step_factor(rules_, tried.error, control.error, local_order_);
      const bool enough = tried.error <= 1;
      if (enough || stagnates(attempt.step, tried)) {
        accept(state, trial, attempt, tried.error, event);
        // A step that was shortened to end somewhere says little about longer ones.
        control.next = enough ? std::max(factor * attempt.step, attempt.step < attempt.wanted ? attempt.wanted : 0.0)
                              : 0.5 * first_failure_;  // shortening had no effect, so the step was not too long
        return tried.outcome;
      }
      reject(fleet, state, attempt, tried);
      // If shortening steps may have no effect, find out with few trials.
      const double shorter = estimate_.has_feed_through() && failures_ > 1 ? std::min(factor, 0.1) : factor;
      control.next = std::max(shorter * attempt.step, rules_.minimum);
    }
  }

  [[nodiscard]] std::vector<std::string> warnings(const RunState& state) const override {
    const auto& c = state.control;
    if (estimate_.outputs().empty())
      return {fmt::format(
          "there is nothing to estimate: no Float64 output is connected or belongs to a unit with inputs; so the "
          "controller '{}' took fixed steps of {:.6g} s, the initial size, whose error is not known: compare with a "
          "run with shorter steps, or connect or record the Float64 variables that matter",
          name(), rules_.initial)};
    std::vector<std::string> all;
    if (c.jumps.count > 0)
      all.push_back(
          fmt::format("outputs jumped inside of steps ({}): both solutions jump, so the estimate does not cover the "
                      "error of such a step; set the largest step ('maximum') to the error of time that is acceptable",
                      couple::text_of(c.jumps, [&](std::uint64_t i) { return jumps_.name(i); })));
    if (c.exceeded > 0) all.push_back(exceeded_text(c));
    return all;
  }

 private:
  struct Trial {
    Time t = 0;
    Duration h = 0;  // size of each half
    Time end = 0;
    [[nodiscard]] Time middle() const { return t + h; }
  };
  struct Tried {
    unit::StepOutcome outcome{};
    double error = std::numeric_limits<double>::infinity();
    bool converged = true;  // false: the iteration of a step failed
    bool failed = false;    // an error is stored in failure_
  };
  struct Failure {
    Duration step = 0;
    double error = 0;
  };

  static couple::ErrorEstimate make_estimate(const ControllerSetup& setup) {
    const auto t = tolerances(setup.settings.control, setup.tolerance);
    return couple::ErrorEstimate(couple::estimated_outputs(setup.plan, setup.is_late),
                                 {t.relative, t.absolute, setup.settings.control.norm});
  }

  // --- the two solutions

  // An error in a step that is too long may not occur in a shorter one, so it is kept for later.
  Tried attempt_step(Stepper& stepper, fleet::Fleet& fleet, RunState& state, const Trial& trial) {
    Tried tried;
    state.discarded_by = graph::no_unit;
    try {
      tried.outcome = kind_ == Kind::richardson ? compare_with_one_step(stepper, fleet, state, trial)
                                                : compare_second_half(stepper, fleet, state, trial);
      tried.converged = tried.outcome.why != unit::Why::discarded;
      if (tried.converged && tried.outcome.why != unit::Why::event) tried.error = compare(fleet, state, trial);
    } catch (const Error& error) {
      if (error.fault() != Fault::run) throw;
      failure_ = std::current_exception();
      tried.failed = true;
      tried.outcome.why = unit::Why::discarded;
    }
    return tried;
  }

  unit::StepOutcome compare_with_one_step(Stepper& stepper, fleet::Fleet& fleet, RunState& state, const Trial& trial) {
    if (!knows_ratio_) {
      const auto first = couple::nodes_before(point_.history(), state.memory, trial.t, trial.h, order_);
      const auto coarse = couple::nodes_before(point_.coarse(), state.memory, trial.t, trial.h, order_);
      const auto ratio = point_.approximation().error_ratio;
      ratio_ = interpolates_ ? couple::interpolated_error_ratio(coarse, first, order_, each_)
                             : ratio(coarse, first, couple::nodes_of_second_half(first, order_, each_));
    }
    const auto past = order_ > 0 ? Past::coarse : Past::usual;
    const auto whole = run(stepper, fleet, state, {trial.t, 2 * trial.h, trial.end, true, past});
    if (is_useless(whole)) return whole;
    estimate_.keep_coarse(state.signals.outputs);
    restore(fleet, state);
    return fine(stepper, fleet, state, trial);
  }

  unit::StepOutcome compare_second_half(Stepper& stepper, fleet::Fleet& fleet, RunState& state, const Trial& trial) {
    if (!knows_ratio_) {
      const auto first = couple::nodes_before(point_.history(), state.memory, trial.t, trial.h, order_);
      ratio_ = point_.approximation().error_ratio(first, first, couple::nodes_of_second_half(first, order_, each_));
    }
    const auto& history = point_.history();
    const auto before = history.ends(state.memory);
    const auto outcome = run(stepper, fleet, state, {trial.t, trial.h, trial.middle(), true, Past::kept});
    if (!outcome.completed()) return outcome;
    fleet.save(middle_units_);
    middle_.keep(state);
    // The step with Past::alone must also ignore events in the first half, which dropped the past.
    if (history.points(state.memory) == 0) history.take_up(state.memory, before);
    const auto alone =
        run(stepper, fleet, state, {trial.middle(), trial.end - trial.middle(), trial.end, true, Past::alone});
    if (is_useless(alone)) return alone;
    estimate_.keep_coarse(state.signals.outputs);
    fleet.restore(middle_units_);
    middle_.bring_back(state);
    return run(stepper, fleet, state, {trial.middle(), trial.end - trial.middle(), trial.end, true});
  }

  unit::StepOutcome fine(Stepper& stepper, fleet::Fleet& fleet, RunState& state, const Trial& trial) {
    const auto outcome = run(stepper, fleet, state, {trial.t, trial.h, trial.middle(), true});
    if (!outcome.completed()) return outcome;
    return run(stepper, fleet, state, {trial.middle(), trial.end - trial.middle(), trial.end, true});
  }

  unit::StepOutcome run(Stepper& stepper, fleet::Fleet& fleet, RunState& state, Interval interval) const {
    ++state.control.unit_steps;
    interval.stop_at_event = stops_at_events_;
    interval.may_discard = true;
    interval.units_may_discard = true;
    return stepper.step(fleet, state, interval);
  }
  // True if units are undefined after the step.
  static bool is_useless(const unit::StepOutcome& outcome) {
    return outcome.why == unit::Why::discarded || outcome.why == unit::Why::event;
  }

  // If outputs with feed-through are in series and derivatives are known, the divisor is a matrix (methods of E eq.
  // 25).
  double compare(fleet::Fleet& fleet, const RunState& state, const Trial& trial) {
    const double share = run_ > 0 ? (trial.end - trial.t) / run_ : 1.0;
    if (!corrects_) return estimate_.compare(state.signals.outputs, ratio_, share);
    paths_.evaluate(fleet);
    return estimate_.compare(state.signals.outputs, ratio_, share,
                             [&](std::vector<double>& differences) { return paths_.correct(ratio_, differences); });
  }

  [[nodiscard]] std::string exceeded_text(const couple::ControlState& c) const {
    std::vector<std::string_view> jumping;
    for (const auto& o : estimate_.outputs())
      if (o.may_jump) jumping.push_back(o.name);
    return fmt::format(
        "in {} of {} steps the error was above the tolerance for any step size, at most by a factor of {:.3g}: {}",
        c.exceeded, c.accepted, c.largest_error,
        estimate_.has_feed_through()
            ? "outputs that follow inputs directly are known a step late; iterate the steps, or run these units as "
              "Model Exchange"
            : fmt::format(
                  "{} jump{} at a time that depends on the step; reduce the largest step ('maximum') and compare "
                  "the results",
                  some_of(jumping, 4), jumping.size() == 1 ? "s" : ""));
  }

  // --- accepted and rejected steps

  // The first event or corner after the present time that units, tables or scenarios announce.
  [[nodiscard]] Time known_event(const RunState& state) const {
    Time first = std::min(point_.next_event(state), point_.next_corner(state));
    if (!units_announce_events_) return first;
    for (const Time t : state.signals.next_event)
      if (t > state.t) first = std::min(first, t);
    return first;
  }

  // `event`: the first known one after the beginning of the step.
  void accept(RunState& state, const Trial& trial, const Attempt& attempt, double error, Time event) {
    auto& control = state.control;
    const bool at_event = trial.end >= event - fleet::slack(trial.t, trial.end);
    jumps_.look(control, saved_.other_outputs(), state.signals.outputs, trial.end, trial.end - trial.t,
                at_event || control.at_event);
    control.at_event = at_event;
    estimate_.count(control);
    count_accepted(control, attempt, trial.t, error);
    if (control.error_decided && !estimate_.outputs().empty()) ++control.signals[estimate_.worst()].limited;
    if (kind_ == Kind::modified || order_ == 0) return;
    // Add the beginning of this step to the coarse past, unless an event dropped the past.
    const auto& past = point_.history();
    const auto& coarse = point_.coarse();
    if (past.points(state.memory) >= 2 && past.time(state.memory, 1) == trial.t) {
      coarse.push(state.memory, past, 1);
    } else {
      coarse.drop(state.memory);
    }
  }

  void reject(fleet::Fleet& fleet, RunState& state, const Attempt& attempt, const Tried& tried) {
    auto& control = state.control;
    const bool has_estimate = tried.converged && !tried.failed;
    if (has_estimate) ++control.signals[estimate_.worst()].limited;
    ++control.rejected;
    try {
      restore(fleet, state);
    } catch (const Error&) {  // the unit failed for good: report its first error instead
      if (!tried.failed) throw;
      std::rethrow_exception(failure_);
    }
    if (failures_ == 0) first_failure_ = attempt.step;
    failures_ = std::min<std::size_t>(failures_ + 1, last_.size());
    std::rotate(last_.rbegin(), last_.rbegin() + 1, last_.rend());
    last_.front() = {attempt.step, tried.error};
    if (attempt.step > rules_.minimum * (1 + 1e-9)) return;
    if (tried.failed) std::rethrow_exception(failure_);
    throw too_small(state, has_estimate);
  }

  // True if the error does not decrease with the step size, over decades of it or down to the smallest step, because
  // inputs of outputs with feed-through are known too late, or because an output jumps.
  [[nodiscard]] bool stagnates(Duration step, const Tried& tried) const {
    if (!std::isfinite(tried.error) || tried.failed || estimate_.outputs().empty()) return false;
    if (!estimate_.has_feed_through() && !estimate_.outputs()[estimate_.worst()].may_jump) return false;
    const double longer = step <= rules_.minimum * (1 + 1e-9) ? 1.01 : 90;
    bool is_flat = false;
    for (std::size_t i = 0; i < failures_; ++i) {
      if (!(last_[i].error <= tried.error / 0.8)) return is_flat;
      is_flat = is_flat || last_[i].step >= longer * step;
    }
    return is_flat;
  }

  // The first time at which a unit asks to end the run; the end of the trial if both are almost equal.
  static Time end_of_run(const RunState& state, const Trial& trial) {
    const Time end = std::min(trial.end, state.stop.at);
    return trial.end - end < 1e-9 * (trial.end - trial.t) ? trial.end : end;
  }

  // A unit asked to end the run at once: the time reached is accepted, without an estimate.
  static unit::StepOutcome finish_early(const unit::StepOutcome& outcome, RunState& state, const Trial& trial) {
    state.control.taken = state.t - trial.t;
    ++state.control.accepted;
    return outcome;
  }

  [[nodiscard]] Error too_small(const RunState& state, bool has_estimate) const {
    const Time t = state.t;
    if (!has_estimate && state.discarded_by != graph::no_unit)
      return run_error(
          "unit '{}' discards every step at t = {} s, down to the smallest one ({:.3g} s); check its inputs there, or "
          "allow smaller steps ('minimum')",
          names_[state.discarded_by], t, rules_.minimum);
    if (!has_estimate)
      return run_error(
          "the step at t = {} s does not converge even with the smallest step ({:.3g} s), or has values that are "
          "not numbers; allow smaller steps ('minimum'), or change the iteration of the coupling (method, relaxation, "
          "more iterations)",
          t, rules_.minimum);
    const auto& o = estimate_.outputs()[estimate_.worst()];
    if (std::isnan(last_.front().error))
      return run_error(
          "'{}' is not a number (NaN) in every step from t = {} s on, down to the smallest one ({:.3g} s); check the "
          "inputs of its unit and the unit's equations for a division by zero",
          o.name, t, rules_.minimum);
    std::vector<std::string> tried;
    for (std::size_t i = 0; i < failures_; ++i)
      tried.push_back(fmt::format("{:.3g} with {:.3g} s", last_[i].error, last_[i].step));
    return run_error(
        "the coupling error at t = {} s stays above the tolerance even with the smallest step ({:.3g} s): the error of "
        "'{}' is {:.3g} times the allowed {:.3g}; errors of the last trials, newest first: {}; if its "
        "values are large, raise the absolute tolerance or its nominal value ({:.3g}), allow smaller steps "
        "('minimum'), or check for a discontinuity of '{}' there, which a scenario or an event of its unit should "
        "announce",
        t, rules_.minimum, o.name, estimate_.largest(), estimate_.allowed(estimate_.worst()), fmt::join(tried, ", "),
        o.nominal, o.name);
  }

  // --- going back

  void save(fleet::Fleet& fleet, RunState& state) {
    fleet.save(units_);
    saved_.keep(state);
  }
  void restore(fleet::Fleet& fleet, RunState& state) {
    fleet.restore(units_);
    saved_.bring_back(state);
  }

  void make_notes(double tolerance) {
    if (!extrapolates_ && kind_ == Kind::modified)
      notes_.emplace_back(
          "the error estimate of 'modified' is for extrapolated inputs; it hardly shows errors of inputs known at "
          "the end of the step: use 'richardson' for them");
    if (estimate_.outputs().empty()) return;
    if (order_ == 0 && extrapolates_)
      notes_.emplace_back(
          "inputs are held within a step (order 0): extrapolated inputs (order 1) meet the same tolerance in fewer "
          "steps");
    constexpr double loose = 1e-2;
    if (tolerance > loose)
      notes_.push_back(fmt::format(
          "with a tolerance of {:.3g}, every step may have errors of that part of a signal; such errors can "
          "amplify each other until the result is useless, and no estimate shows it: use {} or less",
          tolerance, loose));
    std::vector<std::string_view> direct, second_hand;
    for (const auto& o : estimate_.outputs()) {
      if (o.feed_through) direct.push_back(o.name);
      if (o.second_hand) second_hand.push_back(o.name);
    }
    if (!second_hand.empty())
      notes_.push_back(
          fmt::format("the errors of {} are estimated low, by a factor of 0.6 to 0.7, because inputs act only on their "
                      "second derivatives",
                      some_of(second_hand, 4)));
    if (direct.empty()) return;
    const auto shown = std::span(direct).first(std::min<std::size_t>(direct.size(), 4));
    notes_.push_back(
        fmt::format("{}{} follow{} inputs directly: the error falls with order {} there{}", fmt::join(shown, ", "),
                    direct.size() > shown.size() ? ", …" : "", direct.size() == 1 ? "s" : "", order_ + 1,
                    each_ > 1             ? ", and its estimate is wrong by a factor, since slopes there are those of "
                                            "extrapolated inputs"
                    : !paths_.in_series() ? ""
                    : corrects_           ? ", and its estimate uses the derivatives of such units in series"
                                : ", and its estimate is wrong by a factor, since such units are in series and "
                                  "their derivatives are not known or not used by this controller"));
  }

  Kind kind_;
  couple::Point& point_;
  int order_;
  int each_;  // interpolation data per point
  bool extrapolates_;
  bool interpolates_;
  bool stops_at_events_;
  bool units_announce_events_ = false;
  StepSizeRules rules_;
  couple::ErrorEstimate estimate_;
  couple::JumpWatch jumps_;
  couple::DirectPaths paths_;
  bool corrects_ = false;
  int local_order_ = 2;
  Duration run_ = 0;  // length of the run if the tolerance is for the whole run
  couple::ErrorRatio ratio_;
  bool knows_ratio_ = false;  // ratio_ is the same for all steps
  std::vector<std::string> notes_;
  std::vector<std::string> names_;  // of units
  // Valid for the present step.
  fleet::SnapshotId units_{}, middle_units_{};
  SavedRun saved_, middle_;
  std::array<Failure, 4> last_{};
  std::size_t failures_ = 0;
  Duration first_failure_ = 0;
  std::exception_ptr failure_;  // of the last trial that failed with an error
};

}  // namespace

std::unique_ptr<Controller> make_richardson(const ControllerSetup& setup) {
  return std::make_unique<EstimatingController>(Kind::richardson, setup);
}

std::unique_ptr<Controller> make_modified(const ControllerSetup& setup) {
  return std::make_unique<EstimatingController>(Kind::modified, setup);
}

}  // namespace consort::step
