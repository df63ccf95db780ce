// Tables of comma-separated values, read as a whole: inputs and results.
//
// The first non-blank line is the header. It also determines the separator: a semicolon if one occurs outside quotes,
// else a tab, else a comma. Cells are bare (surrounding blanks are dropped) or in double quotes (a doubled quote stands
// for one quote; separators and new lines may occur inside). A UTF-8 byte order mark, CRLF and blank lines are
// accepted. Every row has as many cells as the header.
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
  std::uint64_t bytes = 0xFFFF'FFFF;  // of the file; the maximum, since offsets have 32 bits
  std::uint64_t columns = 1'000'000;
  std::uint64_t cells = 500'000'000;  // four bytes each, plus the text
};

// Owns the text of all cells in one buffer. Returned views are valid until the table is moved or destroyed.
class CsvTable {
 public:
  [[nodiscard]] const std::string& name() const { return name_; }  // for error messages: the file
  [[nodiscard]] char separator() const { return separator_; }
  [[nodiscard]] const std::vector<std::string>& header() const { return header_; }
  [[nodiscard]] std::size_t columns() const { return header_.size(); }
  [[nodiscard]] std::size_t rows() const { return lines_.size(); }
  // The first column of this name. Linear search.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view column) const;

  // The cell's text without quotes; row and column must be in range.
  [[nodiscard]] std::string_view cell(std::size_t row, std::size_t column) const {
    const std::size_t i = row * header_.size() + column;
    return {buffer_.data() + begins_[i], begins_[i + 1] - begins_[i]};
  }
  // The line of the file on which the row begins, counted from 1.
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

  // Throws Error (input) with file, line, column and `why`. For callers with their own checks of a cell.
  [[noreturn]] void refuse(std::size_t row, std::size_t column, std::string_view why) const;

 private:
  friend class CsvParser;
  std::string name_;
  char separator_ = ',';
  std::vector<std::string> header_;
  std::string buffer_;                 // the cells' texts, concatenated
  std::vector<std::uint32_t> begins_;  // of each cell in the buffer, and the end of the last
  std::vector<std::uint32_t> lines_;   // of each row
};

// Both throw Error (input) that names the file and the line.
[[nodiscard]] CsvTable read_csv(const std::filesystem::path& file, const CsvLimits& limits = {});
[[nodiscard]] CsvTable parse_csv(std::string text, std::string name_for_errors, const CsvLimits& limits = {});

// The names of the columns. Reads the file as far as the header goes, so its rows may have errors. Throws Error (input)
// if the file has no header, and for a pipe, whose rows could not be read afterwards.
[[nodiscard]] std::vector<std::string> read_csv_header(const std::filesystem::path& file);

}  // namespace consort
