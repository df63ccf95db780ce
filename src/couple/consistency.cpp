#include "couple/consistency.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"

namespace consort::couple {

using graph::UnitId;

// The unknowns are the loop's Float64 inputs. Values of other types in the loop (Booleans, say) are held while the
// unknowns are solved for, then updated; both repeat until these values no longer change.
class Consistency::LoopSolver {
 public:
  LoopSolver(const graph::Plan& plan, fleet::Fleet& fleet, const graph::Loop& loop, const graph::LoopSettings& settings,
             const Consistency& owner)
      : plan_(plan),
        loop_(loop),
        method_(solve::find_nonlinear_method(settings.method)),
        options_{settings.tolerance, settings.max_iterations},
        owner_(owner),
        units_(loop.units),
        wave_(fleet.declare_wave(loop.units)) {
    for (const auto& in : loop.inputs) {
      const auto& unit = plan.units[in.unit];
      const auto place = unit.inputs.place(in.input);
      const auto first = unit.first_input[static_cast<std::size_t>(place.type)] + place.first;
      for (std::uint32_t e = 0; e < place.count; ++e) {
        if (place.type == Type::Float64) {
          add_unknown(in, first + e, e, place.count);
        } else {
          add_other(place.type, first + e);
        }
      }
    }
    guess_.resize(unknowns_.size());
    find_rows();
    differentiable_ = differentiable_ &&
                      std::all_of(units_.begin(), units_.end(), [&](UnitId u) { return fleet.traits(u).derivatives; });
    if (differentiable_) make_queries();
  }

  void operator()(fleet::Fleet& fleet, RunState& state, LoopTally& report) {
    gather(state);
    auto& inputs = state.signals.inputs.column<double>();
    ++report.solved;
    for (int round = 0; round < std::max(options_.iterations, 1); ++round) {
      exchange_others(state.signals.inputs, kept_, true);
      for (std::size_t i = 0; i < unknowns_.size(); ++i) guess_[i] = inputs[unknowns_[i]];
      if (!unknowns_.empty()) solve(fleet, state, report);
      for (std::size_t i = 0; i < unknowns_.size(); ++i) inputs[unknowns_[i]] = guess_[i];
      exchange(fleet, state);
      if (others_.empty()) return;
      gather(state);
      for (std::size_t i = 0; i < unknowns_.size(); ++i) inputs[unknowns_[i]] = guess_[i];
      if (settled(state.signals.inputs)) return;
      if (unknowns_.empty()) ++report.iterations, ++report.evaluations;
    }
    throw run_error(
        "the algebraic loop {} does not settle at t = {} s: its values of types other than Float64 still change after "
        "{} rounds; break the loop with a unit that has a delay",
        fmt::join(loop_.variables, " → "), state.t, options_.iterations)
        .at(state.t);
  }

 private:
  struct Known {  // the input of an unknown
    std::uint32_t member = 0;
    ValueReference reference = 0;
    std::uint32_t element = 0;
    std::uint32_t count = 1;
  };
  struct Row {
    std::uint32_t member = graph::no_source;  // of the source, if it is in the loop; else no_source
    std::size_t at = 0;                       // index among the derivatives asked of the member
    double factor = 1;
  };
  struct Other {
    Type type = Type::Float64;
    std::uint32_t input = 0;
    std::uint32_t kept = 0;
  };

  void solve(fleet::Fleet& fleet, RunState& state, LoopTally& report) {
    solve::FixedPoint problem;
    problem.size = unknowns_.size();
    problem.g = [&](std::span<const double> x, std::span<double> image) { evaluate(fleet, state, x, image); };
    problem.jacobian = [&](std::span<const double> x, std::span<double> j) { return jacobian(fleet, state, x, j); };
    const auto outcome = method_.solve(problem, options_, guess_);
    report.iterations += static_cast<std::uint64_t>(outcome.iterations);
    report.evaluations += outcome.evaluations;
    report.largest_residual = std::max(report.largest_residual, outcome.largest);
    exchange_others(state.signals.inputs, kept_, false);
    if (!outcome.converged) throw not_converged(outcome, state.t);
  }

