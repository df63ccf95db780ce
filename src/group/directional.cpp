#include "group/directional.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace consort::group {

Directional::Directional(const Model& model, std::span<Member> members, MemberDerivatives& derivatives,
                         ConnectorGradient connector_gradient)
    : model_(model),
      members_(members),
      derivatives_(derivatives),
      connector_gradient_(std::move(connector_gradient)),
      seeds_(members.size()) {
  const auto& wiring = model.wiring;
  place_in_seeds_.resize(wiring.inputs.size());
  for (std::uint32_t i = 0; i < wiring.inputs.size(); ++i) {
    const auto& slot = wiring.inputs[i];
    auto& own = seeds_[slot.member];
    place_in_seeds_[i] = static_cast<std::uint32_t>(own.slots.size());
    own.slots.push_back(i);
    if (slot.element == 0) own.inputs.push_back((*members[slot.member].description)[slot.variable].reference);
  }
  for (MemberId m = 0; m < members.size(); ++m) {
    seeds_[m].connected = seeds_[m].inputs.size();
    seeds_[m].states.resize(members[m].states);
    std::size_t first = 0;
    if (members[m].state_references.empty()) continue;
    const auto& d = *members[m].description;
    for (const auto& unknown : d.structure.derivatives) {
      const auto state = d[unknown.variable].derivative_of;
      states_.emplace(model.composite.first_of_member[m] + state, std::pair(m, first));
      first += members[m].elements(unknown.variable);
    }
  }
  for (std::uint32_t o = 0; o < wiring.sources.size(); ++o) slot_of_source_.emplace(wiring.sources[o], o);
  y_.resize(wiring.outputs.size());
}

void Directional::operator()(Time t, std::span<const double> gains, std::span<const ValueReference> unknowns,
                             std::span<const ValueReference> knowns, std::span<const double> seed_values,
                             std::span<double> sensitivity) {
  gains_ = gains;
  std::fill(y_.begin(), y_.end(), 0.0);
  for (auto& own : seeds_) {
    std::fill(own.states.begin(), own.states.end(), 0.0);
    own.inputs.resize(own.connected);
    own.values.assign(own.slots.size(), 0.0);
    own.moves = own.moves_states = false;
  }
  for (const auto known : knowns) {
    const auto elements = model_.composite.origins[known].elements;
    CONSORT_ASSERT(elements <= seed_values.size());
    seed(known, seed_values.first(elements));
    seed_values = seed_values.subspan(elements);
  }
  sweep(t);
  for (const auto unknown : unknowns) {
    const auto elements = model_.composite.origins[unknown].elements;
    CONSORT_ASSERT(elements <= sensitivity.size());
    answer(t, unknown, sensitivity.first(elements));
    sensitivity = sensitivity.subspan(elements);
  }
}

void Directional::seed(ValueReference known, std::span<const double> values) {
  const auto& origin = model_.composite.origins[known];
  if (origin.kind == Origin::Kind::external) {
    const auto& e = model_.plan.externals[origin.index];
    for (std::uint32_t i = 0; i < e.count; ++i)
      if (const auto slot = slot_of_source_.find(e.element + i); slot != slot_of_source_.end())
        y_[slot->second] = values[i];
    return;
  }
  if (const auto state = states_.find(known); state != states_.end()) {
    auto& own = seeds_[state->second.first];
    std::copy(values.begin(), values.end(), own.states.begin() + static_cast<std::ptrdiff_t>(state->second.second));
    own.moves = own.moves_states = true;
    return;
  }
  const bool is_input =
      origin.kind == Origin::Kind::member && model_.description()[known].causality == describe::Causality::input;
  if (!is_input)
    throw run_error("'{}' is neither an input nor a state, so there are no derivatives with respect to it",
                    model_.description()[known].name);
  auto& own = seeds_[origin.index];
  own.inputs.push_back((*members_[origin.index].description)[origin.variable].reference);
  own.values.insert(own.values.end(), values.begin(), values.end());
  own.moves = true;
}

