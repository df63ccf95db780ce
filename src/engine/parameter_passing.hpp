// Passes what units calculate before the run to the fixed parameters of others (SSP 2.0, 5.3.2).
#pragma once

#include <optional>
#include <vector>

#include "fleet/fleet.hpp"
#include "graph/plan.hpp"

namespace consort::engine {

class ParameterPassing {
 public:
  ParameterPassing(const graph::Plan& plan, fleet::Fleet& fleet);

  [[nodiscard]] bool needed() const { return !plan_.parameters.empty(); }
  // Units whose values cannot be read yet (FMI 1.0 before it is initialised), and those that take no more.
  void wait_for(graph::UnitId unit) { silent_[unit] = true; }
  void close(graph::UnitId unit) {
    silent_[unit] = false;
    closed_[unit] = true;
  }

  // All units are in initialization mode, or before it where they have none. Passes values on until none changes any
  // more; true when one did. Throws Error (run) when parameters depend on each other in a circle that does not settle,
  // or when a unit that is closed would need another value.
  bool operator()();

 private:
  bool pass(const graph::ParameterRoute& route, std::optional<Value>& passed);
  [[nodiscard]] Value read(graph::UnitId unit, describe::VariableId variable);

  const graph::Plan& plan_;
  fleet::Fleet& fleet_;
  std::vector<bool> silent_, closed_;
  std::vector<std::optional<Value>> passed_;  // by route: what its parameter has
};

}  // namespace consort::engine