  void gather(RunState& state) const {
    for (const auto u : units_) owner_.gathers_[u](state.signals.outputs, state.signals.inputs, state.t);
    if (owner_.overrides_) owner_.overrides_(state);
  }
  void exchange(fleet::Fleet& fleet, RunState& state) const {
    fleet.ask(wave_, fleet::Verb::evaluate, state.t, state.signals);
  }

  void evaluate(fleet::Fleet& fleet, RunState& state, std::span<const double> x, std::span<double> image) {
    auto& inputs = state.signals.inputs.column<double>();
    for (std::size_t i = 0; i < x.size(); ++i) inputs[unknowns_[i]] = x[i];
    exchange_others(state.signals.inputs, kept_, false);
    exchange(fleet, state);
    gather(state);
    for (std::size_t i = 0; i < x.size(); ++i) image[i] = inputs[unknowns_[i]];
  }

  // --- values of other types than Float64

  void add_other(Type type, std::uint32_t input) {
    with_type(type, [&]<class T>() {
      auto& column = kept_.column<T>();
      others_.push_back({type, input, static_cast<std::uint32_t>(column.size())});
      column.emplace_back();
    });
  }
  void exchange_others(Columns& inputs, Columns& kept, bool keep) const {
    for (const auto& o : others_) {
      with_type(o.type, [&]<class T>() {
        auto& there = inputs.column<T>()[o.input];
        auto& here = kept.column<T>()[o.kept];
        if (keep) {
          here = there;
        } else {
          there = here;
        }
      });
    }
  }
  [[nodiscard]] bool settled(const Columns& inputs) const {
    return std::all_of(others_.begin(), others_.end(), [&](const Other& o) {
      bool same = false;
      with_type(o.type, [&]<class T>() {
        const auto& now = inputs.column<T>()[o.input];
        const auto& was = kept_.column<T>()[o.kept];
        if constexpr (std::is_same_v<T, float>) {
          const double tolerance = std::max<double>(options_.tolerance, 4 * std::numeric_limits<float>::epsilon());
          same = std::abs(double{now} - double{was}) <= tolerance * std::max(1.0, std::abs(double{now}));
        } else if constexpr (std::is_same_v<T, EnumValue> || std::is_base_of_v<Bool, T>) {
          same = now.value == was.value;
        } else {
          same = now == was;
        }
      });
      return same;
    });
  }

  // --- derivatives

  void add_unknown(const graph::Loop::Input& in, std::uint32_t input, std::uint32_t element, std::uint32_t count) {
    const auto& unit = plan_.units[in.unit];
    const auto& v = (*unit.description)[unit.inputs.choice()[in.input]];
    differentiable_ = differentiable_ && v.variability == describe::Variability::continuous;
    unknowns_.push_back(input);
    knowns_.push_back({member(in.unit), v.reference, element, count});
  }

  // Finds the derivative of each unknown's source among those asked of its unit. FMI 3.0, 2.2.11: the derivative of an
  // array is asked for as a whole.
  void find_rows() {
    asked_.resize(units_.size());
    rows_.resize(unknowns_.size());
    const Gather::Owners owners(plan_);
    for (std::size_t i = 0; i < unknowns_.size(); ++i) {
      const auto source = plan_.sources[float64][unknowns_[i]];
      if (source == graph::no_source) {
        // Nothing drives this element, or a conversion does.
        differentiable_ =
            differentiable_ && !is_converted(units_[knowns_[i].member], unknowns_[i]) && !has_formula(unknowns_[i]);
        continue;
      }
      const auto from = owners.of(Type::Float64, source);
      if (from == graph::no_unit || !std::binary_search(units_.begin(), units_.end(), from)) continue;
      const auto& unit = plan_.units[from];
      const auto& group = *unit.outputs.reals();
      const auto element = source - unit.first_output[float64];
      const auto after = std::upper_bound(group.offsets.begin(), group.offsets.end(), element);
      const auto index = static_cast<std::size_t>(after - group.offsets.begin()) - 1;
      differentiable_ =
          differentiable_ && (*unit.description)[group.variables[index]].causality == describe::Causality::output;
      rows_[i].member = member(from);
      rows_[i].at = ask(asked_[rows_[i].member], group, index) + element - group.offsets[index];
      rows_[i].factor = plan_.scaling_of(unknowns_[i]).factor;
    }
  }

