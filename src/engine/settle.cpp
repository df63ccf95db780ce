#include "engine/settle.hpp"

#include <string>

namespace consort::engine {

namespace {

graph::Setting setting_of(const describe::Variable& v, const Value& value) {
  graph::Setting setting;
  setting.name = std::string(v.name);
  if (value.type() == Type::String && value.size() > 1) {
    setting.elements = value.elements<std::string>();
  } else {
    setting.value = value.text();
  }
  return setting;
}

// The contents of a group keep their values, and get those that lead into it from outside.
void settle_group(graph::System& group, const graph::Plan& plan, const std::string& path) {
  const auto unit = plan.find_unit(path);
  if (unit == graph::no_unit) return;
  const auto& settings = plan.units[unit].component.settings;
  group.settings.insert(group.settings.end(), settings.begin(), settings.end());
}

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
        component.settings.push_back(setting_of((*planned.description)[set->variables[i]], set->values[i]));
  }
  for (auto& inner : system.systems) {
    if (inner.solver.empty())
      settle_below(inner, plan, prefix + inner.name + ".");
    else
      settle_group(inner, plan, prefix + inner.name);
  }
}

}  // namespace

void settle(graph::System& system, const graph::Plan& plan) {
  if (system.solver.empty()) settle_below(system, plan, {});
}

}  // namespace consort::engine
