// printf formatting of what FMUs pass to the loggers of FMI 1.0 and 2.0. Their formats and arguments are not to be
// trusted: per cent signs in plain text, %s with pointers to nowhere, %n.
#pragma once

#include <cstdarg>
#include <string>

#include "describe/description.hpp"

namespace consort::fmi {

// Never writes through an argument and never reads memory that is not mapped; the result has at most 64 KiB.
[[nodiscard]] std::string safe_format(const char* format, std::va_list arguments);

// Copies a C string that may be null or point to nowhere; at most `most` bytes.
[[nodiscard]] std::string safe_copy(const char* text, std::size_t most = 65536);

// "#r13#" in a message of FMI 1.0 and 2.0 stands for the name of the Real variable with reference 13, "#13#" in one of
// FMI 3.0 for that of the variable with reference 13, "##" for "#".
[[nodiscard]] std::string expand_variable_names(const std::string& message, const describe::Description& description);

}  // namespace consort::fmi
