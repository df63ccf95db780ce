#include "base/csv.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>

#include "base/text.hpp"

namespace consort {

namespace {

// Of the blanks and the header at the beginning of a table.
constexpr std::size_t most_header = std::size_t{1} << 26;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Names rarely contain a semicolon but often a comma ("A[1,2]"); this determines the order.
char separator_of(std::string_view header) {
  bool tab = false;
  bool quotes = false;
  for (const char c : header) {
    if (c == '"') quotes = !quotes;
    if (quotes) continue;
    if (c == '\n') break;
    if (c == ';') return ';';
    tab = tab || c == '\t';
  }
  return tab ? '\t' : ',';
}

}  // namespace

// Parses the buffer in one pass. Each cell's text is moved down behind the previous one, so that quotes disappear in
// place and one offset per cell is enough.
class CsvParser {
 public:
  CsvParser(std::string text, std::string name, const CsvLimits& limits) : limits_(limits) {
    table_.name_ = std::move(name);
    table_.buffer_ = std::move(text);
  }

  // nullopt if the header goes on to the end of the text, which is not the `whole` file.
  std::optional<std::vector<std::string>> parse_header(bool whole) {
    begin();
    if (read_header() == After::file && !whole) return std::nullopt;
    return std::move(table_.header_);
  }

  CsvTable parse() {
    begin();
    read_header();
    while (skip_blank_lines()) read_row();
    table_.begins_.push_back(static_cast<std::uint32_t>(write_ - start()));
    table_.buffer_.resize(static_cast<std::size_t>(write_ - start()));
    table_.buffer_.shrink_to_fit();
    return std::move(table_);
  }

 private:
  enum class After { separator, line, file };  // the end of a cell

  char* start() { return table_.buffer_.data(); }

  void begin() {
    const std::string& text = table_.buffer_;
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    require(text.size() <= std::min(limits_.bytes, most),
            "'{}' has {} bytes, more than the {} accepted for a table; "
            "split it",
            table_.name_, text.size(), std::min(limits_.bytes, most));
    const std::string_view head = std::string_view(text).substr(0, 3);
    require(head.substr(0, 2) != "\xFF\xFE" && head.substr(0, 2) != "\xFE\xFF",
            "'{}' is encoded as UTF-16; save it as UTF-8", table_.name_);
    read_ = write_ = start();
    end_ = start() + text.size();
    if (head == "\xEF\xBB\xBF") read_ += 3;
  }

  // False at the end of the file.
  bool skip_blank_lines() {
    for (;;) {
      char* p = read_;
      // A tab is a blank unless it is the separator; then a line of tabs is a row of empty cells.
      while (p < end_ && (*p == ' ' || *p == '\r' || (*p == '\t' && table_.separator_ != '\t'))) ++p;
      if (p == end_) return false;
      if (*p != '\n') return true;
      read_ = p + 1;
      ++line_;
    }
  }

  After read_header() {
    require(skip_blank_lines(), "'{}' is empty; its first line must name the columns", table_.name_);
    table_.separator_ = separator_of({read_, static_cast<std::size_t>(end_ - read_)});
    bare_end_.fill(false);
    bare_end_[static_cast<unsigned char>(table_.separator_)] = true;
    bare_end_[static_cast<unsigned char>('\n')] = true;

    const std::size_t line = line_;
    After after = After::separator;
    while (after == After::separator) {
      char* from = write_;
      after = read_cell();
      table_.header_.emplace_back(from, write_);
      require(table_.header_.size() <= limits_.columns, "{}, line {}: more than {} columns; split the table",
              table_.name_, line, limits_.columns);
      const std::string& column = table_.header_.back();
      require(column.find('\0') == std::string::npos, "'{}' is not a table of text; give a CSV file", table_.name_);
    }
    write_ = start();
    return after;
  }

  void read_row() {
    const std::size_t line = line_;
    const std::size_t columns = table_.header_.size();
    std::size_t cells = 0;
    for (After after = After::separator; after == After::separator; ++cells) {
      if (cells == columns) break;
      table_.begins_.push_back(static_cast<std::uint32_t>(write_ - start()));
      after = read_cell();
      if (after != After::separator && cells + 1 == columns) {
        table_.lines_.push_back(static_cast<std::uint32_t>(line));
        require(table_.begins_.size() <= limits_.cells, "{}, line {}: more than {} cells; split the table",
                table_.name_, line, limits_.cells);
        return;
      }
    }
    const char* count = cells < columns ? "only " : "more than ";
    throw input_error(
        "{}, line {}: {}{} cells where the header has {} columns (separated by {}); complete or correct "
        "the line",
        table_.name_, line, count, cells, columns,
        table_.separator_ == '\t' ? std::string("tabs") : quote({&table_.separator_, 1}));
  }