void Directional::change(MemberId m, Time t, std::span<const ValueReference> outputs, std::span<double> values) {
  const auto& own = seeds_[m];
  if (!own.moves) return std::fill(values.begin(), values.end(), 0.0);
  derivatives_(
      m, t,
      {own.moves_states ? std::span<const double>(own.states) : std::span<const double>(), own.inputs, own.values},
      {{}, outputs, values});
}

void Directional::get(const Batch& batch, Time t) {
  change(batch.member, t, batch.references, std::span(y_).subspan(batch.first, batch.count));
}

double Directional::routed(std::uint32_t input) const {
  double sum = 0;
  for (const auto l : model_.wiring.links_to[input]) sum += gains_[l] * y_[model_.wiring.links[l].output];
  return sum;
}

void Directional::set(const Batch& batch) {
  auto& own = seeds_[batch.member];
  for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
    const double value = routed(i);
    own.values[place_in_seeds_[i]] = value;
    own.moves = own.moves || value != 0;
  }
}

// Linear in the inputs of the loop: (I - J) δu = what comes from outside of it.
void Directional::solve(const LoopPart& loop, Time t) {
  const auto n = static_cast<Eigen::Index>(loop.inputs.size());
  const auto apply = [&](const Eigen::VectorXd& u) {
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto input = loop.inputs[static_cast<std::size_t>(i)];
      auto& own = seeds_[model_.wiring.inputs[input].member];
      own.values[place_in_seeds_[input]] = u[i];
      own.moves = own.moves || u[i] != 0;
    }
    for (const auto& batch : loop.gets) get(batch, t);
    Eigen::VectorXd image(n);
    for (Eigen::Index i = 0; i < n; ++i) image[i] = routed(loop.inputs[static_cast<std::size_t>(i)]);
    return image;
  };
  const Eigen::VectorXd outside = apply(Eigen::VectorXd::Zero(n));
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(n, n);
  for (Eigen::Index j = 0; j < n; ++j) matrix.col(j) -= apply(Eigen::VectorXd::Unit(n, j)) - outside;
  static_cast<void>(apply(matrix.partialPivLu().solve(outside)));
}

void Directional::sweep(Time t) {
  for (const auto& step : model_.wiring.steps) {
    switch (step.kind) {
      case Step::Kind::get: get(model_.wiring.gets[step.index], t); break;
      case Step::Kind::set: set(model_.wiring.sets[step.index]); break;
      case Step::Kind::solve: solve(model_.wiring.loops[step.index], t); break;
    }
  }
}

// The change of a variable that a connector shows.
double Directional::change_of(Time t, const SlotName& source) {
  if (source.member == none) {
    const auto slot = slot_of_source_.find(source.element);
    return slot == slot_of_source_.end() ? 0.0 : y_[slot->second];
  }
  const auto& variable = (*members_[source.member].description)[source.variable];
  if (variable.type != Type::Float64) return 0;
  column_.resize(model_.composite.origins[model_.composite.first_of_member[source.member] + source.variable].elements);
  change(source.member, t, std::span(&variable.reference, 1), column_);
  return (variable.negated ? -1 : 1) * column_[source.element];
}

void Directional::answer(Time t, ValueReference unknown, std::span<double> values) {
  const auto& origin = model_.composite.origins[unknown];
  switch (origin.kind) {
    case Origin::Kind::external: return std::fill(values.begin(), values.end(), 0.0);
    case Origin::Kind::connector: {
      const auto& connector = model_.plan.connectors[origin.index];
      const auto& sources = model_.composite.connector_sources[origin.index];
      if (!connector.formula) {
        values[0] = connector.factor * change_of(t, sources.front());
        return;
      }
      const auto& gradient = connector_gradient_(origin.index);
      values[0] = 0;
      for (std::size_t k = 0; k < gradient.size(); ++k)
        if (gradient[k] != 0) values[0] += gradient[k] * change_of(t, sources[k]);
      return;
    }
    case Origin::Kind::member: break;
  }
  const auto reference = (*members_[origin.index].description)[origin.variable].reference;
  change(origin.index, t, std::span(&reference, 1), values);
}

}  // namespace consort::group
