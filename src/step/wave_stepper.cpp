#include "step/wave_stepper.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "couple/consistency.hpp"
#include "couple/gather.hpp"
#include "step/interface.hpp"
#include "unit/timeline.hpp"

namespace consort::step {

using couple::Gather;
using couple::RunState;
using graph::UnitId;

namespace {

struct Wave {
  std::vector<UnitId> units;
  Gather from_old;  // as outputs were at the beginning of the step
  Gather from_new;  // as units computed them in this step
  Gather external;  // what no unit computes
};

class WaveStepper final : public Stepper {
 public:
  WaveStepper(std::string_view name, const StepperSetup& setup, const Schedule& schedule)
      : name_(name),
        plan_(setup.plan),
        order_(setup.settings.extrapolation),
        hook_(setup.hook),
        timeline_(setup.timeline) {
    if (timeline_ != nullptr) routing_ = timeline_->activity("routing");
    require(order_ >= 0 && order_ <= 3, "the order of extrapolation must be 0, 1, 2 or 3, not {}", order_);
    const Gather::Owners owners(plan_);
    for (const auto& units : schedule.waves()) {
      const auto is_new = [&](UnitId source, UnitId u) {
        return source != graph::no_unit && schedule.sees_new(u, source);
      };
      const auto is_old = [&](UnitId source, UnitId u) { return !is_new(source, u); };
      const auto is_external = [](UnitId source, UnitId) { return source == graph::no_unit; };
      waves_.push_back({units, Gather(plan_, owners, units, is_old), Gather(plan_, owners, units, is_new),
                        Gather(plan_, owners, units, is_external)});
    }
    const auto any = [](UnitId, UnitId) { return true; };
    everything_ = Gather(plan_, owners, plan_.all_units(), any);
    looks_back_ = std::any_of(waves_.begin() + (waves_.empty() ? 0 : 1), waves_.end(),
                              [](const Wave& w) { return !w.from_old.empty(); });
    continuous_ = continuous_inputs(plan_);
    held_.resize(continuous_.size());
    sees_new_ = std::any_of(waves_.begin(), waves_.end(), [](const Wave& w) { return !w.from_new.empty(); });
  }

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }
  [[nodiscard]] bool sees_new_values() const override { return sees_new_; }
  [[nodiscard]] bool takes_past_alone() const override { return true; }

  unit::StepOutcome step(unit::Fleet& fleet, RunState& state, const Interval& interval) override {
    const unit::StepRequest request{interval.t, interval.h, interval.may_roll_back};
    state.signals.order = 0;
    const bool blind = interval.past == Past::alone;
    if (order_ > 0) remember(state, interval.t, blind);
    // Inputs that are held are once more what they were in the step that was to be kept.
    if (order_ == 0 && blind) std::copy(held_.begin(), held_.end(), state.signals.inputs.column<double>().begin());
    if (looks_back_) state.previous = state.signals.outputs;
    unit::StepOutcome outcome{interval.end, unit::Why::completed};
    for (std::size_t w = 0; w < waves_.size(); ++w) {
      const Wave& wave = waves_[w];
      std::optional<unit::Timeline::Span> routing;
      if (timeline_ != nullptr) routing.emplace(timeline_, routing_);
      const auto& gather = blind && order_ == 0 ? wave.external : wave.from_old;
      gather(w > 0 && looks_back_ ? state.previous : state.signals.outputs, state.signals.inputs);
      if (order_ > 0) {
        if (blind) go_on(state, wave);
        extrapolate(state, wave);
        interpolate(state, wave, interval);
      } else {
        wave.from_new(state.signals.outputs, state.signals.inputs);
      }
      if (hook_) hook_(state, wave.units);
      routing.reset();
      fleet.submit(wave.units, unit::Verb::step, request, state.signals);
      if (!fleet.wait()) [[unlikely]]
        note_stop(fleet, wave.units, outcome);
    }
    if (order_ == 0 && interval.past == Past::kept)
      std::copy_n(state.signals.inputs.column<double>().begin(), held_.size(), held_.begin());
    state.t = interval.end;
    ++state.steps;
    return outcome;
  }

 private:
  static void note_stop(const unit::Fleet& fleet, const std::vector<UnitId>& units, unit::StepOutcome& outcome) {
    for (const auto u : units) {
      const auto& own = fleet.outcomes()[u];
      if (own.why != unit::Why::terminate) continue;
      outcome.why = unit::Why::terminate;
    }
  }

  // --- polynomials

  // Where all inputs are at the beginning of the step; `blind`: as it was known before.
  void remember(RunState& state, Time t, bool blind) {
    const auto& inputs = state.signals.inputs.column<double>();
    if (!blind) {
      everything_(state.signals.outputs, state.signals.inputs);
      state.history.push(t, inputs);
    }
    const int points = std::min(order_ + 1, state.history.points());
    state.signals.order = order_;
    state.signals.derivatives.resize(static_cast<std::size_t>(order_) * inputs.size());
    std::array<Time, couple::most_points> times{};
    for (int k = 0; k < points; ++k) times[static_cast<std::size_t>(k)] = state.history.time(k);
    points_ = points;
    weights_ = couple::derivative_weights(std::span(times).first(static_cast<std::size_t>(points)), t);
  }

