// Describes a unit to be made: plain data that can be sent to another process. Start values are not part of it:
// engine/initialize.cpp sets them through the fleet.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "describe/description.hpp"
#include "unit/unit.hpp"

namespace consort::fleet {

struct UnitSpec {
  std::string name;         // name of the unit: its path in the system
  std::string folder{};     // an unpacked FMU; must exist during the lifetime of the unit; or …
  std::string model{};      // … the name of a model known to the factory
  bool built_in = false;    // the model is that of model::find_built_in(), and not one of the program
  std::string platform{};   // of the FMU's binary, by name; empty: see fmi::find_binary()
  Duration call_limit = 0;  // see fmi::OpenOptions; 0: none
  describe::InterfaceType interface = describe::InterfaceType::co_simulation;
  // For Model Exchange units:
  std::string solver{};      // by name
  Duration solver_step = 0;  // step of fixed-step solvers; 0: default of the solver
  double tolerance = 0;      // relative, of the solver; 0: that of the experiment
  // For FMI 3.0 co-simulation units:
  bool event_mode = false;
  bool early_return = false;
  // Messages of the unit:
  bool logging = false;      // enable its debug messages
  bool trace_calls = false;  // log one line per FMI call
  // A group: its units, which are solved together, and the number that its factory knows it by; see src/group. For
  // other processes: its system (graph::pack()), in which the sources of FMUs are the folders of the members.
  std::vector<UnitSpec> members{};
  std::uint64_t group = 0;
  std::string system{};

  [[nodiscard]] bool is_group() const { return !members.empty(); }

  template <class Archive>
  void fields(Archive& archive) {
    own_fields(archive);
    archive(members);  // which have no members
  }
  template <class Archive>
  void own_fields(Archive& archive) {
    archive(name, folder, model, built_in, platform, call_limit, interface, solver, solver_step, event_mode,
            early_return, logging, trace_calls, tolerance, system);
  }
};

// Makes units in the process in which they run. Throws Error (input) if the spec cannot be made, Error (run) if the
// unit fails.
using UnitFactory = std::function<std::unique_ptr<unit::Unit>(const UnitSpec&)>;

}  // namespace consort::fleet
