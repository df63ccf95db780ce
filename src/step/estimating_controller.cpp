// Step size control by comparing two solutions: richardson and modified.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "couple/direct_paths.hpp"
#include "couple/error_ratio.hpp"
#include "step/controller.hpp"
#include "step/saved_run.hpp"
#include "step/step_size.hpp"

namespace consort::step {

using couple::RunState;
using graph::UnitId;

namespace {

void require_rollback(const ControllerSetup& setup, std::string_view name) {
  require_variable_steps(setup, name);
  for (UnitId u = 0; u < setup.fleet.size(); ++u) {
    auto& unit = setup.fleet.unit(u);
    require(unit.rollback() != nullptr,
            "the controller '{}' repeats steps, but unit '{}' cannot save and restore its state; run with the "
            "controller 'ecco' (which needs power bonds, but no rollback) or 'fixed', or use the unit's Model Exchange "
            "interface if it has one (interface: me)",
            name, unit.name());
  }
}

enum class Kind : std::uint8_t { richardson, modified };

class EstimatingController final : public Controller {
 public:
  EstimatingController(Kind kind, const ControllerSetup& setup)
      : kind_(kind),
        order_(setup.settings.extrapolation),
        // Inputs that know the end of the step do not follow the errors of extrapolation.
        extrapolates_(!setup.stepper.sees_new_values()),
        rules_(step_size_rules(setup.settings.control, setup.grid.step(), setup.grid.stop() - setup.grid.start())),
        estimate_(make_estimate(setup)),
        saved_(setup.plan, setup.fleet),
        middle_(saved_) {
    require_rollback(setup, name());
    require(kind_ == Kind::richardson || setup.stepper.takes_past_alone(),
            "the controller 'modified' compares extrapolated inputs, which the stepper '{}' does not have; use "
            "'richardson' with it",
            setup.stepper.name());
    all_ = setup.plan.all_units();
    paths_ = couple::DirectPaths(setup.plan, estimate_.outputs());
    corrects_ = kind_ == Kind::richardson && paths_.in_series() && paths_.known(setup.fleet);
    if (setup.settings.control.tolerance_for == graph::StepControl::ToleranceFor::run)
      run_ = setup.grid.stop() - setup.grid.start();
    // The share of a step in the tolerance falls with its size, and takes one order.
    local_order_ = order_ + (estimate_.has_feed_through() || run_ > 0 ? 1 : 2);
    const bool as_equal = setup.settings.control.divisor == graph::StepControl::Divisor::equal_steps;
    knows_ratio_ = as_equal || !extrapolates_ || order_ == 0;
    if (knows_ratio_) ratio_ = couple::equal_steps_ratio(order_, kind_ == Kind::modified);
    make_notes();
  }

  [[nodiscard]] std::string_view name() const override { return kind_ == Kind::richardson ? "richardson" : "modified"; }
  [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }
  [[nodiscard]] std::span<const couple::EstimatedOutput> estimated() const override { return estimate_.outputs(); }

  unit::StepOutcome advance(Stepper& stepper, unit::Fleet& fleet, RunState& state, Time limit) override {
    auto& control = state.control;
    if (control.next <= 0) control.next = rules_.initial;
    if (control.signals.empty()) control.signals.resize(estimate_.outputs().size());
    save(fleet, state);
    failures_ = 0;
    for (;;) {
      const Duration wanted = std::clamp(control.next, rules_.minimum, rules_.maximum);
      const Duration step = fit_step(wanted, limit - state.t);
      const bool lands = step >= limit - state.t;
      const Time end = lands ? limit : state.t + step;
      const Trial trial{state.t, 0.5 * (end - state.t), end};
      const auto outcome = kind_ == Kind::richardson ? compare_with_one_step(stepper, fleet, state, trial)
                                                     : compare_second_half(stepper, fleet, state, trial);
      if (outcome.why == unit::Why::terminate) return finish_early(outcome, state, trial);
      const bool converged = outcome.why != unit::Why::discarded;
      const double error = converged ? compare(fleet, state, trial) : not_converged;
      const double factor = step_factor(rules_, error, control.error, local_order_);
      if (converged && !estimate_.outputs().empty()) ++control.signals[estimate_.worst()].limited;
      if (error <= 1) {
        accept(state, trial, error);
        // A step that was cut short to land somewhere says little about longer ones.
        control.next = std::max(factor * step, step < wanted ? wanted : 0.0);
        return outcome;
      }
      ++control.rejected;
      restore(fleet, state);
      failures_ = std::min<std::size_t>(failures_ + 1, last_.size());
      std::rotate(last_.rbegin(), last_.rbegin() + 1, last_.rend());
      last_.front() = {step, error};
      if (step <= rules_.minimum * (1 + 1e-9)) throw too_small(state.t);
      control.next = std::max(factor * step, rules_.minimum);
    }
  }

