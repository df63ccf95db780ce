#include "couple/power_bonds.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/error.hpp"
#include "graph/measures.hpp"

namespace consort::couple {

using graph::UnitId;

namespace {

struct Output {
  UnitId unit = 0;
  std::uint32_t index = 0;    // in the order of the unit's outputs
  std::uint32_t element = 0;  // of the outputs' Float64 column
  const describe::Variable* variable = nullptr;
};

Output find_output(const graph::Plan& plan, const std::string& path, const graph::PowerBond& bond) {
  const auto [unit, id] = [&] {
    try {
      return plan.require_variable(path);
    } catch (const Error& error) {
      throw error.with_text(fmt::format("{}: {}", bond.where, error.what())).of_setting("bonds");
    }
  }();
  const auto& u = plan.units[unit];
  const auto& choice = u.outputs.choice();
  const auto at = std::lower_bound(choice.begin(), choice.end(), id);
  require_setting("bonds", at != choice.end() && *at == id,
                  "{}: '{}' of a power bond is not an output; name an output that is connected", bond.where, path);
  const auto index = static_cast<std::uint32_t>(at - choice.begin());
  const auto place = u.outputs.place(index);
  require_setting(
      "bonds", place.type == Type::Float64 && place.count == 1,
      "{}: '{}' of a power bond must be a single number of type Float64; declare a bond for each element that has an "
      "output of its own",
      bond.where, path);
  return {unit, index, u.first_output[float64] + place.first, &(*u.description)[id]};
}

// The input of the other unit that `from` drives.
std::uint32_t find_input(const graph::Plan& plan, const Output& from, UnitId to, const graph::PowerBond& bond,
                         const std::string& path) {
  for (const auto& c : plan.connections) {
    if (c.from != from.unit || c.output != from.index || c.to != to) continue;
    const auto place = plan.units[to].inputs.place(c.input);
    if (place.type == Type::Float64) return plan.units[to].first_input[float64] + place.first;
  }
  throw input_error("{}: '{}' does not drive unit '{}', so it transfers no power to it; connect it, or remove the bond",
                    bond.where, path, plan.units[to].name)
      .of_setting("bonds");
}

// W per product of the two outputs' units of measure; 1 if one of them is not known.
double watts(const graph::Plan& plan, const Output& effort, const Output& flow, const graph::PowerBond& bond) {
  const auto e = graph::measure_of(*plan.units[effort.unit].description, *effort.variable);
  const auto f = graph::measure_of(*plan.units[flow.unit].description, *flow.variable);
  if (!e || !f || !e->base || !f->base) return 1;
  constexpr std::array<int, 7> power{1, 2, -3, 0, 0, 0, 0};  // kg m² s⁻³; angles are ignored
  for (std::size_t i = 0; i < power.size(); ++i) {
    require_setting(
        "bonds", e->base->exponents[i] + f->base->exponents[i] == power[i],
        "{}: '{}' in {} times '{}' in {} is not a power; name an effort and a flow of the same bond, such as force and "
        "velocity",
        bond.where, bond.effort, e->name, bond.flow, f->name);
  }
  return e->base->factor * f->base->factor;
}

}  // namespace

PowerBonds::PowerBonds(const graph::Plan& plan, const std::vector<graph::PowerBond>& bonds) {
  for (const auto& bond : bonds) {
    const auto effort = find_output(plan, bond.effort, bond);
    const auto flow = find_output(plan, bond.flow, bond);
    require_setting("bonds", effort.unit != flow.unit,
                    "{}: '{}' and '{}' belong to one unit; name outputs of two different units", bond.where,
                    bond.effort, bond.flow);
    Bond b;
    b.name = fmt::format("{} · {}", bond.effort, bond.flow);
    b.scale = watts(plan, effort, flow, bond);
    b.nominal = std::abs(b.scale * effort.variable->nominal * flow.variable->nominal);
    if (!(b.nominal > 0) || !std::isfinite(b.nominal)) b.nominal = 1;
    b.effort = {effort.element, find_input(plan, effort, flow.unit, bond, bond.effort)};
    b.flow = {flow.element, find_input(plan, flow, effort.unit, bond, bond.flow)};
    for (End* const end : {&b.effort, &b.flow}) {
      const auto s = plan.scaling_of(end->input);
      require_setting("bonds", s.factor != 0, "{}: a connection of the power bond has the factor 0; remove the bond",
                      bond.where);
      end->factor = s.factor;
      end->offset = s.offset;
    }
    b.into_flow = b.effort.factor < 0 ? -1 : 1;
    bonds_.push_back(std::move(b));
  }
}

double PowerBonds::used(const End& end, const RunState& state, Duration h) {
  const auto& inputs = state.signals.inputs.column<double>();
  double u = inputs[end.input];
  double power = 1;
  for (int m = 1; m <= state.signals.highest; ++m) {
    power *= h / m;
    u += power * state.signals.derivatives[static_cast<std::size_t>(m - 1) * inputs.size() + end.input];
  }
  return (u - end.offset) / end.factor;
}

void PowerBonds::observe(RunState& state, Duration h, const std::function<bool(std::uint32_t)>& is_overridden) const {
  state.bonds.resize(bonds_.size());
  const auto& outputs = state.signals.outputs.column<double>();
  for (std::size_t i = 0; i < bonds_.size(); ++i) {
    const auto& b = bonds_[i];
    auto& s = state.bonds[i];
    const double effort = outputs[b.effort.output];
    const double flow = outputs[b.flow.output];
    s.power = b.scale * effort * flow;
    // Power taken by the flow's unit minus power given by the effort's unit.
    s.residual = b.into_flow * b.scale * (used(b.effort, state, h) * flow - effort * used(b.flow, state, h));
    if (is_overridden && (is_overridden(b.effort.input) || is_overridden(b.flow.input))) s.residual = 0;
    s.largest = std::max(s.largest, std::abs(s.residual));
    s.peak = std::max(s.peak, std::abs(s.power));
    s.made += s.residual * h;
    s.lost_or_made += std::abs(s.residual) * h;
    s.carried += std::abs(s.power) * h;
  }
}

}  // namespace consort::couple
