#include "unit/model_unit.hpp"

namespace consort::unit {

std::unique_ptr<Unit> make_model_unit(const model::Definition& definition, std::string_view model_name,
                                      NativeOptions native, MeUnitOptions options) {
  auto instance = std::make_unique<NativeInstance>(definition, model_name, std::move(native));
  const auto& description = instance->description();
  return make_me_unit(std::move(instance), description, std::move(options));
}

}  // namespace consort::unit
