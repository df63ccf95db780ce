#include "step/iterated_stepper.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "couple/accelerator.hpp"
#include "couple/gather.hpp"
#include "step/interface.hpp"

namespace consort::step {

using couple::RunState;
using graph::UnitId;
using Settings = graph::IterationSettings;

namespace {

// How inputs move within the present step, given where they end.
class Shape {
 public:
  Shape(const graph::Plan& plan, int order) : order_(order) {
    const auto all = plan.all_units();
    const couple::Gather::Owners owners(plan);
    everything_ = couple::Gather(plan, owners, all, [](UnitId, UnitId) { return true; });
    const couple::Gather external(plan, owners, all, [](UnitId source, UnitId) { return source == graph::no_unit; });
    const auto continuous = continuous_inputs(plan);
    for (const auto& copy : external.reals())
      if (continuous[copy.input]) external_.push_back(copy.input);
  }

  // All inputs as they are at the beginning of the step; those from outside go on as they went.
  void begin(RunState& state, const Interval& interval) {
    auto& signals = state.signals;
    everything_(signals.outputs, signals.inputs);
    state.history.push(interval.t, signals.inputs.column<double>());
    signals.order = order_;
    past_ = std::min(order_, state.history.points());
    known_ = std::min(std::max(order_, 1) + 1, state.history.points());
    std::array<Time, couple::most_points + 1> times{interval.end};
    for (int k = 0; k < known_; ++k) times[static_cast<std::size_t>(k) + 1] = state.history.time(k);
    const auto known = std::span(times).subspan(1, static_cast<std::size_t>(known_));
    guess_ = couple::derivative_weights(known, interval.end);
    if (order_ == 0) return;
    going_on_ = couple::derivative_weights(known, interval.t);
    through_ = couple::derivative_weights(std::span(times).first(static_cast<std::size_t>(past_) + 1), interval.t);
    const std::size_t width = signals.inputs.column<double>().size();
    signals.derivatives.resize(static_cast<std::size_t>(order_) * width);
    for (const auto input : external_) {
      for (int m = 1; m <= order_; ++m) {
        double sum = 0;
        if (m < known_) sum = past(state, going_on_[static_cast<std::size_t>(m)], 0, known_, input);
        signals.derivatives[static_cast<std::size_t>(m - 1) * width + input] = sum;
      }
    }
  }

  // Where the input comes if it goes on as it went.
  [[nodiscard]] double guess(const RunState& state, std::uint32_t input) const {
    return past(state, guess_[0], 0, known_, input);
  }

  void end_at(RunState& state, std::uint32_t input, double end) const {
    auto& signals = state.signals;
    auto& inputs = signals.inputs.column<double>();
    if (order_ == 0) {
      inputs[input] = end;
      return;
    }
    for (int m = 1; m <= order_; ++m) {
      const auto& w = through_[static_cast<std::size_t>(m)];
      const double sum = m <= past_ ? w[0] * end + past(state, w, 1, past_, input) : 0.0;
      signals.derivatives[static_cast<std::size_t>(m - 1) * inputs.size() + input] = sum;
    }
    inputs[input] = state.history.values(0)[input];
  }

 private:
  // Σ over the past, whose weights begin at `first`.
  static double past(const RunState& state, const std::array<double, couple::most_points>& weights, std::size_t first,
                     int points, std::uint32_t input) {
    double sum = 0;
    for (int k = 0; k < points; ++k)
      sum += weights[first + static_cast<std::size_t>(k)] * state.history.values(k)[input];
    return sum;
  }

  int order_;
  couple::Gather everything_;
  std::vector<std::uint32_t> external_;
  int past_ = 0;   // points that polynomials go through beside the end
  int known_ = 0;  // points that guesses go through
  couple::Weights guess_{}, going_on_{}, through_{};
};

class IteratedStepper final : public Stepper {
 public:
  explicit IteratedStepper(const StepperSetup& setup)
      : plan_(setup.plan),
        settings_(setup.settings.iteration),
        order_(setup.settings.extrapolation),
        hook_(setup.hook),
        shape_(setup.plan, setup.settings.extrapolation) {
    check();
    for (auto& component : components_of(plan_, settings_.scope == Settings::Scope::whole))
      add(std::move(component), setup);
  }