  struct Asked {
    std::vector<ValueReference> references;
    std::vector<std::size_t> first;  // element of each
    std::size_t elements = 0;
  };
  static std::size_t ask(Asked& asked, const describe::SignalSet::Group& group, std::size_t index) {
    const auto found = std::find(asked.references.begin(), asked.references.end(), group.references[index]);
    if (found != asked.references.end()) return asked.first[static_cast<std::size_t>(found - asked.references.begin())];
    asked.references.push_back(group.references[index]);
    asked.first.push_back(asked.elements);
    asked.elements += group.offsets[index + 1] - group.offsets[index];
    return asked.first.back();
  }

  // ∂c(g(u))/∂u from the directional derivatives of all units of the loop; false if a unit has no derivatives.
  bool jacobian(fleet::Fleet& fleet, RunState& state, std::span<const double> x, std::span<double> j) {
    if (!differentiable_ || owner_.overrides_) return false;
    auto& inputs = state.signals.inputs.column<double>();
    for (std::size_t i = 0; i < x.size(); ++i) inputs[unknowns_[i]] = x[i];
    exchange_others(state.signals.inputs, kept_, false);
    exchange(fleet, state);
    fleet.differentiate(fleet::DerivativeOf::outputs, queries_);
    const std::size_t n = unknowns_.size();
    std::fill(j.begin(), j.end(), 0.0);
    for (std::size_t q = 0; q < queries_.size(); ++q) {
      const std::size_t column = columns_[q];
      for (std::size_t row = 0; row < n; ++row)
        if (rows_[row].member == knowns_[column].member)
          j[column * n + row] = rows_[row].factor * queries_[q].sensitivity[rows_[row].at];
    }
    return true;
  }

  // Prepares the queries of a Jacobian, with memory for the answers.
  void make_queries() {
    std::size_t seeds = 0;
    std::size_t answers = 0;
    for (const auto& known : knowns_) {
      if (asked_[known.member].references.empty()) continue;
      seeds += known.count;
      answers += asked_[known.member].elements;
    }
    seeds_.assign(seeds, 0.0);
    sensitivities_.assign(answers, 0.0);
    seeds = answers = 0;
    for (std::size_t column = 0; column < knowns_.size(); ++column) {
      const auto& known = knowns_[column];
      const auto& asked = asked_[known.member];
      if (asked.references.empty()) continue;
      seeds_[seeds + known.element] = 1;
      queries_.push_back({units_[known.member],
                          asked.references,
                          {&known.reference, 1},
                          std::span(seeds_).subspan(seeds, known.count),
                          std::span(sensitivities_).subspan(answers, asked.elements)});
      columns_.push_back(column);
      seeds += known.count;
      answers += asked.elements;
    }
  }

  [[nodiscard]] std::uint32_t member(UnitId unit) const {
    return static_cast<std::uint32_t>(std::lower_bound(units_.begin(), units_.end(), unit) - units_.begin());
  }
  [[nodiscard]] bool is_converted(UnitId unit, std::uint32_t input) const {
    const auto first = std::lower_bound(plan_.conversions.begin(), plan_.conversions.end(), unit,
                                        [](const auto& c, UnitId u) { return c.unit < u; });
    return std::any_of(first, plan_.conversions.end(),
                       [&](const auto& c) { return c.unit == unit && c.to == Type::Float64 && c.input == input; });
  }

