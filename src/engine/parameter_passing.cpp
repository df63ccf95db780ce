#include "engine/parameter_passing.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "graph/parameter_route.hpp"

namespace consort::engine {

namespace {

// Two NaNs are the same value, too.
bool is_same(const Value& a, const Value& b) { return a == b || a.text() == b.text(); }

}  // namespace

ParameterPassing::ParameterPassing(const graph::Plan& plan, fleet::Fleet& fleet)
    : plan_(plan),
      fleet_(fleet),
      silent_(plan.units.size(), false),
      closed_(plan.units.size(), false),
      passed_(plan.parameters.size()) {}

bool ParameterPassing::operator()() {
  bool changed_at_all = false;
  // Every round settles one more parameter of a chain; the last round changes no parameter.
  for (std::size_t round = 0; round <= plan_.parameters.size(); ++round) {
    bool changed = false;
    for (std::size_t i = 0; i < plan_.parameters.size(); ++i)
      changed = pass(plan_.parameters[i], passed_[i]) || changed;
    if (!changed) return changed_at_all;
    changed_at_all = true;
  }
  throw run_error(
      "{}: the parameters that are calculated before the run depend on each other in a circle and do not settle; "
      "remove one of the connections between parameters",
      plan_.parameters.front().text);
}

bool ParameterPassing::pass(const graph::ParameterRoute& route, std::optional<Value>& passed) {
  if (silent_[route.from.unit]) return false;
  const auto& planned = plan_.units[route.to.unit];
  Value value;
  try {
    value = graph::taken(route, read(route.from.unit, route.from.variable), *planned.description);
  } catch (const Error& error) {
    throw Error(Fault::run, fmt::format("{}: {}", route.text, error.what()), error.fields());
  }
  if (passed && is_same(*passed, value)) return false;
  require_in_unit(
      planned.name, !closed_[route.to.unit],
      "{}: the value is calculated after unit '{}' (FMI 1.0) was initialised; set the parameter by a parameter "
      "binding or '--set'",
      route.text, planned.name);
  const auto id = route.to.variable;
  const auto set = planned.starts.signals(*planned.description, std::span(&id, 1));
  Columns columns = set.make_columns();
  if (route.to.count != set.place(0).count) fleet_.get(route.to.unit, set, columns);  // for the other elements
  with_type(value.type(), [&]<class T>() {
    std::copy(value.elements<T>().begin(), value.elements<T>().end(),
              columns.column<T>().begin() + static_cast<std::ptrdiff_t>(route.to.first));
  });
  fleet_.set(route.to.unit, set, columns);
  passed = std::move(value);
  return true;
}

Value ParameterPassing::read(graph::UnitId u, describe::VariableId variable) {
  const auto& planned = plan_.units[u];
  const auto set = planned.starts.signals(*planned.description, std::span(&variable, 1));
  Columns columns = set.make_columns();
  fleet_.get(u, set, columns);
  return with_type(set.place(0).type, [&]<class T>() { return Value(std::move(columns.column<T>())); });
}

}  // namespace consort::engine
