// Reads the files of the SSP standard.
//
// The functions throw Error (input) if the text is not XML or has the wrong root element. Other violations of the
// schema give a diagnostic with file and line, and reading continues.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/xml.hpp"
#include "ssp/document.hpp"

namespace consort::ssp {

// Rule of diagnostics about elements and attributes that violate the XML schemas.
inline constexpr std::string_view schema_rule = "SSP, XML schema";

// T is SystemStructure, ParameterSet, ParameterMapping or SignalDictionary. `shown`: name of the file in messages.
template <class T>
[[nodiscard]] T read(const std::filesystem::path& file, std::string shown, Diagnostics& diagnostics);
template <class T>
[[nodiscard]] T parse(std::string text, std::string shown, Diagnostics& diagnostics);

}  // namespace consort::ssp