  [[nodiscard]] std::string_view name() const override { return "iterated"; }
  [[nodiscard]] bool sees_new_values() const override { return true; }
  [[nodiscard]] std::vector<IterationReport> iterations() const override {
    std::vector<IterationReport> all;
    for (const auto& part : parts_)
      if (part->memory != none) all.push_back(part->report);
    return all;
  }

  void prepare(RunState& state) const override {
    state.iteration.resize(iterating_);
    for (const auto& part : parts_)
      if (part->memory != none) part->accelerator->prepare(state.iteration[part->memory], part->x.size());
  }

  unit::StepOutcome step(unit::Fleet& fleet, RunState& state, const Interval& interval) override {
    if (state.iteration.size() != iterating_) prepare(state);
    shape_.begin(state, interval);
    unit::StepOutcome outcome{interval.end, unit::Why::completed};
    for (const auto& part : parts_) {
      for (const auto& route : part->component.outer)
        shape_.end_at(state, route.input, route.value(state.signals.outputs.column<double>()));
      if (part->memory == none) {
        if (!once(*part, fleet, state, {interval.t, interval.h, interval.may_roll_back}))
          outcome.why = unit::Why::terminate;
        continue;
      }
      const auto why = iterate(*part, fleet, state, interval);
      if (why == unit::Why::discarded) return {interval.t, why};
      if (why != unit::Why::completed) outcome.why = why;
    }
    state.t = interval.end;
    ++state.steps;
    return outcome;
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  // A component, and room for its iteration.
  struct Part {
    Component component;
    Sweep sweep{};
    bool serial = false;
    std::size_t memory = none;  // where it is in RunState::iteration; none: nothing to iterate
    std::unique_ptr<couple::Accelerator> accelerator{};
    unit::FleetSnapshot before{};
    std::vector<Time> next_event{};  // of its units at the beginning of the step
    std::vector<double> x{}, image{}, scale{}, moved{}, there{};
    std::vector<std::vector<std::size_t>> passes{};  // for differences: unknowns that are moved at the same time
    std::vector<std::vector<UnitId>> moved_units{};  // the units of these
    struct Asked {
      std::vector<ValueReference> outputs{};
      std::vector<std::size_t> rows{};  // unknowns that come from these
    };
    std::vector<Asked> asked{};            // for derivatives, by unit of the component
    std::vector<ValueReference> inputs{};  // by unknown
    std::vector<std::size_t> member{};     // by unknown: whose input it is
    bool derivatives = false;              // of steps: all units tell them
    IterationReport report{};
    // While next() runs.
    unit::Fleet* fleet = nullptr;
    RunState* state = nullptr;
    Interval interval{};
  };

  // --- before the run

  void check() const {
    const auto& s = settings_;
    require(order_ >= 0 && order_ <= 3, "the order of extrapolation must be 0, 1, 2 or 3, not {}", order_);
    require(std::isfinite(s.tolerance) && s.tolerance > 0, "the tolerance of iterations must be positive, not {}",
            s.tolerance);
    require(s.most >= 1, "there must be at least 1 iteration per step, not {}", s.most);
    require(!s.relaxation || (std::isfinite(*s.relaxation) && *s.relaxation > 0 && *s.relaxation <= 2),
            "the relaxation of iterations must be greater than 0 and at most 2, not {}", s.relaxation.value_or(0));
    require(!s.depth || (*s.depth >= 1 && *s.depth <= 1000), "the depth of iterations must be 1 to 1000, not {}",
            s.depth.value_or(0));
    require(s.reuse >= 0, "the number of steps that iterations learn from must not be negative, as {} is", s.reuse);
    require(std::isfinite(s.filter) && s.filter >= 0 && s.filter < 1,
            "the filter of iterations must be at least 0 and less than 1, not {}", s.filter);
  }

  void add(Component component, const StepperSetup& setup) {
    auto part = std::make_unique<Part>();
    part->component = std::move(component);
    part->serial = settings_.sweep == Settings::Sweep::serial ||
                   (settings_.sweep == Settings::Sweep::automatic && settings_.method != "newton");
    part->sweep = make_sweep(part->component, part->serial);
    if (!part->sweep.unknowns.empty()) {
      check_rollback(part->component, setup.fleet);
      part->memory = iterating_++;
      make_room(*part, setup.fleet);
      couple::AccelerationOptions options;
      options.relaxation = settings_.relaxation.value_or(0);
      options.depth = static_cast<std::uint32_t>(settings_.depth.value_or(0));
      options.reuse = static_cast<std::uint32_t>(settings_.reuse);
      options.filter = settings_.filter;
      options.jacobian = [this, p = part.get()](std::span<double> j) { jacobian(*p, j); };
      part->accelerator = couple::find_accelerator(settings_.method).make(options);
    }
    parts_.push_back(std::move(part));
  }

  // A clear word before the run, and what can be done instead.
  void check_rollback(const Component& component, unit::Fleet& fleet) const {
    for (const auto u : component.units) {
      if (fleet.unit(u).rollback() != nullptr) continue;
      const auto& d = *plan_.units[u].description;
      const bool has_me = d.interface(describe::InterfaceType::model_exchange) != nullptr;
      throw input_error(
          "the stepper 'iterated' repeats steps, but unit '{}' ({}) cannot save its state and go back; {}choose "
          "'gauss-seidel' or 'jacobi' with a smaller step",
          plan_.units[u].name, describe::name_of(d.version),
          has_me ? "run it as Model Exchange (interface: me), whose state Consort keeps where the FMU lets it, or "
                 : "");
    }
  }

  void make_room(Part& part, unit::Fleet& fleet) const {
    const auto& unknowns = part.sweep.unknowns;
    for (auto* const v : {&part.x, &part.image, &part.scale, &part.moved, &part.there}) v->resize(unknowns.size());
    part.next_event.resize(part.component.units.size());
    part.report.unknowns = unknowns.size();
    for (const auto u : part.component.units) part.report.units.push_back(plan_.units[u].name);
    // Without a sweep through units, outputs follow inputs of their own unit alone, so that one of each may move at a
    // time.
    std::vector<std::size_t> inputs_of(plan_.units.size(), 0);
    for (std::size_t j = 0; j < unknowns.size(); ++j) {
      const std::size_t pass = part.serial ? j : inputs_of[unknowns[j].to]++;
      if (part.passes.size() <= pass) {
        part.passes.emplace_back();
        part.moved_units.emplace_back();
      }
      part.passes[pass].push_back(j);
      part.moved_units[pass].push_back(unknowns[j].to);
    }
    for (auto& units : part.moved_units) std::sort(units.begin(), units.end());
    part.derivatives = !part.serial && order_ == 0 && settings_.jacobian != Settings::Jacobian::differences && !hook_;
    for (const auto u : part.component.units) {
      part.derivatives =
          part.derivatives && fleet.unit(u).step_derivatives() != nullptr && plan_.units[u].component.substeps == 1;
    }
    part.derivatives = part.derivatives && ask(part);
    require(settings_.jacobian != Settings::Jacobian::derivatives || part.derivatives,
            "the iteration is to take its Jacobian from derivatives, which need Model Exchange or native units without "
            "sub-steps, all at once, order 0 and no scenario; choose 'differences'");
  }

  // --- a step

  // One evaluation: all units, wave after wave. False when one wants the run to end.
  bool once(const Part& part, unit::Fleet& fleet, RunState& state, const unit::StepRequest& request) const {
    bool goes_on = true;
    for (const auto& wave : part.sweep.waves) {
      for (const auto& route : wave.known)
        shape_.end_at(state, route.input, route.value(state.signals.outputs.column<double>()));
      if (hook_) hook_(state, wave.units);
      fleet.submit(wave.units, unit::Verb::step, request, state.signals);
      if (fleet.wait()) [[likely]]
        continue;
      goes_on = goes_on && std::none_of(wave.units.begin(), wave.units.end(),
                                        [&](UnitId u) { return fleet.outcomes()[u].why == unit::Why::terminate; });
    }
    return goes_on;
  }

  unit::Why iterate(Part& part, unit::Fleet& fleet, RunState& state, const Interval& interval) {
    begin(part, fleet, state, interval);
    auto& memory = state.iteration[part.memory];
    part.accelerator->begin(memory, interval.h);
    const unit::StepRequest request{interval.t, interval.h, true};
    const couple::Iterate iterate{part.x, part.image, part.scale};
    ++part.report.steps;
    for (int i = 1;; ++i) {
      if (i > 1) go_back(part, fleet, state);
      put(part, part.x, state);
      ++part.report.iterations;
      part.report.most = std::max(part.report.most, static_cast<std::uint64_t>(i));
      if (!once(part, fleet, state, request)) return unit::Why::terminate;
      take(part, state, part.image);
      const double largest = residual(part);
      part.accelerator->observe(memory, iterate);
      if (largest <= settings_.tolerance) {
        part.report.largest = std::max(part.report.largest, largest);
        return unit::Why::completed;
      }
      if (i >= settings_.most || !std::isfinite(largest)) return give_up(part, interval, i, largest);
      part.accelerator->next(memory, iterate, part.x);
    }
  }

  void begin(Part& part, unit::Fleet& fleet, RunState& state, const Interval& interval) const {
    const auto& unknowns = part.sweep.unknowns;
    const auto now = state.history.values(0);
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      part.x[i] = shape_.guess(state, unknowns[i].input);
      part.scale[i] = std::max(unknowns[i].nominal, std::abs(now[unknowns[i].input]));
    }
    fleet.save(part.component.units, part.before);
    for (std::size_t k = 0; k < part.next_event.size(); ++k)
      part.next_event[k] = state.signals.next_event[part.component.units[k]];
    part.fleet = &fleet;
    part.state = &state;
    part.interval = interval;
  }

