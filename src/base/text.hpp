// Small things done to text in more than one place.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace consort {

// As in C, whatever the locale.
[[nodiscard]] constexpr bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

[[nodiscard]] std::string_view trim(std::string_view text);  // ASCII white space off both ends
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
[[nodiscard]] std::vector<std::string_view> split_white(std::string_view text);  // at runs of white space, none empty
[[nodiscard]] bool iequals(std::string_view a, std::string_view b);              // ASCII, ignoring case
[[nodiscard]] bool is_utf8(std::string_view text);

// 'text' for error messages: at most `most` bytes of it, on one line; what cannot be shown becomes a question mark.
[[nodiscard]] std::string quote(std::string_view text, std::size_t most = 80);

// For names that people mistype: the candidates nearest to `name` in edit distance, best first, at most `most`; only
// those near enough to be meant.
[[nodiscard]] std::vector<std::string> nearest(std::string_view name, std::span<const std::string_view> candidates,
                                               std::size_t most = 3);
// "; did you mean 'a' or 'b'?" or nothing.
[[nodiscard]] std::string suggestion(std::string_view name, std::span<const std::string_view> candidates);

// Characters as a terminal counts them: UTF-8 continuation bytes take no room.
[[nodiscard]] std::size_t character_count(std::string_view utf8);

// "a, b and 3 more": at most `most` of the names.
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

// The whole file; throws Error (input) that names it. Refuses more than `limit` bytes.
[[nodiscard]] std::string read_file(const std::filesystem::path& file, std::size_t limit = std::size_t{4} << 30);

// "1.2 s", "3 min 20 s": for people.
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace consort
