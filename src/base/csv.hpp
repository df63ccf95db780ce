// Tables of comma separated values, read whole: inputs and results.
//
// The first line that is not blank is the header. The separator is the one that the header uses outside quotes: a
// semicolon if there is one, else a tab, else a comma. Cells are bare (blanks around them dropped) or in double quotes
// (doubled quotes stand for one; separators and new lines may be inside). A UTF-8 byte order mark, CRLF and blank lines
// are accepted. Every row has as many cells as the header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/value.hpp"

namespace consort {

struct CsvLimits {
  std::uint64_t bytes = 0xFFFF'FFFF;  // of the file; offsets have 32 bits, so it cannot be more
  std::uint64_t columns = 1'000'000;
  std::uint64_t cells = 500'000'000;  // each costs four bytes besides its text
};

// Owns the text of all cells in one buffer; the views that it hands out live as long as it stays in place.
class CsvTable {
 public:
  [[nodiscard]] const std::string& name() const { return name_; }  // for error messages: the file
  [[nodiscard]] char separator() const { return separator_; }
  [[nodiscard]] const std::vector<std::string>& header() const { return header_; }
  [[nodiscard]] std::size_t columns() const { return header_.size(); }
  [[nodiscard]] std::size_t rows() const { return lines_.size(); }
  // The first column of that name; looks at all of them.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view column) const;

  // Without quotes; row and column must be in range.
  [[nodiscard]] std::string_view cell(std::size_t row, std::size_t column) const {
    const std::size_t i = row * header_.size() + column;
    return {buffer_.data() + begins_[i], begins_[i + 1] - begins_[i]};
  }
  // The line of the file on which the row begins, from 1.
  [[nodiscard]] std::size_t line(std::size_t row) const { return lines_[row]; }

  // The cell as a value of type T; throws Error (input) that names file, line and column.
  template <class T>
  [[nodiscard]] T element(std::size_t row, std::size_t column) const {
    try {
      return parse_element<T>(cell(row, column));
    } catch (const Error& error) {
      refuse(row, column, error.what());
    }
  }
  [[nodiscard]] double number(std::size_t row, std::size_t column) const { return element<double>(row, column); }

  // Throws Error (input): file, line and column, then `why`. For callers that find fault with a cell themselves.
  [[noreturn]] void refuse(std::size_t row, std::size_t column, std::string_view why) const;

 private:
  friend class CsvParser;
  std::string name_;
  char separator_ = ',';
  std::vector<std::string> header_;
  std::string buffer_;                 // the cells' texts one after the other
  std::vector<std::uint32_t> begins_;  // of each cell in the buffer, and the end of the last
  std::vector<std::uint32_t> lines_;   // of each row
};

// Both throw Error (input) that names the file and the line.
[[nodiscard]] CsvTable read_csv(const std::filesystem::path& file, const CsvLimits& limits = {});
[[nodiscard]] CsvTable parse_csv(std::string text, std::string name_for_errors, const CsvLimits& limits = {});

}  // namespace consort
