#include "engine/run_plan.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/error.hpp"

namespace consort::engine {

using describe::InterfaceType;

namespace {

// The step in the unit's description; 0 if there is none.
Duration hinted_step(const describe::Description& d, InterfaceType interface, std::string& source) {
  const auto* i = d.interface(interface);
  if (interface == InterfaceType::co_simulation && i != nullptr && i->fixed_internal_step.value_or(0) > 0 &&
      !i->variable_step) {
    source = "the unit's fixed internal step";
    return *i->fixed_internal_step;
  }
  if (d.default_experiment.step_size.value_or(0) > 0) {
    source = "the unit's default experiment";
    return *d.default_experiment.step_size;
  }
  return 0;
}

}  // namespace

RunPlan make_run_plan(const describe::Description& d, InterfaceType interface, const SimulateOptions& o,
                      std::vector<std::string>& assumed) {
  const auto& e = d.default_experiment;
  RunPlan p;
  p.start = o.start.value_or(e.start_time.value_or(0.0));
  if (o.stop) {
    p.stop = *o.stop;
  } else if (e.stop_time && *e.stop_time > p.start) {
    p.stop = *e.stop_time;
    assumed.push_back(fmt::format("stop time {} s (the unit's default experiment)", p.stop));
  } else {
    p.stop = p.start + 1;
    assumed.push_back(fmt::format("stop time {} s (neither given nor in the unit's default experiment)", p.stop));
  }
  const bool hinted = e.tolerance && *e.tolerance > 0 && std::isfinite(*e.tolerance);
  p.tolerance = o.tolerance.value_or(hinted ? *e.tolerance : 1e-4);
  if (!o.tolerance) {
    assumed.push_back(
        fmt::format("tolerance {} ({})", p.tolerance,
                    hinted ? "the unit's default experiment" : "neither given nor in the unit's default experiment"));
  }
  require_setting("experiment.tolerance", std::isfinite(p.tolerance) && p.tolerance > 0,
                  "the tolerance must be a positive number, got {}; choose one such as 1e-4", p.tolerance);
  const char* const what = interface == InterfaceType::co_simulation ? "step size" : "output interval";
  std::string source;
  if (o.step) {
    p.step = *o.step;
  } else if (const Duration hint = hinted_step(d, interface, source); hint > 0) {
    p.step = hint;
    assumed.push_back(fmt::format("{} {} s ({})", what, p.step, source));
  } else {
    p.step = p.stop > p.start ? (p.stop - p.start) / 1000 : 1;
    assumed.push_back(
        fmt::format("{} {} s (a thousandth of the run; neither given nor hinted at by the unit)", what, p.step));
  }
  return p;
}

}  // namespace consort::engine
