// A group and a solver as a unit.
#pragma once

#include <memory>
#include <vector>

#include "fleet/spec.hpp"
#include "fmi/instance.hpp"
#include "group/model.hpp"
#include "unit/unit.hpp"

namespace consort::group {

// `members`: one instance per unit of the model's plan, in its order. The unit keeps the model alive.
[[nodiscard]] std::unique_ptr<unit::Unit> make_group(std::shared_ptr<const Model> model, const fleet::UnitSpec& spec,
                                                     std::vector<std::unique_ptr<fmi::ModelExchange>> members);

}  // namespace consort::group