  // Inputs begin where the polynomials of the past lead; what is known of the future is known.
  void go_on(RunState& state, const Wave& wave) const {
    auto& inputs = state.signals.inputs.column<double>();
    for (const auto& copy : wave.from_old.reals()) {
      if (!continuous_[copy.input]) {
        inputs[copy.input] = state.history.values(0)[copy.input];
        continue;
      }
      double sum = 0;
      for (int k = 0; k < points_; ++k)
        sum += weights_[0][static_cast<std::size_t>(k)] * state.history.values(k)[copy.input];
      inputs[copy.input] = sum;
    }
  }

  void extrapolate(RunState& state, const Wave& wave) const {
    const std::size_t width = state.signals.inputs.column<double>().size();
    for (int m = 1; m <= order_; ++m) {
      double* const to = state.signals.derivatives.data() + static_cast<std::size_t>(m - 1) * width;
      const auto& w = weights_[static_cast<std::size_t>(m)];
      for (const auto& copy : wave.from_old.reals()) {
        double sum = 0;
        if (m < points_ && continuous_[copy.input]) {
          for (int k = 0; k < points_; ++k) sum += w[static_cast<std::size_t>(k)] * state.history.values(k)[copy.input];
        }
        to[copy.input] = sum;
      }
    }
  }

  // Through the new value at the end of the step and the past: the value at the beginning stays what it was.
  void interpolate(RunState& state, const Wave& wave, const Interval& interval) const {
    if (wave.from_new.empty()) return;
    auto& inputs = state.signals.inputs.column<double>();
    wave.from_new(state.signals.outputs, state.signals.inputs);
    const int past = std::min(order_, state.history.points());
    std::array<Time, couple::most_points> times{};
    times[0] = interval.end;
    for (int k = 0; k < past; ++k) times[static_cast<std::size_t>(k) + 1] = state.history.time(k);
    const auto weights =
        couple::derivative_weights(std::span(times).first(static_cast<std::size_t>(past) + 1), interval.t);
    const std::size_t width = inputs.size();
    for (const auto& copy : wave.from_new.reals()) {
      if (!continuous_[copy.input]) {
        for (int m = 1; m <= order_; ++m)
          state.signals.derivatives[static_cast<std::size_t>(m - 1) * width + copy.input] = 0;
        continue;
      }
      const double now = inputs[copy.input];
      for (int m = 1; m <= order_; ++m) {
        const auto& w = weights[static_cast<std::size_t>(m)];
        double sum = m <= past ? w[0] * now : 0.0;
        for (int k = 0; k < past && m <= past; ++k)
          sum += w[static_cast<std::size_t>(k) + 1] * state.history.values(k)[copy.input];
        state.signals.derivatives[static_cast<std::size_t>(m - 1) * width + copy.input] = sum;
      }
      inputs[copy.input] = state.history.values(0)[copy.input];
      if (interval.past != Past::alone) continue;
      inputs[copy.input] = weights[0][0] * now;
      for (int k = 0; k < past; ++k)
        inputs[copy.input] += weights[0][static_cast<std::size_t>(k) + 1] * state.history.values(k)[copy.input];
    }
  }

  std::string_view name_;
  const graph::Plan& plan_;
  int order_;
  InputHook hook_;
  unit::Timeline* timeline_;
  unit::Timeline::Activity routing_{};
  std::vector<Wave> waves_;
  Gather everything_;
  bool looks_back_ = false;
  bool sees_new_ = false;  // some route takes what was computed in the same step
  std::vector<bool> continuous_;
  std::vector<std::string> notes_;
  // Of this step alone, and of the one that was to be kept.
  std::vector<double> held_;
  couple::Weights weights_{};
  int points_ = 0;
};

std::vector<UnitId> chosen_order(const graph::Plan& plan, const std::vector<std::string>& names) {
  if (names.empty()) return plan.order;
  std::vector<UnitId> order;
  for (const auto& name : names) {
    const UnitId u = plan.require_unit(name);
    require(std::find(order.begin(), order.end(), u) == order.end(), "unit '{}' is twice in the order; remove one",
            name);
    order.push_back(u);
  }
  for (const auto u : plan.order)
    if (std::find(order.begin(), order.end(), u) == order.end()) order.push_back(u);
  return order;
}

}  // namespace

std::unique_ptr<Stepper> make_jacobi(const StepperSetup& setup) {
  return std::make_unique<WaveStepper>("jacobi", setup, Schedule::parallel(setup.plan));
}

std::unique_ptr<Stepper> make_gauss_seidel(const StepperSetup& setup) {
  return std::make_unique<WaveStepper>("gauss-seidel", setup,
                                       Schedule::serial(setup.plan, chosen_order(setup.plan, setup.settings.order)));
}

std::unique_ptr<Stepper> make_groups(const StepperSetup& setup) {
  require(!setup.settings.groups.empty(),
          "the stepper 'groups' needs groups; give them in the system's file under run");
  const graph::Group root{graph::Group::Kind::serial, {}, setup.settings.groups};
  return std::make_unique<WaveStepper>("groups", setup, Schedule::grouped(setup.plan, root));
}

}  // namespace consort::step
