// The description of a model that a program declares at run time, and the places of its values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/value.hpp"
#include "consort/native.hpp"
#include "describe/description.hpp"

namespace consort::unit {

// All values of an instance are in one vector of doubles: states, memory, inputs, parameters, derivatives, outputs. The
// value reference of a variable is its index in the description, where the time is 0 and each state is followed by its
// derivative.
struct CustomLayout {
  enum class Kind : std::uint8_t { time, state, rate, memory, input, parameter, output };
  struct Place {
    Kind kind = Kind::time;
    Type type = Type::Float64;
    bool discrete = false;
    bool tunable = false;
    std::uint32_t index = 0;  // in the vector of values
  };

  CustomLayout() = default;
  explicit CustomLayout(const NativeDeclaration& declaration);

  std::vector<Place> places;  // by value reference
  std::size_t states = 0, memory = 0, inputs = 0, parameters = 0, outputs = 0;
  std::size_t first_memory = 0, first_input = 0, first_parameter = 0, first_rate = 0, first_output = 0, size = 0;
};

// Throws Error (input) that names the model and the variable.
[[nodiscard]] describe::Description describe_custom(const NativeDeclaration& declaration, const NativeUnit& unit);

}  // namespace consort::unit