  static void go_back(const Part& part, unit::Fleet& fleet, RunState& state) {
    fleet.restore(part.before);
    for (std::size_t k = 0; k < part.next_event.size(); ++k)
      state.signals.next_event[part.component.units[k]] = part.next_event[k];
  }

  void put(const Part& part, const std::vector<double>& x, RunState& state) const {
    for (std::size_t i = 0; i < x.size(); ++i) shape_.end_at(state, part.sweep.unknowns[i].input, x[i]);
  }

  static void take(const Part& part, const RunState& state, std::vector<double>& image) {
    const auto& outputs = state.signals.outputs.column<double>();
    for (std::size_t i = 0; i < image.size(); ++i) image[i] = part.sweep.unknowns[i].value(outputs);
  }

  static double residual_of(const Part& part, std::size_t i) {
    return std::abs(part.image[i] - part.x[i]) / std::max(part.sweep.unknowns[i].nominal, std::abs(part.x[i]));
  }
  // The largest; what is not finite counts as infinite.
  static double residual(const Part& part) {
    double largest = 0;
    for (std::size_t i = 0; i < part.x.size(); ++i) {
      const double r = residual_of(part, i);
      if (!std::isfinite(r)) return std::numeric_limits<double>::infinity();
      largest = std::max(largest, r);
    }
    return largest;
  }

