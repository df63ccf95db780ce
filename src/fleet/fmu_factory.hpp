// Makes units from FMUs, in the engine and in workers.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/log.hpp"
#include "fleet/spec.hpp"
#include "fmi/fmu.hpp"
#include "unit/me_unit.hpp"

namespace consort::fleet {

// Makes the unit that `spec` describes. `fmu` was opened from the folder of the spec and must outlive the unit.
[[nodiscard]] std::unique_ptr<unit::Unit> make_unit(const fmi::Fmu& fmu, const UnitSpec& spec, const LogSink& log,
                                                    const std::function<void(std::string_view)>& trace);

// The Model Exchange instance alone, without a solver. The same conditions.
[[nodiscard]] std::unique_ptr<fmi::ModelExchange> make_model_exchange(
    const fmi::Fmu& fmu, const UnitSpec& spec, const LogSink& log, const std::function<void(std::string_view)>& trace);
// The options of its solver.
[[nodiscard]] unit::MeUnitOptions solver_options(const UnitSpec& spec);

}  // namespace consort::fleet
