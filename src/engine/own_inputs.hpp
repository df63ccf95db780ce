// Inputs that a unit evaluates itself while it runs, so that the engine sets them only for its initialization.
#pragma once

#include <functional>

#include "describe/description.hpp"

namespace consort::engine {

struct OwnInputs {
  // Sets their values at the start time; called before the unit enters initialization mode, and there. Empty: the unit
  // has no such inputs.
  std::function<void()> set_initial{};
  std::function<bool(describe::VariableId)> drives{};  // required with set_initial
};

}  // namespace consort::engine
