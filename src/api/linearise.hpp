// Linearisation behind the public API.
#pragma once

#include <string>

#include "analyse/linearise.hpp"

namespace consort::api {

// `fmu`: the name of the only unit, for the linearisation of an FMU; names are those of its variables then.
[[nodiscard]] analyse::LineariseRequest linearise_request(const LineariseOptions& options, const std::string& fmu = {});

}  // namespace consort::api
