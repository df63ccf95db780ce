// The unknowns of a unit and their dependencies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "describe/variable.hpp"

namespace consort::describe {

enum class DependencyKind : std::uint8_t { dependent, constant, fixed, tunable, discrete };

struct Dependency {
  VariableId variable = no_variable;
  DependencyKind kind = DependencyKind::dependent;
};

struct Unknown {
  VariableId variable = no_variable;
  bool declared = false;  // false: no list given, the unknown depends on all knowns
  Range dependencies;     // into ModelStructure::dependencies; declared and empty: no dependencies
};

struct ModelStructure {
  std::vector<Unknown> outputs;
  std::vector<Unknown> derivatives;  // of the continuous states, in the order of the state vector (FMI 2, 3)
  std::vector<Unknown> clocked_states;
  std::vector<Unknown> initial_unknowns;
  std::vector<Unknown> event_indicators;  // FMI 3
  std::vector<Dependency> dependencies;

  [[nodiscard]] std::span<const Dependency> of(const Unknown& u) const {
    return {dependencies.data() + u.dependencies.begin, u.dependencies.count};
  }
};

}  // namespace consort::describe
