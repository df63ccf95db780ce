#include "group/model.hpp"

#include <utility>

#include "base/error.hpp"

namespace consort::group {

namespace {

void require_no_inner_solver(const graph::System& system, const graph::System& group) {
  for (const auto& inner : system.systems) {
    require(
        inner.solver.empty(),
        "the system '{}'{} has a solver of its own inside of '{}', which is solved as a whole; remove 'solver' from "
        "one of them",
        inner.name, inner.where.empty() ? "" : " (" + inner.where + ")", group.name);
    require(inner.kind != graph::System::Kind::table,
            "the table '{}' is inside of '{}', which is solved as a whole; put the table outside and connect it to an "
            "input of '{}'",
            inner.name, group.name, group.name);
    require_no_inner_solver(inner, group);
  }
}

void require_model_exchange(const graph::PlannedUnit& unit, const graph::System& group) {
  const auto& d = *unit.description;
  require_in_unit(unit.name, d.interface(describe::InterfaceType::model_exchange) != nullptr,
                  "unit '{}' offers Co-Simulation only, so it cannot be solved together with the others of '{}'; take "
                  "it out of the system that has the solver, and connect it from outside",
                  unit.name, group.name);
  require_in_unit(
      unit.name,
      unit.component.interface.value_or(describe::InterfaceType::model_exchange) ==
          describe::InterfaceType::model_exchange,
      "unit '{}' shall run as Co-Simulation, but it is part of '{}', which has a solver; remove 'interface', "
      "or take the unit out of this system",
      unit.name, group.name);
  require_in_unit(unit.name, unit.component.solver.empty(),
                  "unit '{}' has a solver of its own, but it is part of '{}', which is solved as a whole; remove one "
                  "of the two",
                  unit.name, group.name);
}

}  // namespace

std::shared_ptr<const Model> make_model(const graph::System& system, const graph::Catalogue& catalogue,
                                        std::span<const graph::Setting> settings) {
  require(!system.components.empty() || !system.systems.empty(),
          "the system '{}' has a solver but no units; add the units that shall be solved together", system.name);
  require_no_inner_solver(system, system);
  auto model = std::make_shared<Model>();
  graph::CompileOptions options;
  options.settings = settings;
  options.is_group_content = true;
  options.wants = [](const describe::Variable&) { return false; };
  model->plan = graph::compile(system, catalogue, options);
  for (const auto& unit : model->plan.units) require_model_exchange(unit, system);
  model->wiring = make_wiring(model->plan);
  model->composite = compose(model->plan);
  return model;
}

}  // namespace consort::group
