// printf formatting for the loggers of FMI 1.0 and 2.0. Formats and arguments from FMUs are untrusted: they may contain
// percent signs in plain text, %s with invalid pointers, %n.
#pragma once

#include <cstdarg>
#include <string>

#include "describe/description.hpp"

namespace consort::fmi {

// Never writes through an argument and never reads unmapped memory; the result has at most 64 KiB.
[[nodiscard]] std::string safe_format(const char* format, std::va_list arguments);

// Copies at most `most` bytes of a C string, which may be null or invalid.
[[nodiscard]] std::string safe_copy(const char* text, std::size_t most = 65536);

// Replaces variable references in a message. FMI 1.0 and 2.0: "#r13#" stands for the name of the Real variable with
// reference 13; FMI 3.0: "#13#" for the variable with reference 13. "##" stands for "#".
[[nodiscard]] std::string expand_variable_names(const std::string& message, const describe::Description& description);

}  // namespace consort::fmi
