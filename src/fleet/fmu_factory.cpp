#include "fleet/fmu_factory.hpp"

#include <utility>

#include "base/error.hpp"
#include "unit/fmu_unit.hpp"
#include "unit/me_unit.hpp"

namespace consort::fleet {

namespace {

std::unique_ptr<unit::Unit> make_any(const fmi::Fmu& fmu, const UnitSpec& spec, fmi::InstanceOptions instance) {
  if (spec.interface == describe::InterfaceType::model_exchange) {
    unit::MeUnitOptions options;
    if (!spec.solver.empty()) options.solver = spec.solver;
    if (spec.solver_step > 0) options.solver_options.initial_step = spec.solver_step;
    return unit::make_me_unit(fmu, std::move(instance), std::move(options));
  }
  instance.use_event_mode = spec.event_mode;
  instance.allow_early_return = spec.early_return;
  return unit::make_fmu_unit(fmu, std::move(instance));
}

fmi::InstanceOptions options_of(const UnitSpec& spec, const LogSink& log,
                                const std::function<void(std::string_view)>& trace) {
  fmi::InstanceOptions instance;
  instance.name = spec.name;
  instance.logging = spec.logging;
  instance.log = log;
  if (!spec.platform.empty()) instance.platform = fmi::platform_of(spec.platform);
  if (spec.trace_calls) instance.trace = trace;
  return instance;
}

}  // namespace

std::unique_ptr<unit::Unit> make_unit(const fmi::Fmu& fmu, const UnitSpec& spec, const LogSink& log,
                                      const std::function<void(std::string_view)>& trace) {
  return with_unit(spec.name, [&] { return make_any(fmu, spec, options_of(spec, log, trace)); });
}

std::unique_ptr<fmi::ModelExchange> make_model_exchange(const fmi::Fmu& fmu, const UnitSpec& spec, const LogSink& log,
                                                        const std::function<void(std::string_view)>& trace) {
  return with_unit(spec.name, [&] { return fmu.model_exchange(options_of(spec, log, trace)); });
}

}  // namespace consort::fleet