  unit::Why give_up(Part& part, const Interval& interval, int iterations, double largest) const {
    ++part.report.failures;
    if (interval.may_roll_back) return unit::Why::discarded;
    if (!settings_.fails && std::isfinite(largest)) {
      part.report.largest = std::max(part.report.largest, largest);
      return unit::Why::completed;
    }
    std::vector<std::size_t> order(part.x.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto size = [&](std::size_t i) {
      const double r = residual_of(part, i);
      return std::isfinite(r) ? r : std::numeric_limits<double>::infinity();
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
    std::vector<std::string> worst;
    for (std::size_t k = 0; k < order.size() && k < 4; ++k)
      worst.push_back(fmt::format("{} {:.3g}", part.sweep.unknowns[order[k]].name, size(order[k])));
    throw run_error(
        "the inputs of {} do not converge in the step from t = {} s to {} s ({} iterations with '{}', tolerance {}; "
        "still changing, relative: {}); try a smaller step, another method (iqn-ils, newton), a relaxation below 1, or "
        "more iterations",
        fmt::join(part.report.units, ", "), interval.t, interval.end, iterations, settings_.method, settings_.tolerance,
        fmt::join(worst, ", "));
  }

  // --- Jacobian

  void jacobian(Part& part, std::span<double> j) {
    std::fill(j.begin(), j.end(), 0.0);
    if (part.derivatives && derivatives(part, j)) return;
    std::fill(j.begin(), j.end(), 0.0);
    for (std::size_t pass = 0; pass < part.passes.size(); ++pass) differences(part, pass, j);
  }

  void differences(Part& part, std::size_t pass, std::span<double> j) {
    const auto& unknowns = part.sweep.unknowns;
    const std::size_t n = unknowns.size();
    constexpr double relative = 1e-4;  // above the noise of units with step size control, below what curves
    part.moved = part.x;
    for (const auto k : part.passes[pass]) part.moved[k] += relative * part.scale[k];
    go_back(part, *part.fleet, *part.state);
    put(part, part.moved, *part.state);
    const unit::StepRequest request{part.interval.t, part.interval.h, true};
    if (part.serial) {
      once(part, *part.fleet, *part.state, request);
    } else {
      if (hook_) hook_(*part.state, part.moved_units[pass]);
      part.fleet->submit(part.moved_units[pass], unit::Verb::step, request, part.state->signals);
      part.fleet->wait();
    }
    ++part.report.for_jacobian;
    take(part, *part.state, part.there);
    for (const auto k : part.passes[pass]) {
      const double step = part.moved[k] - part.x[k];
      for (std::size_t i = 0; i < n; ++i)
        if (part.serial || unknowns[i].from == unknowns[k].to) j[k * n + i] = (part.there[i] - part.image[i]) / step;
    }
  }

  // False when a unit has none this time, as after an event in the step.
  static bool derivatives(Part& part, std::span<double> j) {
    const auto& unknowns = part.sweep.unknowns;
    const std::size_t n = unknowns.size();
    constexpr double seed = 1;
    for (std::size_t k = 0; k < n; ++k) {
      const auto& asked = part.asked[part.member[k]];
      try {
        part.fleet->unit(unknowns[k].to)
            .step_derivatives()
            ->step_directional(asked.outputs, {&part.inputs[k], 1}, {&seed, 1},
                               std::span(part.there).first(asked.rows.size()));
      } catch (const Error&) {
        return false;
      }
      for (std::size_t r = 0; r < asked.rows.size(); ++r)
        j[k * n + asked.rows[r]] = unknowns[asked.rows[r]].factor * part.there[r];
    }
    return true;
  }

  // What derivatives are asked for; false when one is that of an array's element.
  bool ask(Part& part) const {
    const auto& unknowns = part.sweep.unknowns;
    const auto& units = part.component.units;
    part.asked.resize(units.size());
    const auto member = [&](UnitId u) {
      return static_cast<std::size_t>(std::lower_bound(units.begin(), units.end(), u) - units.begin());
    };
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
      const auto& to = plan_.units[unknowns[k].to];
      const auto& from = plan_.units[unknowns[k].from];
      const auto input = scalar(to.inputs, unknowns[k].input - to.first_input[real]);
      const auto output = scalar(from.outputs, unknowns[k].source - from.first_output[real]);
      if (!input || !output) return false;
      part.inputs.push_back(*input);
      part.member.push_back(member(unknowns[k].to));
      part.asked[member(unknowns[k].from)].outputs.push_back(*output);
      part.asked[member(unknowns[k].from)].rows.push_back(k);
    }
    return true;
  }
  static std::optional<ValueReference> scalar(const describe::SignalSet& set, std::uint32_t element) {
    for (const auto& group : set.groups()) {
      if (group.type != Type::Float64) continue;
      const auto after = std::upper_bound(group.offsets.begin(), group.offsets.end(), element);
      const auto index = static_cast<std::size_t>(after - group.offsets.begin()) - 1;
      if (group.offsets[index + 1] - group.offsets[index] == 1) return group.references[index];
    }
    return std::nullopt;
  }

  static constexpr auto real = static_cast<std::size_t>(Type::Float64);

  const graph::Plan& plan_;
  Settings settings_;
  int order_;
  InputHook hook_;
  Shape shape_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::size_t iterating_ = 0;
};

}  // namespace

std::unique_ptr<Stepper> make_iterated(const StepperSetup& setup) { return std::make_unique<IteratedStepper>(setup); }

}  // namespace consort::step
