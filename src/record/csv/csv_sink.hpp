// Writes rows as comma separated values. The file is readable during the run and after the process was killed.
//
//   "time","h","v"
//   0,1,0
//   0.01,0.99950950000000001,-0.0981
//
// Names and texts are quoted. Numbers have the shortest form that reads back exactly, Booleans and clocks are 0 and 1,
// binaries are hexadecimal digits. Only complete rows are written to the file, so that it always ends with a complete
// row. A crash that os/crash_guard.hpp handles loses no rows.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "os/crash_guard.hpp"
#include "record/sink.hpp"

namespace consort::record {

class CsvSink : public Sink {
 public:
  // "-" is standard output. No file is touched before begin().
  explicit CsvSink(std::filesystem::path path);
  // Writes the remaining rows if possible and ignores errors; call end() to get them.
  ~CsvSink() override;
  CsvSink(const CsvSink&) = delete;
  CsvSink& operator=(const CsvSink&) = delete;

  // Creates or replaces the file. Throws Error (input) if it cannot be written.
  void begin(const Header& header) override;
  bool resume(const Header& header, std::uint64_t rows, const KnownRow* last) override;
  // Does not allocate once rows have reached their usual length. Rows are written to the file when the buffer is full
  // and about once a second. Throws Error (run) if the disk is full; the file is then truncated to its last complete
  // row, and the sink accepts no further rows.
  void write(Time t, const Columns& row) override;
  void flush() override;
  // Does not throw if an earlier failure was already reported.
  void end() override;

 private:
  struct Cell {
    Type type = Type::Float64;
    std::uint32_t index = 0;  // index in the column of its type
  };
  static constexpr std::size_t buffer_size = std::size_t{64} * 1024;

  void open(int how);
  void close() noexcept;
  void set_up(const Header& header);
  void format(Time t, const Columns& row);
  void store_row();
  void flush_when_due();
  void put(const char* data, std::size_t size);  // writes all, or truncates to a complete row and throws Error (run)
  [[noreturn]] void fail(int error, const char* data, std::size_t written);

  std::filesystem::path path_;
  std::string name_;  // for messages
  int fd_ = -1;
  bool owns_fd_ = false;
  bool failed_ = false;
  bool regular_ = false;
  std::uint64_t file_size_ = 0;  // bytes written by this sink: whole rows
  std::vector<Cell> cells_;
  std::string row_;                 // the current row
  std::unique_ptr<char[]> buffer_;  // complete rows; not reallocated, because emergency_ refers to it
  std::size_t used_ = 0;
  os::EmergencyFlush emergency_;
  // The clock is read once per `stride_` rows; the stride adapts to the speed of the run.
  std::uint32_t stride_ = 1;
  std::uint32_t rows_left_ = 1;
  std::chrono::steady_clock::time_point last_look_{};
  std::chrono::steady_clock::time_point last_flush_{};
};

}  // namespace consort::record
