#include "ssp/document.hpp"

#include <algorithm>

namespace consort::ssp {

namespace {

constexpr std::array<std::string_view, 18> type_names{
    "",      "Real",   "Float64", "Float32", "Integer", "Int8",   "UInt8",       "Int16",  "UInt16",
    "Int32", "UInt32", "Int64",   "UInt64",  "Boolean", "String", "Enumeration", "Binary", "Clock"};

}  // namespace

std::string_view name_of(Version version) { return version == Version::v1_0 ? "1.0" : "2.0"; }

std::string_view name_of(TypeKind kind) { return type_names[static_cast<std::size_t>(kind)]; }

TypeKind type_kind(std::string_view element_name) {
  const auto found = std::find(type_names.begin() + 1, type_names.end(), element_name);
  return found == type_names.end() ? TypeKind::none : static_cast<TypeKind>(found - type_names.begin());
}

}  // namespace consort::ssp
