#include "couple/consistency.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"

namespace consort::couple {

using graph::UnitId;

namespace {

constexpr auto real = static_cast<std::size_t>(Type::Float64);

}  // namespace

// The unknowns are the loop's Float64 inputs; what else is in the loop (Booleans, say) is carried along.
class Consistency::LoopSolver {
 public:
  LoopSolver(const graph::Plan& plan, const graph::Loop& loop, const graph::LoopSettings& settings,
             const std::vector<Gather>& gathers, const std::vector<bool>& takes_part)
      : plan_(plan),
        loop_(loop),
        method_(solve::find_nonlinear_method(settings.method)),
        options_{settings.tolerance, settings.iterations},
        gathers_(gathers) {
    for (const auto u : loop.units)
      if (takes_part[u]) units_.push_back(u);
    for (const auto& in : loop.inputs) {
      const auto& unit = plan.units[in.unit];
      const auto place = unit.inputs.place(in.input);
      if (place.type != Type::Float64 || !takes_part[in.unit]) continue;
      for (std::uint32_t e = 0; e < place.count; ++e) unknowns_.push_back(unit.first_input[real] + place.first + e);
    }
    guess_.resize(unknowns_.size());
  }

  void operator()(unit::Fleet& fleet, RunState& state, LoopReport& report) {
    gather(state);
    auto& inputs = state.signals.inputs.column<double>();
    for (std::size_t i = 0; i < unknowns_.size(); ++i) guess_[i] = inputs[unknowns_[i]];
    solve::FixedPoint problem;
    problem.size = unknowns_.size();
    problem.g = [&](std::span<const double> x, std::span<double> image) { evaluate(fleet, state, x, image); };
    problem.jacobian = [&](std::span<const double> x, std::span<double> j) { return jacobian(fleet, state, x, j); };
    const auto outcome = method_.solve(problem, options_, guess_);
    ++report.solved;
    report.iterations += static_cast<std::uint64_t>(outcome.iterations);
    report.evaluations += outcome.evaluations;
    report.largest_residual = std::max(report.largest_residual, outcome.largest);
    if (!outcome.converged) throw not_converged(outcome, state.t);
    for (std::size_t i = 0; i < unknowns_.size(); ++i) inputs[unknowns_[i]] = guess_[i];
    exchange(fleet, state);
  }

 private:
  void gather(RunState& state) const {
    for (const auto u : units_) gathers_[u](state.signals.outputs, state.signals.inputs);
  }
  void exchange(unit::Fleet& fleet, RunState& state) const {
    fleet.submit(units_, unit::Verb::evaluate, {state.t, 0, false}, state.signals);
    fleet.wait();
  }

  void evaluate(unit::Fleet& fleet, RunState& state, std::span<const double> x, std::span<double> image) const {
    auto& inputs = state.signals.inputs.column<double>();
    for (std::size_t i = 0; i < x.size(); ++i) inputs[unknowns_[i]] = x[i];
    exchange(fleet, state);
    gather(state);
    for (std::size_t i = 0; i < x.size(); ++i) image[i] = inputs[unknowns_[i]];
  }

  // ∂c(g(u))/∂u from the directional derivatives of all units of the loop; false when one has none.
  bool jacobian(unit::Fleet& fleet, RunState& state, std::span<const double> x, std::span<double> j) {
    for (const auto u : units_)
      if (fleet.unit(u).derivatives() == nullptr) return false;
    auto& inputs = state.signals.inputs.column<double>();
    for (std::size_t i = 0; i < x.size(); ++i) inputs[unknowns_[i]] = x[i];
    exchange(fleet, state);
    const std::size_t n = unknowns_.size();
    std::fill(j.begin(), j.end(), 0.0);
    for (std::size_t column = 0; column < n; ++column) add_column(fleet, column, j.subspan(column * n, n));
    return true;
  }

  void add_column(unit::Fleet& fleet, std::size_t column, std::span<double> to) {
    const auto input = unknowns_[column];
    const UnitId u = owner_of_input(input);
    const auto& unit = plan_.units[u];
    const auto reference = reference_at(unit.inputs, input - unit.first_input[real]);
    for (std::size_t row = 0; row < unknowns_.size(); ++row) {
      const auto source = plan_.sources[real][unknowns_[row]];
      if (source == graph::no_source || source < unit.first_output[real] ||
          source >= unit.first_output[real] + element_count(unit.outputs))
        continue;
      const auto output = reference_at(unit.outputs, source - unit.first_output[real]);
      const double one = 1;
      double sensitivity = 0;
      fleet.unit(u).derivatives()->directional({&output, 1}, {&reference, 1}, {&one, 1}, {&sensitivity, 1});
      to[row] = factor_of(unknowns_[row]) * sensitivity;
    }
  }

