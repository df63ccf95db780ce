// Files of the SSP standard, written: valid by its XML schemas as far as the data is.
#pragma once

#include <string>

#include "ssp/document.hpp"

namespace consort::ssp {

// T is SystemStructure, ParameterSet, ParameterMapping or SignalDictionary. The version is that of the data (and of the
// data that is inlined). Throws Error (input) for what a file that says 1.0 cannot have. The same data gives the same
// bytes.
template <class T>
[[nodiscard]] std::string write(const T& x);

// Number as XSD has it: the shortest text that reads back exactly; INF, -INF, NaN.
[[nodiscard]] std::string double_text(double value);

}  // namespace consort::ssp
