#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/simulation_impl.hpp"

namespace consort::engine {

Value Simulation::Impl::value(std::string_view path) {
  if (const auto* external = find_external(path)) {
    Value v;
    with_type(external->type, [&]<class T>() {
      const auto& column = state_.signals.outputs.column<T>();
      v = Value(
          std::vector<T>(column.begin() + external->element, column.begin() + external->element + external->count));
    });
    return v;
  }
  const auto [u, id] = plan_.require_variable(path);
  const auto& unit = plan_.units[u];
  const auto set = unit.starts.signals(*unit.description, std::span(&id, 1));
  Columns columns = set.make_columns();
  fleet_->get(u, set, columns);
  Value v;
  with_type(set.place(0).type, [&]<class T>() { v = Value(columns.column<T>()); });
  return v;
}

void Simulation::Impl::set(std::string_view path, const Value& value) {
  if (const auto* external = find_external(path)) {
    require(value.type() == external->type && value.size() == external->count, "'{}' takes {} value{} of type {}", path,
            external->count, external->count == 1 ? "" : "s", name_of(external->type));
    with_type(external->type, [&]<class T>() {
      std::copy(value.elements<T>().begin(), value.elements<T>().end(),
                state_.signals.outputs.column<T>().begin() + external->element);
    });
    return;
  }
  const auto [u, id] = plan_.require_variable(path);
  auto& unit = plan_.units[u];
  const auto& v = (*unit.description)[id];
  if (!initialized_) {
    require(v.causality != describe::Causality::structural_parameter,
            "'{}' determines sizes of arrays, which are fixed by now; set it in the system, or with the options of the "
            "simulation",
            path);
    unit.starts.add(*unit.description, id, value);
    return;
  }
  require(v.is_settable_at_run_time(), "'{}' is {} ({}) and cannot be set while the simulation runs", path,
          describe::name_of(v.causality), describe::name_of(v.variability));
  const auto& driven = unit.inputs.choice();
  require(!std::binary_search(driven.begin(), driven.end(), id),
          "'{}' is driven by a connection; remove it, or use a scenario to override it", path);
  const auto set = unit.starts.signals(*unit.description, std::span(&id, 1));
  Columns columns = set.make_columns();
  require(value.type() == v.type && value.size() == set.place(0).count, "'{}' takes {} value{} of type {}", path,
          set.place(0).count, set.place(0).count == 1 ? "" : "s", name_of(v.type));
  with_type(v.type, [&]<class T>() { columns.column<T>() = value.elements<T>(); });
  set_running(u, v, set, columns);
}

Type Simulation::Impl::type_of_path(std::string_view path) const {
  if (const auto* external = find_external(path)) return external->type;
  const auto [u, id] = plan_.require_variable(path);
  return (*plan_.units[u].description)[id].type;
}

// FMI 3.0, 4.2.1.3: a unit with event mode gets variables that are not continuous there.
void Simulation::Impl::set_running(UnitId u, const describe::Variable& v, const describe::SignalSet& set,
                                   Columns& values) {
  if (!fleet_->traits(u).event_mode || v.variability == describe::Variability::continuous)
    return fleet_->set(u, set, values);
  fleet_->enter_event_mode(std::span(&u, 1));
  fleet_->set(u, set, values);
  if (fleet_->settle(u, state_.t, state_.signals).terminate)
    report_.ended_early =
        fmt::format("unit '{}' asked to end the simulation at t = {} s", plan_.units[u].name, state_.t);
}

const graph::ExternalSignal* Simulation::Impl::find_external(std::string_view name) const {
  const auto found =
      std::find_if(plan_.externals.begin(), plan_.externals.end(), [&](const auto& e) { return e.name == name; });
  return found == plan_.externals.end() ? nullptr : &*found;
}

}  // namespace consort::engine