 private:
  static constexpr double not_converged = std::numeric_limits<double>::infinity();
  struct Trial {
    Time t = 0;
    Duration h = 0;  // of each half
    Time end = 0;
    [[nodiscard]] Time middle() const { return t + h; }
  };
  struct Failure {
    Duration step = 0;
    double error = 0;
  };

  static couple::ErrorEstimate make_estimate(const ControllerSetup& setup) {
    const auto t = tolerances(setup.settings.control, setup.tolerance);
    return couple::ErrorEstimate(couple::estimated_outputs(setup.plan, setup.feeds_through),
                                 {t.relative, t.absolute, setup.settings.control.norm});
  }

  // --- the two solutions

  unit::StepOutcome compare_with_one_step(Stepper& stepper, unit::Fleet& fleet, RunState& state, const Trial& trial) {
    if (!knows_ratio_) {
      const auto first = couple::nodes_before(state.history, trial.t, trial.h, order_);
      const auto coarse = couple::nodes_before(state.coarse, trial.t, trial.h, order_);
      ratio_ = couple::error_ratio(coarse, first, couple::nodes_of_second_half(first, order_));
    }
    const bool looks_back = order_ > 0;
    if (looks_back) std::swap(state.history, state.coarse);
    const auto whole = run(stepper, fleet, state, {trial.t, 2 * trial.h, trial.end, true});
    if (looks_back) std::swap(state.history, state.coarse);
    if (whole.why == unit::Why::discarded) return whole;
    estimate_.keep_coarse(state.signals.outputs);
    restore(fleet, state);
    return fine(stepper, fleet, state, trial);
  }

  unit::StepOutcome compare_second_half(Stepper& stepper, unit::Fleet& fleet, RunState& state, const Trial& trial) {
    if (!knows_ratio_) {
      const auto first = couple::nodes_before(state.history, trial.t, trial.h, order_);
      ratio_ = couple::error_ratio(first, first, couple::nodes_of_second_half(first, order_));
    }
    const auto before = state.history.mark();
    const auto outcome = run(stepper, fleet, state, {trial.t, trial.h, trial.middle(), true, Past::kept});
    if (!outcome.completed()) return outcome;
    fleet.save(all_, middle_units_);
    middle_.keep(state);
    // Who knows of nothing new does not know of an event either that made the past worthless.
    if (state.history.points() == 0) state.history.take_up(before);
    run(stepper, fleet, state, {trial.middle(), trial.end - trial.middle(), trial.end, true, Past::alone});
    estimate_.keep_coarse(state.signals.outputs);
    fleet.restore(middle_units_);
    middle_.bring_back(state);
    return run(stepper, fleet, state, {trial.middle(), trial.end - trial.middle(), trial.end, true});
  }

  unit::StepOutcome fine(Stepper& stepper, unit::Fleet& fleet, RunState& state, const Trial& trial) {
    const auto outcome = run(stepper, fleet, state, {trial.t, trial.h, trial.middle(), true});
    if (!outcome.completed()) return outcome;
    return run(stepper, fleet, state, {trial.middle(), trial.end - trial.middle(), trial.end, true});
  }

  static unit::StepOutcome run(Stepper& stepper, unit::Fleet& fleet, RunState& state, const Interval& interval) {
    ++state.control.unit_steps;
    return stepper.step(fleet, state, interval);
  }

  // Two feed-throughs in series: the divisor is a matrix (methods of E eq. 25), where derivatives are known.
  double compare(unit::Fleet& fleet, const RunState& state, const Trial& trial) {
    const double share = run_ > 0 ? (trial.end - trial.t) / run_ : 1.0;
    if (!corrects_) return estimate_.compare(state.signals.outputs, ratio_, share);
    paths_.evaluate(fleet);
    return estimate_.compare(state.signals.outputs, ratio_, share, [&](std::vector<double>& differences) {
      return paths_.correct(ratio_.outputs, ratio_.order, differences);
    });
  }

  // --- what becomes of it

