// Files of the SSP standard, read as they are.
//
// All throw Error (input) for what is not XML or not the file that it should be. What breaks the schema and can be read
// all the same is read, with a diagnostic that has file and line.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/xml.hpp"
#include "ssp/document.hpp"

namespace consort::ssp {

// Of diagnostics about elements and attributes that are not as the XML schemas have them.
inline constexpr std::string_view schema_rule = "SSP, XML schema";

// T is SystemStructure, ParameterSet, ParameterMapping or SignalDictionary. `shown` is what messages call the file.
template <class T>
[[nodiscard]] T read(const std::filesystem::path& file, std::string shown, Diagnostics& diagnostics);
template <class T>
[[nodiscard]] T parse(std::string text, std::string shown, Diagnostics& diagnostics);

}  // namespace consort::ssp
