#include "couple/error_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"

namespace consort::couple {

using graph::UnitId;

namespace {

// By unit and output: estimated outputs, and outputs that depend on an input driven by another unit.
struct Marks {
  std::vector<std::vector<bool>> looked_at, follows;
};

bool changes(const describe::Variable& v) {
  return v.variability == describe::Variability::continuous || v.variability == describe::Variability::discrete;
}

// The outputs of a unit that drives no unit; if it declares none, its recorded variables.
void mark_end(const graph::PlannedUnit& unit, std::vector<bool>& looked_at) {
  const auto& d = *unit.description;
  const auto& choice = unit.outputs.choice();
  for (const bool declared : {true, false}) {
    bool found = false;
    for (std::size_t i = 0; i < choice.size(); ++i) {
      const auto& v = d[choice[i]];
      if (!changes(v) || v.type != Type::Float64 || (v.causality == describe::Causality::output) != declared) continue;
      looked_at[i] = found = true;
    }
    if (found) return;
  }
}

Marks mark_outputs(const graph::Plan& plan) {
  Marks marks;
  for (const auto& unit : plan.units) {
    marks.looked_at.emplace_back(unit.outputs.choice().size(), false);
    marks.follows.emplace_back(unit.outputs.choice().size(), false);
  }
  std::vector<bool> drives(plan.units.size(), false);
  for (const auto& c : plan.connections) {
    if (c.from == graph::no_unit) continue;
    marks.looked_at[c.from][c.output] = true;
    if (c.from != c.to) drives[c.from] = true;
    for (const auto output : plan.units[c.to].feed_through[c.input]) marks.follows[c.to][output] = true;
  }
  for (std::size_t u = 0; u < plan.units.size(); ++u) {
    // A unit without states passes on errors of other units and adds no error of its own. Descriptions with Model
    // Exchange declare their states.
    const auto& d = *plan.units[u].description;
    if (d.continuous_states == 0 && d.interface(describe::InterfaceType::model_exchange) != nullptr) continue;
    const bool is_driven = !plan.units[u].inputs.empty();  // by connections, an input file or a scenario
    if (is_driven && !drives[u]) mark_end(plan.units[u], marks.looked_at[u]);
  }
  return marks;
}

// By variable: true for states whose derivatives do not depend on inputs, and for outputs that depend only on such
// states.
std::vector<bool> second_hand_variables(const describe::Description& d) {
  std::vector<bool> found(d.variables.size(), false);
  for (const auto& unknown : d.structure.derivatives) {
    const auto state = d[unknown.variable].derivative_of;
    if (state == describe::no_variable || !unknown.declared) continue;
    const auto dependencies = d.structure.of(unknown);
    found[state] = std::none_of(dependencies.begin(), dependencies.end(), [&](const auto& dependency) {
      return d[dependency.variable].causality == describe::Causality::input;
    });
  }
  for (const auto& unknown : d.structure.outputs) {
    const auto dependencies = d.structure.of(unknown);
    if (!unknown.declared || dependencies.empty()) continue;
    found[unknown.variable] = std::all_of(dependencies.begin(), dependencies.end(),
                                          [&](const auto& dependency) { return found[dependency.variable]; });
  }
  return found;
}

}  // namespace

std::vector<EstimatedOutput> estimated_outputs(const graph::Plan& plan, const std::vector<bool>& is_late) {
  const auto marks = mark_outputs(plan);
  std::vector<EstimatedOutput> all;
  for (UnitId u = 0; u < plan.units.size(); ++u) {
    const auto& unit = plan.units[u];
    const auto& choice = unit.outputs.choice();
    const auto second_hand = second_hand_variables(*unit.description);
    for (std::size_t i = 0; i < choice.size(); ++i) {
      const auto place = unit.outputs.place(i);
      const auto& v = (*unit.description)[choice[i]];
      if (!marks.looked_at[u][i] || place.type != Type::Float64) continue;
      const double nominal = std::abs(v.nominal) > 0 && std::isfinite(v.nominal) ? std::abs(v.nominal) : 1.0;
      for (std::uint32_t e = 0; e < place.count; ++e) {
        all.push_back({.element = unit.first_output[float64] + place.first + e,
                       .unit = u,
                       .variable = choice[i],
                       .name = unit.name + "." + unit.starts.element_name(*unit.description, v, e),
                       .nominal = nominal,
                       .feed_through = is_late[u] && marks.follows[u][i],
                       .second_hand = second_hand[choice[i]],
                       .may_jump = v.variability != describe::Variability::continuous});
      }
    }
  }
  return all;
}

ErrorEstimate::ErrorEstimate(std::vector<EstimatedOutput> outputs, Weights weights)
    : outputs_(std::move(outputs)),
      weights_(weights),
      coarse_(outputs_.size()),
      fine_(outputs_.size()),
      estimates_(outputs_.size()) {
  has_feed_through_ = std::any_of(outputs_.begin(), outputs_.end(), [](const auto& o) { return o.feed_through; });
  for (const auto& o : outputs_) {
    elements_.push_back(o.element);
    least_.push_back(weights_.absolute * o.nominal);
    direct_.push_back(o.feed_through ? 1 : 0);
  }
}

void ErrorEstimate::keep_coarse(const Columns& outputs) {
  const double* const from = outputs.column<double>().data();
  for (std::size_t i = 0; i < elements_.size(); ++i) coarse_[i] = from[elements_[i]];
}

void ErrorEstimate::find_differences(const Columns& fine) {
  const double* const from = fine.column<double>().data();
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    fine_[i] = from[elements_[i]];
    estimates_[i] = fine_[i] - coarse_[i];
  }
}

