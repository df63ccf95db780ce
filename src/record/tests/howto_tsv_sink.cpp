// Tab separated values: a line with the names, then a line per row. Texts have \t, \n and \\ for tab, line feed and
// backslash; binaries are hexadecimal digits.
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "record/formats.hpp"
#include "record/sink.hpp"

namespace consort::record {
namespace {

void append_escaped(std::string& to, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '\t': to += "\\t"; break;
      case '\n': to += "\\n"; break;
      case '\\': to += "\\\\"; break;
      default: to += c;
    }
  }
}

class TsvSink final : public Sink {
 public:
  explicit TsvSink(std::filesystem::path path) : path_(std::move(path)) {}

  void begin(const Header& header) override {
    file_.rdbuf()->pubsetbuf(nullptr, 0);  // the file never ends inside of a line: lines are written whole
    file_.open(path_, std::ios::binary | std::ios::trunc);
    require(file_.is_open(), "cannot write the result to '{}'; choose another place with --output-file",
            path_.string());
    std::array<std::size_t, type_count> next{};
    lines_ = "time";
    for (const Signal& signal : header.signals) {
      cells_.push_back({signal.type, next[static_cast<std::size_t>(signal.type)]++});
      lines_ += '\t';
      append_escaped(lines_, signal.name);
    }
    lines_ += '\n';
    flush();
  }

  void write(Time t, const Columns& row) override {
    append_element(lines_, t);
    for (const Cell cell : cells_) {
      lines_ += '\t';
      with_type(cell.type, [&]<class T>() {
        const T& element = row.column<T>()[cell.index];
        if constexpr (std::is_same_v<T, std::string>) {
          append_escaped(lines_, element);
        } else {
          append_element(lines_, element);
        }
      });
    }
    lines_ += '\n';
    if (lines_.size() > enough) flush();
  }

  void flush() override {
    file_.write(lines_.data(), static_cast<std::streamsize>(lines_.size()));
    lines_.clear();
    if (!file_)
      throw run_error("cannot write to '{}'; make room or choose another place with --output-file", path_.string());
  }

  void end() override {
    flush();
    file_.close();
  }

 private:
  static constexpr std::size_t enough = std::size_t{64} << 10;  // bytes that are worth a write

  struct Cell {
    Type type = Type::Float64;
    std::size_t index = 0;  // in the column of its type
  };

  std::filesystem::path path_;
  std::ofstream file_;
  std::vector<Cell> cells_;
  std::string lines_;  // not written yet
};

}  // namespace

std::unique_ptr<Sink> make_tsv_sink(const std::filesystem::path& path, const SinkOptions&) {
  return std::make_unique<TsvSink>(path);
}

}  // namespace consort::record
