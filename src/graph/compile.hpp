// Turns a system of names into a plan of indices: flattens nested systems and resolves start values, routes,
// conversions, loops and order.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/error.hpp"
#include "graph/plan.hpp"
#include "graph/system.hpp"

namespace consort::graph {

// Gives the description of a component's unit; the description must outlive the plan. Throws Error (input) if there is
// no description.
using Catalogue = std::function<const describe::Description&(const Component&)>;

// True if a variable shall be an output of the plan even though nothing is connected to it.
using WantedVariable = std::function<bool(const describe::Variable&)>;

// Takes an Error (input) and the place of its cause ("plant.yaml:3:5", or empty).
using ProblemSink = std::function<void(const std::string& where, const Error& problem)>;

struct CompileOptions {
  std::span<const Setting> settings{};     // override all settings of the system (`--set`)
  std::span<const std::string> targets{};  // paths of inputs and tunable parameters that a scenario will drive
  WantedVariable wants{};                  // empty: all outputs
  // Takes every error that concerns one unit, connection or value, and compile() goes on without it. The plan is then
  // incomplete. Empty: compile() throws the first one.
  ProblemSink problems{};
  // The system is the content of a group, see src/group: its own solver counts no more.
  bool is_group_content = false;
};

// Throws Error (input) for several sources of one input, missing endpoints (with the nearest names), types or units
// that do not fit, and values that cannot be read. An error about a connection names both ends.
//
// A system with a solver becomes a plan of one unit, a group (PlannedUnit::is_whole).
[[nodiscard]] Plan compile(const System& system, const Catalogue& catalogue, const CompileOptions& options = {});

// A system around one that has a solver: with the same name and inputs, and the other one inside as a group.
[[nodiscard]] System around(const System& group);

}  // namespace consort::graph
