// Makes the engine's Description of a native model.
#pragma once

#include <string_view>

#include "consort/model.hpp"
#include "describe/description.hpp"

namespace consort::model {

// Value references are those of a Layout with Style::arrays: 0 is the time, the variables follow in order of
// declaration.
[[nodiscard]] describe::Description describe_model(const Definition& definition, std::string_view name);

// The unit of measure of this name, one of consort/model/units.hpp, which is added if the description lacks it.
[[nodiscard]] describe::MeasureId add_unit(describe::Description& to, std::string_view name);

}  // namespace consort::model
