// printf formatting for the loggers of FMI 1.0 and 2.0. Formats and arguments from FMUs are untrusted: they may contain
// percent signs in plain text, %s with invalid pointers, %n. Also part of the program that calls foreign binaries.
#pragma once

#include <cstdarg>
#include <string>

namespace consort::fmi {

// Never writes through an argument and never reads unmapped memory; the result has at most 64 KiB.
[[nodiscard]] std::string safe_format(const char* format, std::va_list arguments);

// Copies at most `most` bytes of a C string, which may be null or invalid.
[[nodiscard]] std::string safe_copy(const char* text, std::size_t most = 65536);

}  // namespace consort::fmi
