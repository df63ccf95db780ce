// What files of the standard call the types, names and units that a system has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/value.hpp"
#include "describe/description.hpp"
#include "ssp/document.hpp"

namespace consort::ssp {

[[nodiscard]] std::string kind_of(describe::Causality causality);
// SSP 1.0 knows the types of FMI 2.0 only; what it cannot say is left out, and the FMU's own type counts.
[[nodiscard]] TypeKind kind_of(Type type, Version version);
// What the type of a value must be when nobody says: as the text reads.
[[nodiscard]] TypeKind guess_kind(const std::string& value);

[[nodiscard]] BaseUnit base_of(const describe::BaseUnit& base);

// "x[1]", "x[2]", …: of an array that is written as scalars; none when it is too large for that.
[[nodiscard]] std::vector<std::string> element_names(const std::string& name, const std::vector<std::uint64_t>& sizes);

// As URIs have it (RFC 3986, 2.1).
[[nodiscard]] std::string escaped_uri(const std::string& path);

}  // namespace consort::ssp
