#include "group/make_group.hpp"

#include <utility>

#include "fleet/fmu_factory.hpp"
#include "group/instance.hpp"
#include "unit/me_unit.hpp"

namespace consort::group {

std::unique_ptr<unit::Unit> make_group(std::shared_ptr<const Model> model, const fleet::UnitSpec& spec,
                                       std::vector<std::unique_ptr<fmi::ModelExchange>> members) {
  const auto& description = model->description();
  auto instance = std::make_unique<GroupInstance>(std::move(model), spec.name, std::move(members));
  return unit::make_me_unit(std::move(instance), description, fleet::solver_options(spec));
}

}  // namespace consort::group
