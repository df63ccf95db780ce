// Makes a unit from a co-simulation FMU of any FMI version.
#pragma once

#include <memory>

#include "fmi/fmu.hpp"
#include "unit/unit.hpp"

namespace consort::unit {

// Throws what Fmu::co_simulation throws. The Fmu must outlive the unit, because the unit refers to its description.
[[nodiscard]] std::unique_ptr<Unit> make_fmu_unit(const fmi::Fmu& fmu, fmi::InstanceOptions options);

[[nodiscard]] StepOutcome outcome_of(const fmi::StepReport& report);

}  // namespace consort::unit
