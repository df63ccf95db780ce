// Types, names and units of a system as written in SSP files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/value.hpp"
#include "describe/description.hpp"
#include "graph/system.hpp"
#include "ssp/document.hpp"

namespace consort::ssp {

[[nodiscard]] std::string kind_of(describe::Causality causality);
// SSP 1.0 has only the types of FMI 2.0. TypeKind::none for any other type: it is not written, and readers use the type
// of the FMU's variable.
[[nodiscard]] TypeKind kind_of(Type type, Version version);
// Guesses the type of a value from its text.
[[nodiscard]] TypeKind guess_kind(const std::string& value);

[[nodiscard]] BaseUnit base_of(const describe::BaseUnit& base);

// The sizes of an array's dimensions. A structural parameter has the value that `settings` give it, otherwise its start
// value. 0: the size is unknown.
[[nodiscard]] std::vector<std::uint64_t> dimension_sizes(const describe::Description& description,
                                                         const describe::Variable& variable,
                                                         const std::vector<graph::Setting>& settings);

// "x[1]", "x[2]", …: element names of an array that is written as scalars. Empty if the array is too large for that.
[[nodiscard]] std::vector<std::string> element_names(const std::string& name, const std::vector<std::uint64_t>& sizes);

// Percent-encodes a path for use in a URI (RFC 3986, 2.1).
[[nodiscard]] std::string escaped_uri(const std::string& path);

}  // namespace consort::ssp
