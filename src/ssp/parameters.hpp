// Parameter values as settings: names with their prefix, mapped where there is a mapping, with what converts them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "graph/system.hpp"
#include "ssp/document.hpp"

namespace consort::ssp {

// `shown` is the file that the values are in, for messages.
[[nodiscard]] std::vector<graph::Setting> settings_of(const ParameterSet& set, const ParameterMapping* mapping,
                                                      const std::string& prefix, const std::string& shown,
                                                      Diagnostics& diagnostics);

// A transformation of a mapping entry or a connection.
[[nodiscard]] graph::Transformation transformation_of(const Transformation& t);

[[nodiscard]] describe::BaseUnit base_unit_of(const Unit& unit);

}  // namespace consort::ssp