// A single pass over the outputs, because it may cost more than the units do. `estimate` and `allowed` (the usable part
// of the tolerance) are called for every output.
template <class Estimate, class Allowed>
double ErrorEstimate::sum_up(Estimate estimate, Allowed allowed) {
  const std::size_t n = estimates_.size();
  if (n == 0) return 0;
  const bool squares = weights_.norm == graph::StepControl::Norm::root_mean_square;
  double sum = 0;
  double largest = -1;
  for (std::size_t i = 0; i < n; ++i) {
    const double error = estimate(i);
    const double w = std::abs(error) / ((least_[i] + weights_.relative * std::abs(fine_[i])) * allowed(i));
    estimates_[i] = error;
    sum += squares ? w * w : w;
    if (!(w <= largest) && !std::isnan(largest)) {  // NaN is the largest, and stays the largest
      largest = w;
      worst_ = i;
    }
  }
  largest_ = largest;
  return std::sqrt(sum / static_cast<double>(n));
}

double ErrorEstimate::compare(const Columns& fine, const ErrorRatio& ratio, double share) {
  share_ = share;
  const double* const from = fine.column<double>().data();
  const auto difference = [&](std::size_t i) {
    fine_[i] = from[elements_[i]];
    return fine_[i] - coarse_[i];
  };
  const double states = 1 / (ratio.states - 1);
  if (!has_feed_through_)
    return sum_up([&](std::size_t i) { return difference(i) * states; }, [&](std::size_t) { return share; });
  const double outputs = 1 / (ratio.outputs - 1);
  return sum_up([&](std::size_t i) { return difference(i) * (direct_[i] != 0 ? outputs : states); },
                [&](std::size_t i) { return direct_[i] != 0 ? 1 : share; });
}

double ErrorEstimate::weigh(double share) {
  share_ = share;
  return sum_up([&](std::size_t i) { return estimates_[i]; },
                [&](std::size_t i) { return direct_[i] != 0 ? 1 : share; });
}

void ErrorEstimate::count(ControlState& control) const {
  CONSORT_ASSERT(control.signals.size() == outputs_.size());
  control.worst = worst_;
  const double* estimate = estimates_.data();
  const double* value = fine_.data();
  for (auto& s : control.signals) {
    const double size = std::abs(*estimate);
    s.estimate = *estimate++;
    s.largest = std::max(s.largest, size);
    s.accumulated += size;
    s.squares += size * size;
    s.low = std::min(s.low, *value);
    s.high = std::max(s.high, *value++);
  }
  if (!has_feed_through_) return;
  // Outputs that depend directly on inputs have the present error of these inputs: such errors do not add up.
  for (std::size_t i = 0; i < estimates_.size(); ++i)
    if (direct_[i] != 0) control.signals[i].accumulated = control.signals[i].largest;
}

}  // namespace consort::couple
