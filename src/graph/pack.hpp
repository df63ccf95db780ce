// A system as bytes, for a process that compiles it again: a worker that runs a group.
//
// Only for the same version of the program on the same machine. Notes for the report and kept files stay behind.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/system.hpp"

namespace consort::graph {

struct Packed {
  System system;
  std::vector<Setting> settings;  // override those of the system
};

// Throws Error (input) if a component of the system is a group, which flatten() makes of nested systems.
[[nodiscard]] std::string pack(const System& system, std::span<const Setting> settings = {});
// Throws Error (run) for anything that pack() did not write.
[[nodiscard]] Packed unpack(std::string_view bytes);

}  // namespace consort::graph