  After read_cell() {
    char* p = read_;
    while (p < end_ && is_blank(*p) && *p != table_.separator_) ++p;
    return p < end_ && *p == '"' ? read_quoted(p + 1) : read_bare(p);
  }

  After read_bare(char* from) {
    char* p = from;
    while (p < end_ && !bare_end_[static_cast<unsigned char>(*p)]) ++p;
    char* to = p;
    while (to > from && (is_blank(to[-1]) || to[-1] == '\r')) --to;
    append(from, to);
    return finish_cell(p);
  }

  After read_quoted(char* from) {
    const std::size_t line = line_;
    for (;;) {
      char* p = from;
      while (p < end_ && *p != '"') line_ += *p++ == '\n' ? 1U : 0U;
      require(p < end_, "{}, line {}: a quote is opened and never closed; close it", table_.name_, line);
      const bool doubled = p + 1 < end_ && p[1] == '"';
      append(from, doubled ? p + 1 : p);
      from = p + (doubled ? 2 : 1);
      if (!doubled) break;
    }
    while (from < end_ && *from != table_.separator_ && (is_blank(*from) || *from == '\r')) ++from;
    require(from == end_ || bare_end_[static_cast<unsigned char>(*from)],
            "{}, line {}: {} after a closing quote; quote the whole cell, and double the quotes inside it",
            table_.name_, line_, from < end_ ? quote({from, 1}) : std::string());
    return finish_cell(from);
  }

  void append(const char* from, const char* to) {
    const auto count = static_cast<std::size_t>(to - from);
    std::memmove(write_, from, count);
    write_ += count;
  }

  After finish_cell(char* at) {
    if (at == end_) {
      read_ = at;
      return After::file;
    }
    read_ = at + 1;
    if (*at != '\n') return After::separator;
    ++line_;
    return After::line;
  }

  CsvTable table_;
  CsvLimits limits_;
  std::array<bool, 256> bare_end_{};
  char* read_ = nullptr;
  char* write_ = nullptr;  // never ahead of read_
  char* end_ = nullptr;
  std::size_t line_ = 1;
};

std::optional<std::size_t> CsvTable::find(std::string_view column) const {
  const auto found = std::find(header_.begin(), header_.end(), column);
  if (found == header_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header_.begin());
}

void CsvTable::refuse(std::size_t row, std::size_t column, std::string_view why) const {
  const std::string_view text = cell(row, column);
  const bool decimal_comma = separator_ != ',' && text.find(',') != std::string_view::npos;
  throw input_error("{}, line {}, column {}: {}{}", name_, line(row), quote(header_[column]), why,
                    decimal_comma ? "; numbers need a decimal point, a decimal comma is not supported" : "");
}

CsvTable read_csv(const std::filesystem::path& file, const CsvLimits& limits) {
  return parse_csv(read_file(file, static_cast<std::size_t>(limits.bytes)), file.string(), limits);
}

std::vector<std::string> read_csv_header(const std::filesystem::path& file) {
  std::error_code failed;
  require(!std::filesystem::exists(file, failed) || std::filesystem::is_regular_file(file, failed),
          "'{}' is not a regular file, so its rows cannot be read after its header; save the table as a file",
          file.string());
  std::ifstream in(file, std::ios::binary);
  if (!in.is_open()) static_cast<void>(read_file(file));  // throws
  std::string text;
  for (std::size_t block = std::size_t{1} << 14;; block *= 2) {
    const std::size_t known = text.size();
    text.resize(known + block);
    in.read(text.data() + known, static_cast<std::streamsize>(block));
    text.resize(known + static_cast<std::size_t>(in.gcount()));
    const bool whole = !in;
    try {
      if (auto header = CsvParser(text, file.string(), {}).parse_header(whole)) return std::move(*header);
    } catch (const Error&) {
      if (whole || text.size() > most_header) throw;  // otherwise the rest of the file may complete it
    }
  }
}

CsvTable parse_csv(std::string text, std::string name_for_errors, const CsvLimits& limits) {
  return CsvParser(std::move(text), std::move(name_for_errors), limits).parse();
}

}  // namespace consort
