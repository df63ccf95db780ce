// The models that every system can use by name, without a file: `{model: pendulum}`.
#pragma once

#include <span>
#include <string_view>

#include "consort/model.hpp"

namespace consort::model {

// A row of the table in built_in.cpp.
struct BuiltIn {
  std::string_view name;        // in system files
  std::string_view model_name;  // as that of its FMU
  const Definition* definition = nullptr;
};

[[nodiscard]] std::span<const BuiltIn> built_in_models();
// Null: there is no such model.
[[nodiscard]] const BuiltIn* find_built_in(std::string_view name);

}  // namespace consort::model
