// Combines a native model and a solver into a unit, without an FMU. The contract of me_unit.hpp applies; rollback is
// always exact.
//
//   const auto unit = make_model_unit<BouncingBall>("BouncingBall", {.name = "ball"});
#pragma once

#include <memory>
#include <string_view>

#include "consort/model.hpp"
#include "unit/me_unit.hpp"
#include "unit/native_instance.hpp"

namespace consort::unit {

// The definition must outlive the unit.
[[nodiscard]] std::unique_ptr<Unit> make_model_unit(const model::Definition& definition, std::string_view model_name,
                                                    NativeOptions native = {}, MeUnitOptions options = {});

template <class M>
[[nodiscard]] std::unique_ptr<Unit> make_model_unit(std::string_view model_name, NativeOptions native = {},
                                                    MeUnitOptions options = {}) {
  return make_model_unit(model::definition_of<M>, model_name, std::move(native), std::move(options));
}

}  // namespace consort::unit
