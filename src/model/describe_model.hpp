// A native model's description, in the engine's words.
#pragma once

#include <string_view>

#include "consort/model.hpp"
#include "describe/description.hpp"

namespace consort::model {

// Value references are those of a Layout of the arrays style: 0 is the time, variables follow as declared.
[[nodiscard]] describe::Description describe_model(const Definition& definition, std::string_view name);

}  // namespace consort::model
