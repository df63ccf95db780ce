#include "step/iterated_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "couple/accelerator.hpp"
#include "step/interface.hpp"

namespace consort::step {

using couple::RunState;
using graph::UnitId;
using Settings = graph::IterationSettings;

namespace {

class IteratedStepper final : public Stepper {
 public:
  explicit IteratedStepper(const StepperSetup& setup)
      : Stepper(setup.point), plan_(setup.plan), settings_(setup.settings.iteration) {
    check();
    setup.point.declare_guesses();
    for (auto& cycle : cycles_of(plan_, settings_.scope == Settings::Scope::whole)) add(std::move(cycle), setup);
    for (auto& part : parts_) part->may_discard = declare_next(part->cycle.units, setup.fleet);
  }

  [[nodiscard]] std::string_view name() const override { return "iterated"; }
  [[nodiscard]] bool sees_new_values() const override { return true; }
  [[nodiscard]] bool interpolates() const override { return true; }
  [[nodiscard]] std::vector<IteratedPart> iterated() const override {
    std::vector<IteratedPart> all;
    for (const auto& part : parts_) {
      if (part->memory == none) continue;
      auto& added = all.emplace_back();
      added.units = names_of(part->cycle);
      for (const auto& unknown : part->sweep.unknowns) added.variables.push_back(unknown.name);
    }
    return all;
  }

