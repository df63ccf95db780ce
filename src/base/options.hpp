// Settings as in the NAME_ref.opt files of the FMI cross-check: one `Key,Value` or `key=value` per line.
//
// CRLF, blank lines, lines that begin with '#', and blanks and quotes around keys and values are accepted. Unknown keys
// are kept. Keys are not case-sensitive.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace consort {

class Options {
 public:
  struct Entry {
    std::string key;
    std::string value;
    std::size_t line = 0;  // of the file, from 1
  };

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }  // in the order of the file
  // nullopt if the key is missing or its value is empty.
  [[nodiscard]] std::optional<std::string_view> text(std::string_view key) const;
  // text() as a number. Throws Error (input) with file and line if the value is not a number.
  [[nodiscard]] std::optional<double> number(std::string_view key) const;

 private:
  friend Options parse_options(std::string_view text, std::string name_for_errors);
  [[nodiscard]] const Entry* find(std::string_view key) const;

  std::string name_;
  std::vector<Entry> entries_;
};

// Both throw Error (input) with file and line for a line that is not a setting, a duplicate key, and more than 10'000
// settings or 1 MiB.
[[nodiscard]] Options read_options(const std::filesystem::path& file);
[[nodiscard]] Options parse_options(std::string_view text, std::string name_for_errors);

}  // namespace consort
