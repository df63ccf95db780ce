#include "engine/settle.hpp"

#include <string>

namespace consort::engine {

namespace {

void settle_below(graph::System& system, const graph::Plan& plan, const std::string& prefix) {
  system.settings.clear();
  for (auto& component : system.components) {
    component.settings.clear();
    const auto unit = plan.find_unit(prefix + component.name);
    if (unit == graph::no_unit) continue;
    const auto& planned = plan.units[unit];
    if (component.may_use_other_interface) component.interface = component.interface_of(*planned.description);
    component.may_use_other_interface = false;
    for (const auto* set : {&planned.starts.structural(), &planned.starts.others()})
      for (std::size_t i = 0; i < set->variables.size(); ++i)
        component.set(std::string((*planned.description)[set->variables[i]].name), set->values[i].text());
  }
  for (auto& inner : system.systems) settle_below(inner, plan, prefix + inner.name + ".");
}

}  // namespace

void settle(graph::System& system, const graph::Plan& plan) { settle_below(system, plan, {}); }

}  // namespace consort::engine
