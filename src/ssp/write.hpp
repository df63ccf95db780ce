// Writes the files of the SSP standard. The result satisfies the XML schemas if the data is valid.
#pragma once

#include <string>

#include "ssp/document.hpp"

namespace consort::ssp {

// T is SystemStructure, ParameterSet, ParameterMapping or SignalDictionary. The version is that of the data; inlined
// data has its own. Throws Error (input) for a feature of 2.0 in a file of version 1.0. Equal data gives equal bytes.
template <class T>
[[nodiscard]] std::string write(const T& x);

// A number in XSD notation: the shortest text that gives the same number when read, or INF, -INF, NaN.
[[nodiscard]] std::string double_text(double value);

}  // namespace consort::ssp