  [[nodiscard]] UnitId owner_of_input(std::uint32_t input) const {
    for (const auto u : units_) {
      const auto first = plan_.units[u].first_input[real];
      if (input >= first && input < first + element_count(plan_.units[u].inputs)) return u;
    }
    CONSORT_ASSERT(false);
    return graph::no_unit;
  }
  static std::uint32_t element_count(const describe::SignalSet& set) {
    for (const auto& g : set.groups())
      if (g.type == Type::Float64) return static_cast<std::uint32_t>(g.elements());
    return 0;
  }
  static ValueReference reference_at(const describe::SignalSet& set, std::uint32_t element) {
    for (const auto& g : set.groups()) {
      if (g.type != Type::Float64) continue;
      const auto after = std::upper_bound(g.offsets.begin(), g.offsets.end(), element);
      return g.references[static_cast<std::size_t>(after - g.offsets.begin()) - 1];
    }
    return 0;
  }
  [[nodiscard]] double factor_of(std::uint32_t input) const {
    for (const auto& s : plan_.scalings)
      if (s.input == input) return s.factor;
    return 1;
  }

  [[nodiscard]] Error not_converged(const solve::NonlinearOutcome& outcome, Time t) const {
    std::vector<std::string> residuals;
    for (std::size_t i = 0; i < unknowns_.size() && i < 8; ++i)
      residuals.push_back(fmt::format("{} {:.3g}", input_name(unknowns_[i]), outcome.residuals[i]));
    return run_error(
        "the algebraic loop {} does not converge at t = {} s with '{}' ({} iterations; residuals: {}); try another "
        "loop "
        "method, other start values, or break the loop with a unit that has a delay",
        fmt::join(loop_.variables, " → "), t, method_.name, outcome.iterations, fmt::join(residuals, ", "));
  }
  [[nodiscard]] std::string input_name(std::uint32_t input) const {
    const auto& unit = plan_.units[owner_of_input(input)];
    for (const auto& g : unit.inputs.groups()) {
      if (g.type != Type::Float64) continue;
      const auto after = std::upper_bound(g.offsets.begin(), g.offsets.end(), input - unit.first_input[real]);
      const auto id = g.variables[static_cast<std::size_t>(after - g.offsets.begin()) - 1];
      return fmt::format("{}.{}", unit.name, (*unit.description)[id].name);
    }
    return unit.name;
  }

  const graph::Plan& plan_;
  const graph::Loop& loop_;
  const solve::NonlinearMethod& method_;
  solve::NonlinearOptions options_;
  const std::vector<Gather>& gathers_;
  std::vector<UnitId> units_;
  std::vector<std::uint32_t> unknowns_;  // elements of the inputs' Float64 column
  std::vector<double> guess_;
};

Consistency::Consistency(const graph::Plan& plan, const graph::LoopSettings& settings, std::vector<bool> takes_part)
    : plan_(plan), gathers_(plan.units.size()), solvers_(plan.loops.size()), reports_(plan.loops.size()) {
  const auto all = [](UnitId, UnitId) { return true; };
  const Gather::Owners owners(plan);
  for (UnitId u = 0; u < plan.units.size(); ++u)
    if (takes_part[u]) gathers_[u] = Gather(plan, owners, std::span(&u, 1), all);
  for (std::size_t l = 0; l < plan.loops.size(); ++l) {
    reports_[l].variables = plan.loops[l].variables;
    const auto& units = plan.loops[l].units;
    // A loop through a unit that answers only after a step is delayed by that step, and so no loop here.
    if (std::all_of(units.begin(), units.end(), [&](UnitId u) { return takes_part[u]; }))
      solvers_[l] = std::make_unique<LoopSolver>(plan, plan.loops[l], settings, gathers_, takes_part);
  }
  for (const auto& e : plan.evaluation) {
    if (e.unit != graph::no_unit) {
      if (takes_part[e.unit] && plan.units[e.unit].has_feed_through()) order_.push_back(e);
    } else if (solvers_[e.loop]) {
      order_.push_back(e);
    } else {
      for (const auto u : plan.loops[e.loop].units)
        if (takes_part[u]) order_.push_back({u, graph::no_source});
    }
  }
}

Consistency::~Consistency() = default;

void Consistency::refresh(UnitId unit, unit::Fleet& fleet, RunState& state) {
  gathers_[unit](state.signals.outputs, state.signals.inputs);
  fleet.submit(std::span(&unit, 1), unit::Verb::evaluate, {state.t, 0, false}, state.signals);
  fleet.wait();
}

void Consistency::operator()(unit::Fleet& fleet, RunState& state) {
  for (const auto& e : order_) {
    if (e.unit != graph::no_unit) {
      refresh(e.unit, fleet, state);
    } else {
      (*solvers_[e.loop])(fleet, state, reports_[e.loop]);
    }
  }
}

}  // namespace consort::couple
