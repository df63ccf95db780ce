#include "engine/setting_names.hpp"

#include "base/registry.hpp"
#include "couple/accelerator.hpp"
#include "couple/approximation.hpp"
#include "host/hosts.hpp"
#include "solve/nonlinear.hpp"
#include "step/controller.hpp"
#include "step/stepper.hpp"

namespace consort::engine {

std::string names_for(settings::Names names) {
  using settings::Names;
  switch (names) {
    case Names::steppers: return names_of(step::steppers());
    case Names::approximations: return names_of(couple::approximations());
    case Names::hosts: return names_of(host::hosts());
    case Names::nonlinear_methods: return names_of(solve::nonlinear_methods());
    case Names::accelerators: return names_of(couple::accelerators());
    case Names::controllers: return names_of(step::controllers());
    case Names::any: break;
  }
  return {};
}

}  // namespace consort::engine
