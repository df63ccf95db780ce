// Units made from FMUs, wherever they live.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/log.hpp"
#include "fleet/spec.hpp"
#include "fmi/fmu.hpp"

namespace consort::fleet {

// The unit that a spec describes, of an FMU that was opened from the spec's folder and must outlive the unit.
[[nodiscard]] std::unique_ptr<unit::Unit> make_unit(const fmi::Fmu& fmu, const UnitSpec& spec, const LogSink& log,
                                                    const std::function<void(std::string_view)>& trace);

}  // namespace consort::fleet
