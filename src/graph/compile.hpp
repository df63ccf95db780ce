// Names into indices: flattens nested systems, resolves start values, routes, conversions, loops and order.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "graph/plan.hpp"
#include "graph/system.hpp"

namespace consort::graph {

// The description of a component's unit; must stay alive as long as the plan. Throws Error (input) when there is none.
using Catalogue = std::function<const describe::Description&(const Component&)>;

// Whether a variable of a unit is among the signals although nothing is connected to it.
using WantedVariable = std::function<bool(const describe::Variable&)>;

struct CompileOptions {
  std::span<const Setting> settings{};     // beat everything that the system says (`--set`)
  std::span<const std::string> targets{};  // inputs and tunable parameters (paths) that something else will drive
  WantedVariable wants{};                  // empty: all outputs are
};

// Throws Error (input) that names both ends: several sources for one input, endpoints that do not exist (with the
// nearest names), types or units that do not fit, values that cannot be read.
[[nodiscard]] Plan compile(const System& system, const Catalogue& catalogue, const CompileOptions& options = {});

}  // namespace consort::graph