  void accept(RunState& state, const Trial& trial, double error) {
    auto& control = state.control;
    estimate_.count(control);
    control.taken = trial.end - trial.t;
    control.error = error;
    ++control.accepted;
    if (kind_ == Kind::modified || order_ == 0) return;
    // The coarse past has the beginning of this step, unless an event made all of the past worthless.
    auto& past = state.history;
    if (past.points() >= 2 && past.time(1) == trial.t) {
      state.coarse.push(trial.t, past.values(1));
    } else {
      state.coarse.drop();
    }
  }

  // A unit asked to end the run: what it has reached counts, without an estimate.
  static unit::StepOutcome finish_early(const unit::StepOutcome& outcome, RunState& state, const Trial& trial) {
    state.control.taken = state.t - trial.t;
    ++state.control.accepted;
    return outcome;
  }

  [[nodiscard]] Error too_small(Time t) const {
    std::vector<std::string> tried;
    for (std::size_t i = 0; i < failures_; ++i)
      tried.push_back(fmt::format("{:.3g} with {:.3g} s", last_[i].error, last_[i].step));
    if (last_.front().error == not_converged || estimate_.outputs().empty())
      return run_error(
          "the step at t = {} s does not converge even with the smallest step ({:.3g} s); allow smaller steps, or "
          "change "
          "how the coupling is iterated",
          t, rules_.minimum);
    const auto& o = estimate_.outputs()[estimate_.worst()];
    return run_error(
        "the coupling error at t = {} s stays above the tolerance even with the smallest step ({:.3g} s): '{}' forces "
        "it, with {:.3g} times its tolerance; errors of the last trials, newest first: {}; allow smaller steps or a "
        "larger tolerance, or look for a jump of '{}' there, which a scenario or an event of its unit should announce",
        t, rules_.minimum, o.name, estimate_.largest(), fmt::join(tried, ", "), o.name);
  }

  // --- going back

  void save(unit::Fleet& fleet, RunState& state) {
    fleet.save(all_, units_);
    saved_.keep(state);
  }
  void restore(unit::Fleet& fleet, RunState& state) {
    fleet.restore(units_);
    saved_.bring_back(state);
  }

  void make_notes() {
    if (estimate_.outputs().empty())
      notes_.emplace_back("no continuous Float64 output drives another unit: there is no coupling error to estimate");
    if (!extrapolates_ && kind_ == Kind::modified)
      notes_.emplace_back(
          "the error estimate of 'modified' is for extrapolated inputs; inputs that know the end of the step show "
          "little in it: 'richardson' sees them");
    std::vector<std::string_view> direct;
    for (const auto& o : estimate_.outputs())
      if (o.feed_through) direct.push_back(o.name);
    if (direct.empty()) return;
    const auto shown = std::span(direct).first(std::min<std::size_t>(direct.size(), 4));
    notes_.push_back(
        fmt::format("{}{} follow{} inputs directly: the error falls with order {} there{}", fmt::join(shown, ", "),
                    direct.size() > shown.size() ? ", …" : "", direct.size() == 1 ? "s" : "", order_ + 1,
                    !paths_.in_series() ? ""
                    : corrects_         ? ", and its estimate uses the derivatives of units that drive each other so"
                                : ", and its estimate is off by a factor, since such units drive each other and "
                                  "their derivatives are not known or not used by this controller"));
  }

  Kind kind_;
  int order_;
  bool extrapolates_;
  StepSizeRules rules_;
  couple::ErrorEstimate estimate_;
  couple::DirectPaths paths_;
  bool corrects_ = false;
  int local_order_ = 2;
  Duration run_ = 0;  // its length, where the tolerance is for all of it
  couple::ErrorRatio ratio_;
  bool knows_ratio_ = false;  // it is the same for all steps
  std::vector<UnitId> all_;
  std::vector<std::string> notes_;
  // Of this step alone.
  unit::FleetSnapshot units_, middle_units_;
  SavedRun saved_, middle_;
  std::array<Failure, 4> last_{};
  std::size_t failures_ = 0;
};

}  // namespace

std::unique_ptr<Controller> make_richardson(const ControllerSetup& setup) {
  return std::make_unique<EstimatingController>(Kind::richardson, setup);
}

std::unique_ptr<Controller> make_modified(const ControllerSetup& setup) {
  return std::make_unique<EstimatingController>(Kind::modified, setup);
}

}  // namespace consort::step
