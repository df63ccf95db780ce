// Instances of FMI 2.0: translate the interfaces of fmi/instance.hpp into calls.
#pragma once

#include <memory>

#include "fmi/package.hpp"

namespace consort::fmi::v2 {

std::unique_ptr<CoSimulation> make_co_simulation(Foundation foundation);
std::unique_ptr<ModelExchange> make_model_exchange(Foundation foundation);

}  // namespace consort::fmi::v2
