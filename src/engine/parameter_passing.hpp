// Passes values that units calculate before the run to fixed parameters of other units (SSP 2.0, 5.3.2).
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
  // wait_for(): the unit's values cannot be read yet (FMI 1.0 before initialization). close(): they can be read, but
  // its parameters can no longer be set.
  void wait_for(graph::UnitId unit) { silent_[unit] = true; }
  void close(graph::UnitId unit) {
    silent_[unit] = false;
    closed_[unit] = true;
  }

  // All units must be in initialization mode, or not yet initialised if they have no such mode. Passes values until no
  // parameter changes; returns true if a parameter changed. Throws Error (run) if parameters depend on each other in a
  // cycle that does not settle, or if a closed unit would need another value.
  bool operator()();

 private:
  bool pass(const graph::ParameterRoute& route, std::optional<Value>& passed);
  [[nodiscard]] Value read(graph::UnitId unit, describe::VariableId variable);

  const graph::Plan& plan_;
  fleet::Fleet& fleet_;
  std::vector<bool> silent_, closed_;
  std::vector<std::optional<Value>> passed_;  // by route: the value of its parameter
};

}  // namespace consort::engine
