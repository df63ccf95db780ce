// Groups for the conformance suite of units: a group of one with connectors for all inputs and outputs of its member,
// and a group of two, in which the second member is connected to the first.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../../models/coupled_mass.hpp"
#include "../../../models/linear_unit.hpp"
#include "group/make_group.hpp"
#include "group/tests/group_rig.hpp"

namespace consort::unit {

// Connectors with the names of the member's inputs and outputs.
inline void expose(graph::System& system, const describe::Description& d) {
  for (const auto& v : d.variables) {
    using describe::Causality;
    if (v.causality != Causality::input && v.causality != Causality::output) continue;
    graph::Connector connector;
    connector.name = v.name;
    connector.causality = v.causality;
    connector.type = v.type;
    system.connectors.push_back(connector);
    const std::string inside = "only." + std::string(v.name);
    if (v.causality == Causality::input)
      system.connect(connector.name, inside);
    else
      system.connect(inside, connector.name);
  }
}

inline Adapted grouped(group::GroupRig& rig) {
  fleet::UnitSpec spec;
  spec.name = "adapted";
  spec.solver = "bdf";
  Adapted result;
  rig.compile();
  auto members = rig.members("adapted");
  result.unit = group::make_group(rig.model, spec, std::move(members));
  // Keeps the descriptions of the members.
  result.fmu = nullptr;
  return result;
}

template <class M>
Adapted group_of_one(const std::string& model, bool with_follower) {
  static std::vector<std::unique_ptr<group::GroupRig>> kept;  // descriptions outlive the units
  auto& rig = *kept.emplace_back(std::make_unique<group::GroupRig>());
  rig.add<M>("only");
  const describe::Description description = model::describe_model(model::definition_of<M>, model);
  expose(rig.system, description);
  if (with_follower) {
    rig.add<::LinearUnit>("follower");
    rig.system.connect("only.x", "follower.u");
  }
  return grouped(rig);
}

inline Adapted make_group_kind(const std::string& model, bool with_follower) {
  if (model == "LinearUnit") return group_of_one<::LinearUnit>(model, with_follower);
  if (model == "CoupledMass") return group_of_one<CoupledMass>(model, with_follower);
  return {};
}

inline const UnitKind unit_kinds[] = {
    {"GroupOfOne", [](const std::string& m) { return make_group_kind(m, false); }, solver},
    {"GroupOfTwo", [](const std::string& m) { return make_group_kind(m, true); }, solver},
};

}  // namespace consort::unit
