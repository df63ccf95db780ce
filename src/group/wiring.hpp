// The continuous connections among the members of a group, in the order in which they are evaluated.
//
// Slots are elements of two vectors. y: inputs of the group that come from outside, then connected outputs of members.
// u: connected continuous inputs of members. Each u has a route from y, or a formula of several. A walk over the steps
// takes outputs from members (`get`), gives inputs to them (`set`) and solves algebraic loops (`solve`), such that
// every output is taken after the inputs that it depends on. Consecutive slots of a member form one step, which is one
// call.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/value.hpp"
#include "describe/variable.hpp"
#include "graph/plan.hpp"

namespace consort::group {

using MemberId = std::uint32_t;  // index into the members; the unit's index in the inner plan
inline constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

// u = factor * y[source] + offset; without a source, u keeps its value, or has a formula. Slots hold values of
// references: signs of negated aliases (FMI 1.0) are part of the factors.
struct Route {
  std::uint32_t source = none;
  double factor = 1;
  double offset = 0;
  std::uint32_t formula = none;  // into Wiring::formulas
};

// An input that takes the value of an expression.
struct FormulaPart {
  // By slot of the program: a slot of y, or an element of the plan's outputs that changes only at events.
  struct Operand {
    std::uint32_t output = none;
    Type type = Type::Float64;
    std::uint32_t source = 0;
    double factor = 1;
    double offset = 0;
  };
  const graph::Formula* formula = nullptr;  // in the plan
  std::uint32_t input = 0;                  // slot of u
  double sign = 1;                          // of the input's reference
  std::vector<Operand> operands;
  std::vector<std::uint32_t> links;  // by operand of the program: into Wiring::links; `none`: not continuous
  std::uint32_t first_relation = 0;  // among those of all formulas
};

// ∂u[input]/∂y[output] may be nonzero.
struct Link {
  std::uint32_t output = 0;
  std::uint32_t input = 0;
  double gain = 1;  // of a route; that of a formula changes
};

// Slots of one member that are passed in one call.
struct Batch {
  MemberId member = 0;
  std::uint32_t first = 0;  // slot
  std::uint32_t count = 0;  // slots
  std::vector<ValueReference> references{};
};

// Inputs that depend on each other without a delay. `sets` and `gets` are what one evaluation of the loop needs.
struct LoopPart {
  std::vector<Batch> sets;
  std::vector<Batch> gets;
  std::vector<std::uint32_t> inputs;   // slots of u
  std::vector<std::string> variables;  // of these slots, for messages
  std::vector<double> nominals;        // of these slots
};

struct Step {
  enum class Kind : std::uint8_t { get, set, solve };
  Kind kind = Kind::get;
  std::uint32_t index = 0;  // into gets, sets or loops
};

// A slot and the variable behind it.
struct SlotName {
  MemberId member = none;  // none: comes from outside
  describe::VariableId variable = describe::no_variable;
  std::uint32_t element = 0;
};

struct Wiring {
  std::vector<Route> routes;           // by slot of u
  std::vector<SlotName> inputs;        // by slot of u
  std::vector<SlotName> outputs;       // by slot of y
  std::vector<std::uint32_t> sources;  // by slot of y: its element in the Float64 outputs of the plan
  std::uint32_t externals = 0;         // slots of y that come from outside
  std::vector<FormulaPart> formulas;
  std::vector<FormulaPart> conditions;  // of the plan's events, in their order; without an input
  std::vector<Batch> late;              // outputs that only conditions read
  std::uint32_t relations = 0;          // of all formulas and conditions
  std::vector<Link> links;
  std::vector<std::vector<std::uint32_t>> links_to;    // by slot of u: into links
  std::vector<std::vector<std::uint32_t>> links_from;  // by slot of y
  std::vector<Batch> gets;
  std::vector<Batch> sets;
  std::vector<LoopPart> loops;
  std::vector<Step> steps;
  std::vector<std::string> notes;  // assumptions, for the report

  [[nodiscard]] std::string name_of(const graph::Plan& plan, const SlotName& slot) const;
};

// True if the connections of this input are part of the wiring: a continuous Float64 input. All other connected
// variables change only at events.
[[nodiscard]] bool is_continuous_input(const describe::Variable& variable);

// Throws Error (input) for connections that a group cannot evaluate, with both ends.
[[nodiscard]] Wiring make_wiring(const graph::Plan& plan);

}  // namespace consort::group
