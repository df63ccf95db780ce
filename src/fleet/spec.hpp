// A unit before it exists: plain data that can be sent to where the unit will live.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/time.hpp"
#include "describe/description.hpp"
#include "unit/unit.hpp"

namespace consort::fleet {

struct UnitSpec {
  std::string name;      // of the unit: its path in the system
  std::string folder{};  // an unpacked FMU, which its owner keeps for as long as the unit lives; or …
  std::string model{};   // … the name of a model that the factory knows
  describe::InterfaceType interface = describe::InterfaceType::co_simulation;
  // Of Model Exchange units.
  std::string solver{};      // by name
  Duration solver_step = 0;  // of solvers with steps of fixed size; 0: as the solver likes it
  // Of co-simulation units of FMI 3.0.
  bool event_mode = false;
  bool early_return = false;
  // What the unit says.
  bool logging = false;      // its own debug messages
  bool trace_calls = false;  // a line for every call

  template <class Archive>
  void fields(Archive& archive) {
    archive(name, folder, model, interface, solver, solver_step, event_mode, early_return, logging, trace_calls);
  }
};

// Makes units where they live. Throws Error (input) for what it cannot make, Error (run) where a unit fails.
using UnitFactory = std::function<std::unique_ptr<unit::Unit>(const UnitSpec&)>;

}  // namespace consort::fleet