  void prepare(RunState& state) override {
    state.tallies.assign(iterating_, {});
    for (const auto& part : parts_) {
      if (part->memory == none) continue;
      const std::size_t n = part->x.size();
      part->slots = couple::AccelerationSlots(state.memory, fmt::format("iteration {}", part->memory), n,
                                              part->accelerator->room(n));
      state.tallies[part->memory].last_to_agree.resize(n);
      state.tallies[part->memory].residuals.resize(n);
    }
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  unit::StepOutcome take(fleet::Fleet& fleet, RunState& state, const Interval& interval) override {
    unit::StepOutcome outcome{interval.end, unit::Why::completed};
    for (const auto& part : parts_) {
      for (const auto& route : part->cycle.outer)
        point().end_at(state, route.input, route.value(state.signals.outputs.column<double>()));
      unit::StepOutcome own{interval.end, unit::Why::completed};
      if (part->memory == none) {
        once(*part, fleet, state, request_of(*part, interval, interval.may_roll_back), own);
      } else {
        iterate(*part, fleet, state, interval, own);
      }
      if (own.why == unit::Why::discarded) return own;
      if (own.why == unit::Why::event && (outcome.why != unit::Why::event || own.reached < outcome.reached))
        outcome = own;
      if (own.why == unit::Why::terminate && outcome.completed()) outcome.why = own.why;
    }
    return outcome;
  }

  // A cycle, with the memory of its iteration.
  struct Part {
    Cycle cycle;
    Sweep sweep{};
    bool serial = false;
    bool may_discard = false;   // see Stepper::may_discard()
    std::size_t memory = none;  // index in RunState::tallies; none: nothing to iterate
    std::unique_ptr<couple::Accelerator> accelerator{};
    couple::AccelerationSlots slots{};
    fleet::SnapshotId before{};
    std::vector<fleet::WaveId> waves{};  // by wave of the sweep
    std::vector<Time> next_event{};      // of its units, at the beginning of the step
    std::vector<double> x{}, image{}, scale{}, moved{}, there{};
    std::vector<std::vector<std::size_t>> passes{};  // for differences: unknowns moved at the same time
    std::vector<std::vector<UnitId>> moved_units{};  // the units of these unknowns
    std::vector<fleet::WaveId> moved_waves{};
    struct Asked {
      std::vector<ValueReference> outputs{};
      std::vector<std::size_t> rows{};  // unknowns that depend on these outputs
    };
    std::vector<fleet::DerivativeQuery> queries{};  // by unknown
    std::vector<double> sensitivities{};
    std::vector<Asked> asked{};            // outputs to differentiate, by unit of the cycle
    std::vector<ValueReference> inputs{};  // by unknown
    std::vector<std::size_t> member{};     // by unknown: index of the unit that owns the input
    bool derivatives = false;              // of steps: provided by all units
    // Valid while next() runs.
    fleet::Fleet* fleet = nullptr;
    RunState* state = nullptr;
    Interval interval{};
  };
  static unit::StepRequest request_of(const Part& part, const Interval& interval, bool may_roll_back) {
    return {interval.t, interval.h, may_roll_back, interval.stop_at_event,
            interval.units_may_discard && part.may_discard};
  }

  // --- before the run

  void check() const {
    const auto& s = settings_;
    require_setting("iteration.tolerance", std::isfinite(s.tolerance) && s.tolerance > 0,
                    "iteration.tolerance must be > 0, got {}", s.tolerance);
    require_setting("iteration.max_iterations", s.max_iterations >= 1, "iteration.max_iterations must be >= 1, got {}",
                    s.max_iterations);
    require_setting("iteration.relaxation",
                    !s.relaxation || (std::isfinite(*s.relaxation) && *s.relaxation > 0 && *s.relaxation <= 2),
                    "iteration.relaxation must be > 0 and <= 2, got {}", s.relaxation.value_or(0));
    require_setting("iteration.depth", !s.depth || (*s.depth >= 1 && *s.depth <= 1000),
                    "iteration.depth must be 1 to 1000, got {}", s.depth.value_or(0));
    require_setting("iteration.reuse", s.reuse >= 0, "iteration.reuse must be >= 0, got {}", s.reuse);
    require_setting("iteration.filter", std::isfinite(s.filter) && s.filter >= 0 && s.filter < 1,
                    "iteration.filter must be >= 0 and < 1, got {}", s.filter);
  }

  void add(Cycle cycle, const StepperSetup& setup) {
    auto part = std::make_unique<Part>();
    part->cycle = std::move(cycle);
    part->serial = settings_.sweep == Settings::Sweep::serial ||
                   (settings_.sweep == Settings::Sweep::automatic && settings_.method != "newton");
    part->sweep = make_sweep(part->cycle, part->serial);
    for (const auto& wave : part->sweep.waves)
      part->waves.push_back(setup.fleet.declare_wave(wave.units, waits_of(wave)));
    if (!part->sweep.unknowns.empty()) {
      check_rollback(part->cycle, setup.fleet);
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

  // Throws Error (input) with alternatives if a unit cannot roll back.
  void check_rollback(const Cycle& cycle, fleet::Fleet& fleet) const {
    for (const auto u : cycle.units) {
      if (fleet.traits(u).can_roll_back()) continue;
      const auto& d = *plan_.units[u].description;
      const bool has_me = d.interface(describe::InterfaceType::model_exchange) != nullptr;
      throw input_error(
          "the stepper 'iterated' repeats steps, but unit '{}' ({}) cannot save its state and restore it{}; {}choose "
          "'gauss-seidel' or 'jacobi' with a smaller step",
          plan_.units[u].name, describe::name_of(d.version), fleet.traits(u).rollback_obstacle(),
          has_me && !fleet.traits(u).responds_without_step
              ? "run it as Model Exchange (interface: me), where Consort keeps the state if the FMU allows it, or "
              : "");
    }
  }

  void make_room(Part& part, fleet::Fleet& fleet) const {
    const auto& unknowns = part.sweep.unknowns;
    for (auto* const v : {&part.x, &part.image, &part.scale, &part.moved, &part.there}) v->resize(unknowns.size());
    part.next_event.resize(part.cycle.units.size());
    // In a parallel sweep outputs depend only on inputs of their own unit, so one input of every unit may move at the
    // same time.
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
    for (auto& units : part.moved_units) {
      std::sort(units.begin(), units.end());
      if (!part.serial) part.moved_waves.push_back(fleet.declare_wave(units));
    }
    part.before = fleet.reserve_snapshot(part.cycle.units);
    part.derivatives = !part.serial && point().order() == 0 && settings_.jacobian != Settings::Jacobian::differences &&
                       !point().has_overrides();
    for (const auto u : part.cycle.units) {
      part.derivatives = part.derivatives && fleet.traits(u).step_derivatives && plan_.units[u].component.substeps == 1;
    }
    part.derivatives = part.derivatives && ask(part);
    require(
        settings_.jacobian != Settings::Jacobian::derivatives || part.derivatives,
        "iteration.jacobian 'derivatives' needs Model Exchange or native units without sub-steps, a parallel sweep, "
        "order 0 and no scenario; choose 'differences'");
  }

  static std::vector<fleet::Wait> waits_of(const Sweep::Wave& wave) {
    std::vector<fleet::Wait> waits;
    for (const auto& route : wave.known) waits.push_back({route.to, route.from});
    return waits;
  }

  [[nodiscard]] std::vector<std::string> names_of(const Cycle& cycle) const {
    std::vector<std::string> names;
    for (const auto u : cycle.units) names.push_back(plan_.units[u].name);
    return names;
  }

  // --- a step

  // One evaluation: steps all units, wave by wave.
  void once(const Part& part, fleet::Fleet& fleet, RunState& state, const unit::StepRequest& request,
            unit::StepOutcome& outcome) const {
    for (std::size_t w = 0; w < part.waves.size(); ++w) {
      const auto& wave = part.sweep.waves[w];
      for (const auto& route : wave.known)
        point().end_at(state, route.input, route.value(state.signals.outputs.column<double>()));
      point().override_inputs(state);
      fleet.submit(part.waves[w], fleet::Verb::step, request, state.signals);
      if (!fleet.wait()) couple::hear(fleet, state, request, outcome);
      if (outcome.why == unit::Why::discarded) return;
    }
  }

  void iterate(Part& part, fleet::Fleet& fleet, RunState& state, const Interval& interval, unit::StepOutcome& outcome) {
    begin(part, fleet, state, interval);
    auto memory = part.slots.in(state.memory);
    auto& tally = state.tallies[part.memory];
    part.accelerator->begin(memory, interval.h);
    const auto request = request_of(part, interval, true);
    const couple::Iterate iterate{part.x, part.image, part.scale};
    ++tally.steps;
    Residual residual;
    for (int i = 1;; ++i) {
      if (i > 1) go_back(part, part.cycle.units, fleet, state);
      put(part, part.x, state);
      ++tally.iterations;
      tally.most = std::max(tally.most, static_cast<std::uint64_t>(i));
      once(part, fleet, state, request, outcome);
      if (!outcome.completed()) return;
      take(part, state, part.image);
      const std::size_t last = residual.worst;
      residual = largest_residual(part);
      part.accelerator->observe(memory, iterate);
      if (residual.size <= settings_.tolerance) {
        if (i > 1) ++tally.last_to_agree[last];
        count(part, tally);
        return;
      }
      if (i >= settings_.max_iterations || !std::isfinite(residual.size)) {
        ++tally.failures;
        ++tally.last_to_agree[residual.worst];
        outcome.why = give_up(part, interval, i, residual.size);
        if (outcome.completed()) count(part, tally);
        return;
      }
      part.accelerator->next(memory, iterate, part.x);
    }
  }

  void begin(Part& part, fleet::Fleet& fleet, RunState& state, const Interval& interval) const {
    const auto& unknowns = part.sweep.unknowns;
    const auto now = point().history_in_use().values(state.memory, 0);
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      part.x[i] = point().guess(unknowns[i].input);
      part.scale[i] = std::max(unknowns[i].nominal, std::abs(now[unknowns[i].input]));
    }
    fleet.save(part.before);
    for (std::size_t k = 0; k < part.next_event.size(); ++k)
      part.next_event[k] = state.signals.next_event[part.cycle.units[k]];
    part.fleet = &fleet;
    part.state = &state;
    part.interval = interval;
  }

  static void go_back(const Part& part, std::span<const UnitId> units, fleet::Fleet& fleet, RunState& state) {
    fleet.restore(part.before, units);
    for (std::size_t k = 0; k < part.next_event.size(); ++k)
      state.signals.next_event[part.cycle.units[k]] = part.next_event[k];
  }

  void put(const Part& part, const std::vector<double>& x, RunState& state) const {
    for (std::size_t i = 0; i < x.size(); ++i) point().end_at(state, part.sweep.unknowns[i].input, x[i]);
  }

  static void take(const Part& part, const RunState& state, std::vector<double>& image) {
    const auto& outputs = state.signals.outputs.column<double>();
    for (std::size_t i = 0; i < image.size(); ++i) image[i] = part.sweep.unknowns[i].value(outputs);
  }

  static double residual_of(const Part& part, std::size_t i) {
    return std::abs(part.image[i] - part.x[i]) / std::max(part.sweep.unknowns[i].nominal, std::abs(part.x[i]));
  }
  struct Residual {
    double size = 0;
    std::size_t worst = 0;  // index of its unknown
  };
  // Returns infinity if a residual is not finite.
  static Residual largest_residual(const Part& part) {
    Residual largest;
    for (std::size_t i = 0; i < part.x.size(); ++i) {
      const double r = residual_of(part, i);
      if (!std::isfinite(r)) return {std::numeric_limits<double>::infinity(), i};
      if (r > largest.size) largest = {r, i};
    }
    return largest;
  }
  // Counts the residuals of an accepted step.
  static void count(const Part& part, couple::IterationTally& tally) {
    for (std::size_t i = 0; i < part.x.size(); ++i) {
      const double r = residual_of(part, i);
      tally.residuals[i] = std::max(tally.residuals[i], r);
      tally.largest = std::max(tally.largest, r);
    }
  }

  // For a step that does not converge: discarded if the caller can roll back, accepted if settings allow, else an
  // error.
  unit::Why give_up(const Part& part, const Interval& interval, int iterations, double largest) const {
    if (interval.may_discard) return unit::Why::discarded;
    if (settings_.if_not_converged == graph::IterationSettings::IfNotConverged::go_on && std::isfinite(largest))
      return unit::Why::completed;
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
        some_of(names_of(part.cycle)), interval.t, interval.end, iterations, settings_.method, settings_.tolerance,
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
    constexpr double relative = 1e-4;  // above the noise of units with step size control, small enough for linearity
    part.moved = part.x;
    for (const auto k : part.passes[pass]) part.moved[k] += relative * part.scale[k];
    const auto& units = part.serial ? part.cycle.units : part.moved_units[pass];
    go_back(part, units, *part.fleet, *part.state);
    put(part, part.moved, *part.state);
    const unit::StepRequest request{part.interval.t, part.interval.h, true, part.interval.stop_at_event};
    unit::StepOutcome outcome;
    if (part.serial) {
      once(part, *part.fleet, *part.state, request, outcome);
    } else {
      point().override_inputs(*part.state);
      part.fleet->submit(part.moved_waves[pass], fleet::Verb::step, request, part.state->signals);
      if (!part.fleet->wait()) couple::hear(*part.fleet, *part.state, request, outcome);
    }
    ++part.state->tallies[part.memory].for_jacobian;
    take(part, *part.state, part.there);
    for (const auto k : part.passes[pass]) {
      const double step = part.moved[k] - part.x[k];
      for (std::size_t i = 0; i < n; ++i)
        if (part.serial || unknowns[i].from == unknowns[k].to) j[k * n + i] = (part.there[i] - part.image[i]) / step;
    }
  }

  // Returns false if a unit has no derivatives of this step, for example after an event inside.
  static bool derivatives(Part& part, std::span<double> j) {
    const auto& unknowns = part.sweep.unknowns;
    const std::size_t n = unknowns.size();
    try {
      part.fleet->differentiate(fleet::DerivativeOf::step, part.queries);
    } catch (const Error&) {
      return false;
    }
    for (std::size_t k = 0; k < n; ++k) {
      const auto& rows = part.asked[part.member[k]].rows;
      for (std::size_t r = 0; r < rows.size(); ++r)
        j[k * n + rows[r]] = unknowns[rows[r]].factor * part.queries[k].sensitivity[r];
    }
    return true;
  }

  // Prepares derivative queries; false if one would need an element of an array.
  bool ask(Part& part) const {
    const auto& unknowns = part.sweep.unknowns;
    const auto& units = part.cycle.units;
    part.asked.resize(units.size());
    const auto member = [&](UnitId u) {
      return static_cast<std::size_t>(std::lower_bound(units.begin(), units.end(), u) - units.begin());
    };
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
      const auto& to = plan_.units[unknowns[k].to];
      const auto& from = plan_.units[unknowns[k].from];
      const auto input = scalar(to.inputs, unknowns[k].input - to.first_input[float64]);
      const auto output = scalar(from.outputs, unknowns[k].source - from.first_output[float64]);
      if (!input || !output) return false;
      part.inputs.push_back(*input);
      part.member.push_back(member(unknowns[k].to));
      part.asked[member(unknowns[k].from)].outputs.push_back(*output);
      part.asked[member(unknowns[k].from)].rows.push_back(k);
    }
    make_queries(part);
    return true;
  }
  static void make_queries(Part& part) {
    static constexpr double seed = 1;
    std::size_t answers = 0;
    for (const auto m : part.member) answers += part.asked[m].rows.size();
    part.sensitivities.resize(answers);
    answers = 0;
    for (std::size_t k = 0; k < part.inputs.size(); ++k) {
      const auto& asked = part.asked[part.member[k]];
      part.queries.push_back({part.sweep.unknowns[k].to,
                              asked.outputs,
                              {&part.inputs[k], 1},
                              {&seed, 1},
                              std::span(part.sensitivities).subspan(answers, asked.rows.size())});
      answers += asked.rows.size();
    }
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

  const graph::Plan& plan_;
  Settings settings_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::size_t iterating_ = 0;
};

}  // namespace

std::unique_ptr<Stepper> make_iterated(const StepperSetup& setup) { return std::make_unique<IteratedStepper>(setup); }

}  // namespace consort::step
