// Text functions that are used in several places.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace consort {

// isspace() of the C locale.
[[nodiscard]] constexpr bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

[[nodiscard]] std::string_view trim(std::string_view text);  // removes ASCII white space at both ends
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
[[nodiscard]] std::vector<std::string_view> split_white(std::string_view text);  // no empty parts
[[nodiscard]] bool iequals(std::string_view a, std::string_view b);              // ASCII, ignores case
[[nodiscard]] bool is_utf8(std::string_view text);

// 'text' for error messages: at most `most` bytes, on one line. Unprintable characters become question marks.
[[nodiscard]] std::string quote(std::string_view text, std::size_t most = 80);

// For mistyped names: the candidates nearest to `name` in edit distance, best first, at most `most`. Candidates that
// are too far away are left out.
[[nodiscard]] std::vector<std::string> nearest(std::string_view name, std::span<const std::string_view> candidates,
                                               std::size_t most = 3);
// "; did you mean 'a' or 'b'?", or an empty text.
[[nodiscard]] std::string suggestion(std::string_view name, std::span<const std::string_view> candidates);

// Number of characters in a terminal: UTF-8 continuation bytes do not count.
[[nodiscard]] std::size_t character_count(std::string_view utf8);

// "a, b and 3 more": lists at most `most` names.
template <class Names>
[[nodiscard]] std::string some_of(const Names& names, std::size_t most = 6) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& name : names) {
    if (shown == most) break;
    if (shown++ > 0) text += ", ";
    text += name;
  }
  if (names.size() > shown) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

// The whole file. Throws Error (input) with its name if it cannot be read or has more than `limit` bytes.
[[nodiscard]] std::string read_file(const std::filesystem::path& file, std::size_t limit = std::size_t{4} << 30);

// "1.2 s", "3 min 20 s".
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace consort