  [[nodiscard]] bool has_formula(std::uint32_t input) const {
    return std::any_of(plan_.formulas.begin(), plan_.formulas.end(),
                       [&](const auto& f) { return f.to == Type::Float64 && f.input == input; });
  }

  [[nodiscard]] Error not_converged(const solve::NonlinearOutcome& outcome, Time t) const {
    std::vector<std::string> residuals;
    for (std::size_t i = 0; i < unknowns_.size() && i < 8; ++i)
      residuals.push_back(fmt::format("{} {:.3g}", input_name(i), outcome.residuals[i]));
    return run_error(
               "the algebraic loop {} does not converge at t = {} s with '{}' ({} iterations; residuals: {}); try "
               "another loop method, other start values, or break the loop with a unit that has a delay",
               fmt::join(loop_.variables, " → "), t, method_.name, outcome.iterations, fmt::join(residuals, ", "))
        .at(t);
  }
  [[nodiscard]] std::string input_name(std::size_t unknown) const {
    const auto& unit = plan_.units[units_[knowns_[unknown].member]];
    const auto& group = *unit.inputs.reals();
    const auto after =
        std::upper_bound(group.offsets.begin(), group.offsets.end(), unknowns_[unknown] - unit.first_input[float64]);
    const auto id = group.variables[static_cast<std::size_t>(after - group.offsets.begin()) - 1];
    return fmt::format("{}.{}", unit.name,
                       describe::element_name(*unit.description, (*unit.description)[id], knowns_[unknown].element));
  }

  const graph::Plan& plan_;
  const graph::Loop& loop_;
  const solve::NonlinearMethod& method_;
  solve::NonlinearOptions options_;
  const Consistency& owner_;
  std::vector<UnitId> units_;            // sorted; a member is an index into it
  std::vector<std::uint32_t> unknowns_;  // elements of the inputs' Float64 column
  std::vector<Known> knowns_;            // by unknown
  std::vector<Row> rows_;                // by unknown
  std::vector<Asked> asked_;             // by member
  std::vector<Other> others_;
  Columns kept_;  // values of others_
  bool differentiable_ = true;
  fleet::WaveId wave_;                           // of all units of the loop
  std::vector<fleet::DerivativeQuery> queries_;  // one per unknown whose unit is asked for derivatives
  std::vector<std::size_t> columns_;             // by query: the unknown
  std::vector<double> guess_, seeds_, sensitivities_;
};

Consistency::Consistency(const graph::Plan& plan, fleet::Fleet& fleet, const graph::LoopSettings& settings,
                         std::vector<bool> takes_part)
    : gathers_(plan.units.size()), solvers_(plan.loops.size()) {
  const auto all = [](UnitId, UnitId) { return true; };
  const Gather::Owners owners(plan);
  for (UnitId u = 0; u < plan.units.size(); ++u)
    if (takes_part[u]) gathers_[u] = Gather(plan, owners, std::span(&u, 1), all);
  for (std::size_t l = 0; l < plan.loops.size(); ++l) {
    const auto& units = plan.loops[l].units;
    // A loop through a unit that evaluates outputs only in a step is delayed by that step, so it is not solved here.
    if (std::all_of(units.begin(), units.end(), [&](UnitId u) { return takes_part[u]; }))
      solvers_[l] = std::make_unique<LoopSolver>(plan, fleet, plan.loops[l], settings, *this);
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

void Consistency::refresh(UnitId unit, fleet::Fleet& fleet, RunState& state) {
  gathers_[unit](state.signals.outputs, state.signals.inputs, state.t);
  if (overrides_) overrides_(state);
  fleet.ask(fleet.wave_of(unit), fleet::Verb::evaluate, state.t, state.signals);
}

void Consistency::operator()(fleet::Fleet& fleet, RunState& state) {
  for (const auto& e : order_) {
    if (e.unit != graph::no_unit) {
      refresh(e.unit, fleet, state);
    } else {
      (*solvers_[e.loop])(fleet, state, state.loops[e.loop]);
    }
  }
}

}  // namespace consort::couple
