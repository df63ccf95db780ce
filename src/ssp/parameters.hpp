// Converts parameter sets to settings: applies the prefix and the mapping to names and adds conversions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "graph/system.hpp"
#include "ssp/document.hpp"

namespace consort::ssp {

// `mapping`: null if there is none. `shown`: name of the file with the values, for messages.
[[nodiscard]] std::vector<graph::Setting> settings_of(const ParameterSet& set, const ParameterMapping* mapping,
                                                      const std::string& prefix, const std::string& shown,
                                                      Diagnostics& diagnostics);

// A transformation of a mapping entry or a connection.
[[nodiscard]] graph::Transformation transformation_of(const Transformation& t);

[[nodiscard]] describe::BaseUnit base_unit_of(const Unit& unit);

}  // namespace consort::ssp
