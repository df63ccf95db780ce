// The description of a group as one unit.
//
// Its variables are, in this order: the connectors of the system that makes up the group (inputs and outputs), and all
// variables of its members with the member's name in front ("left.theta"). Inputs of members that are connected inside
// are local; all others are inputs of the group. Value references are variable indices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "describe/description.hpp"
#include "graph/plan.hpp"
#include "group/wiring.hpp"

namespace consort::group {

// What a variable of the group stands for.
struct Origin {
  enum class Kind : std::uint8_t { external, connector, member };
  Kind kind = Kind::member;
  std::uint32_t index = 0;  // of the external signal or connector in the plan; of the member
  describe::VariableId variable = describe::no_variable;  // of the member
  std::uint32_t elements = 1;
};

struct Composite {
  describe::Description description;
  std::vector<Origin> origins;                        // by variable, which is also by value reference
  std::vector<describe::VariableId> first_of_member;  // variables of member m begin here
  // By connector: what it shows, or what its formula reads. `member` is `none` for an input of the group; `element` is
  // then that of the plan's outputs.
  std::vector<std::vector<SlotName>> connector_sources;
  // Values that the members get before the run, from the system file.
  struct Start {
    describe::VariableId variable = describe::no_variable;
    Value value;
  };
  std::vector<Start> starts;
};

// `plan` is the compiled system of the group; its descriptions are those of the members.
[[nodiscard]] Composite compose(const graph::Plan& plan);

}  // namespace consort::group
