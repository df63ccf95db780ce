#include "fmi/safe_format.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>

#ifdef _WIN32
#include <windows.h>
#else
#include <sys/uio.h>
#include <unistd.h>
#endif

namespace consort::fmi {

namespace {

constexpr std::size_t longest = 65536;

// Formats may need more arguments than there are; the excess ones are read from the callers' stack frames. A small
// number is harmless, but reads must not pass the end of the stack, and AddressSanitizer would stop at them.
constexpr int most_arguments = 100;
#define CONSORT_READS_ARGUMENTS __attribute__((no_sanitize("address")))

#ifdef _WIN32
std::size_t read_own_memory(const char* from, char* to, std::size_t bytes) {
  if (IsBadReadPtr(from, bytes) != 0) return 0;
  std::memcpy(to, from, bytes);
  return bytes;
}
#else
// Reads this process's memory through the kernel, which returns EFAULT instead of raising a signal.
std::size_t read_own_memory(const char* from, char* to, std::size_t bytes) {
  const iovec local{to, bytes};
  const iovec remote{const_cast<char*>(from), bytes};
  const ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  if (n >= 0) return static_cast<std::size_t>(n);
  if (errno == EFAULT) return 0;
  std::memcpy(to, from, bytes);  // a sandbox forbids the call; the FMU must be trusted then
  return bytes;
}
#endif

// Microsoft's compilers pass long double as double.
#ifdef _WIN32
using LongDouble = double;
#else
using LongDouble = long double;
#endif

// One conversion of a format: everything between '%' and its letter.
struct Conversion {
  std::string flags;  // flags, width and precision, with numbers in place of '*'
  std::string length;
  char letter = 0;
};

// Limits a width or precision from a hostile format.
std::string bounded(int number) { return std::to_string(std::clamp(number, -512, 512)); }

CONSORT_READS_ARGUMENTS const char* parse_conversion(const char* p, std::va_list& arguments, Conversion& c) {
  while (*p != 0 && std::strchr("-+ #0123456789.*'", *p) != nullptr) {
    if (*p == '*') {
      const int number = va_arg(arguments, int);
      if (number < 0 && c.flags.ends_with('.'))
        c.flags.pop_back();  // C: a negative precision means no precision
      else
        c.flags += bounded(number);
    } else {
      c.flags += *p;
    }
    ++p;
  }
  while (*p != 0 && std::strchr("hlLqjzt", *p) != nullptr) c.length += *p++;
#ifdef _WIN32
  if (*p == 'I') {  // Microsoft: I64, I32, I
    const bool has_size = std::strncmp(p + 1, "64", 2) == 0 || std::strncmp(p + 1, "32", 2) == 0;
    c.length = has_size ? (p[1] == '6' ? "ll" : "") : "z";
    p += has_size ? 3 : 1;
  }
#endif
  c.letter = *p;
  if (c.flags.size() > 16) c.flags.clear();
  // At most three consecutive digits, to prevent megabytes of padding.
  for (std::size_t i = 0, run = 0; i < c.flags.size(); ++i) {
    run = c.flags[i] >= '0' && c.flags[i] <= '9' ? run + 1 : 0;
    if (run > 3) {
      c.flags.clear();
      break;
    }
  }
  return *p == 0 ? p : p + 1;
}

template <class T>
void append_formatted(std::string& out, const std::string& format, T value) {
  std::array<char, 1600> buffer{};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int n = std::snprintf(buffer.data(), buffer.size(), format.c_str(), value);  // format was rebuilt by the caller
#pragma GCC diagnostic pop
  if (n > 0) out.append(buffer.data(), std::min(static_cast<std::size_t>(n), buffer.size() - 1));
}

CONSORT_READS_ARGUMENTS void append_integer(std::string& out, const Conversion& c, std::va_list& arguments) {
  const std::string head = "%" + c.flags;
  if (c.length == "ll" || c.length == "q" || c.length == "L" || c.length == "j") {
    append_formatted(out, head + "ll" + c.letter, va_arg(arguments, long long));
  } else if ((c.length == "z" || c.length == "t") && sizeof(std::size_t) == 8) {
    append_formatted(out, head + "ll" + c.letter, va_arg(arguments, long long));
  } else if (c.length == "l") {
    append_formatted(out, head + "l" + c.letter, va_arg(arguments, long));
  } else {
    append_formatted(out, head + c.letter, va_arg(arguments, int));
  }
}

CONSORT_READS_ARGUMENTS void append_string(std::string& out, const Conversion& c, std::va_list& arguments) {
  const char* text = va_arg(arguments, const char*);
  if (!c.length.empty()) {
    out += "(wide text)";
    return;
  }
  if (c.flags.empty())
    out += safe_copy(text);  // of any length
  else
    append_formatted(out, "%" + c.flags + "s", safe_copy(text).c_str());
}

}  // namespace

std::string safe_copy(const char* text, std::size_t most) {
  if (text == nullptr) return "(null)";
  std::string out;
  std::array<char, 256> chunk{};
  while (out.size() < most) {
    // Never read across a page boundary: the next page may be unmapped.
    const std::size_t to_page_end = 4096 - (reinterpret_cast<std::uintptr_t>(text) & 4095U);
    const std::size_t wanted = std::min({chunk.size(), to_page_end, most - out.size()});
    const std::size_t got = read_own_memory(text, chunk.data(), wanted);
    if (got == 0) return out.empty() ? "(bad pointer)" : out;
    const auto end = std::find(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(got), '\0');
    out.append(chunk.begin(), end);
    if (end != chunk.begin() + static_cast<std::ptrdiff_t>(got)) return out;
    text += got;
  }
  return out;
}

CONSORT_READS_ARGUMENTS std::string safe_format(const char* format, std::va_list arguments_in) {
  const std::string text = safe_copy(format);
  std::va_list arguments;
  va_copy(arguments, arguments_in);
  std::string out;
  int conversions = 0;
  for (const char* p = text.c_str(); *p != 0 && out.size() < longest;) {
    if (*p != '%' || conversions == most_arguments) {
      out += *p++;
      continue;
    }
    const char* const start = p;
    ++conversions;
    Conversion c;
    p = parse_conversion(p + 1, arguments, c);
    switch (c.letter) {
      case '%': out += '%'; break;
      case 'd':
      case 'i':
      case 'u':
      case 'x':
      case 'X':
      case 'o':
      case 'c': append_integer(out, c, arguments); break;
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        if (c.length == "L")
          append_formatted(out, "%" + c.flags + "L" + c.letter,
                           static_cast<long double>(va_arg(arguments, LongDouble)));
        else
          append_formatted(out, "%" + c.flags + c.letter, va_arg(arguments, double));
        break;
      case 's': append_string(out, c, arguments); break;
      case 'p': append_formatted(out, "%p", va_arg(arguments, void*)); break;
      case 'n': static_cast<void>(va_arg(arguments, void*)); break;  // never write
      default: out.append(start, p); break;                          // not a conversion: a percent sign in plain text
    }
  }
  va_end(arguments);
  if (out.size() > longest) out.resize(longest);
  return out;
}

}  // namespace consort::fmi
