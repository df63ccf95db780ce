#include "step/interface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "couple/gather.hpp"
#include "couple/point.hpp"
#include "graph/dependencies.hpp"

namespace consort::step {

using graph::UnitId;

namespace {

double nominal_of(const describe::Variable& input, const describe::Variable& output, double factor) {
  double nominal = input.has_nominal ? input.nominal : output.has_nominal ? factor * output.nominal : 1;
  nominal = std::abs(nominal);
  return std::isfinite(nominal) && nominal > 0 ? nominal : 1;
}

// The variable of an element of the outputs' column.
const describe::Variable& source_of(const graph::PlannedUnit& unit, std::uint32_t element) {
  const auto& group = *unit.outputs.reals();
  const auto after = std::upper_bound(group.offsets.begin(), group.offsets.end(), element - unit.first_output[float64]);
  return (*unit.description)[group.variables[static_cast<std::size_t>(after - group.offsets.begin()) - 1]];
}

}  // namespace

std::vector<Route> continuous_routes(const graph::Plan& plan) {
  const auto continuous = couple::continuous_inputs(plan);
  const couple::Gather::Owners owners(plan);
  std::vector<Route> routes;
  for (UnitId u = 0; u < plan.units.size(); ++u) {
    const auto& to = plan.units[u];
    const auto* const group = to.inputs.reals();
    if (group == nullptr) continue;
    for (std::size_t v = 0; v < group->variables.size(); ++v) {
      for (auto e = group->offsets[v]; e < group->offsets[v + 1]; ++e) {
        Route route;
        route.input = to.first_input[float64] + e;
        route.source = plan.sources[float64][route.input];
        if (route.source == graph::no_source || !continuous[route.input]) continue;
        route.from = owners.of(Type::Float64, route.source);
        if (route.from == graph::no_unit) continue;
        route.to = u;
        const auto scaling = plan.scaling_of(route.input);
        route.factor = scaling.factor;
        route.offset = scaling.offset;
        const auto& input = (*to.description)[group->variables[v]];
        route.nominal = nominal_of(input, source_of(plan.units[route.from], route.source), scaling.factor);
        route.name = to.name + "." + to.starts.element_name(*to.description, input, e - group->offsets[v]);
        routes.push_back(std::move(route));
      }
    }
  }
  return routes;
}

std::vector<Cycle> cycles_of(const graph::Plan& plan, bool whole) {
  const auto routes = continuous_routes(plan);
  std::vector<std::vector<UnitId>> groups;
  if (whole) {
    groups.emplace_back(plan.units.size());
    std::iota(groups[0].begin(), groups[0].end(), UnitId{0});
  } else {
    std::vector<std::vector<UnitId>> edges(plan.units.size());
    for (const auto& r : routes) edges[r.from].push_back(r.to);
    groups = graph::components_in_order(edges);
  }
  std::vector<Cycle> cycles(groups.size());
  std::vector<std::size_t> cycle_of(plan.units.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const auto u : groups[g]) cycle_of[u] = g;
    cycles[g].units = std::move(groups[g]);
  }
  for (const auto& r : routes) {
    auto& cycle = cycles[cycle_of[r.to]];
    (cycle_of[r.from] == cycle_of[r.to] ? cycle.inner : cycle.outer).push_back(r);
  }
  return cycles;
}

namespace {

// Orders units so that few routes go backwards (Eades, Lin and Smyth): next comes a unit that takes nothing from units
// without a place; if there is none, the unit with the largest excess of given over taken routes.
std::map<UnitId, std::size_t> places(const Cycle& cycle) {
  struct Balance {
    std::int64_t takes = 0, gives = 0;
    std::vector<UnitId> from{}, to{};
    [[nodiscard]] std::int64_t key() const {
      return takes == 0 ? std::numeric_limits<std::int64_t>::min() : takes - gives;
    }
  };
  std::map<UnitId, Balance> units;
  for (const auto u : cycle.units) units[u];
  for (const auto& r : cycle.inner) {
    if (r.from == r.to) continue;
    units[r.from].to.push_back(r.to);
    units[r.to].from.push_back(r.from);
    ++units[r.from].gives;
    ++units[r.to].takes;
  }
  std::set<std::pair<std::int64_t, UnitId>> waiting;
  for (const auto& [u, balance] : units) waiting.emplace(balance.key(), u);
  std::map<UnitId, std::size_t> place;
  const auto change = [&](UnitId u, std::int64_t Balance::*count) {
    if (place.contains(u)) return;
    auto& balance = units[u];
    waiting.erase({balance.key(), u});
    --(balance.*count);
    waiting.emplace(balance.key(), u);
  };
  while (!waiting.empty()) {
    const UnitId next = waiting.begin()->second;
    waiting.erase(waiting.begin());
    place.emplace(next, place.size());
    for (const auto to : units[next].to) change(to, &Balance::takes);
    for (const auto from : units[next].from) change(from, &Balance::gives);
  }
  return place;
}

}  // namespace

Sweep make_sweep(const Cycle& cycle, bool serial) {
  Sweep sweep;
  if (!serial) {
    sweep.waves = {{cycle.units, {}}};
    sweep.unknowns = cycle.inner;
    return sweep;
  }
  const auto place = places(cycle);
  std::vector<UnitId> order(cycle.units);
  std::sort(order.begin(), order.end(), [&](UnitId a, UnitId b) { return place.at(a) < place.at(b); });
  std::map<UnitId, std::vector<const Route*>> into;
  for (const auto& r : cycle.inner) into[r.to].push_back(&r);
  std::map<UnitId, std::size_t> wave;
  for (const auto u : order) {
    auto& own = wave[u];
    for (const auto* r : into[u])
      if (place.at(r->from) < place.at(u)) own = std::max(own, wave[r->from] + 1);
    if (sweep.waves.size() <= own) sweep.waves.resize(own + 1);
    sweep.waves[own].units.push_back(u);
  }
  for (auto& w : sweep.waves) std::sort(w.units.begin(), w.units.end());
  for (const auto& r : cycle.inner)
    (place.at(r.from) < place.at(r.to) ? sweep.waves[wave[r.to]].known : sweep.unknowns).push_back(r);
  return sweep;
}

}  // namespace consort::step
