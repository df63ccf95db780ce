// Rows as comma separated values: readable everywhere, while the run goes on and after it is killed.
//
//   "time","h","v"
//   0,1,0
//   0.01,0.99950950000000001,-0.0981
//
// Names are quoted, numbers in the shortest form that reads back exactly, Booleans and clocks as 0 and 1, texts quoted,
// binary as hexadecimal digits. Rows are collected in a buffer and written whole, so that the file ends with a complete
// row whenever somebody looks; a crash that base/crash_guard.hpp sees loses none.
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
  // "-" is the standard output. Nothing is touched before begin().
  explicit CsvSink(std::filesystem::path path);
  // Writes what is left, if it can: call end() to hear about failures.
  ~CsvSink() override;
  CsvSink(const CsvSink&) = delete;
  CsvSink& operator=(const CsvSink&) = delete;

  // Creates or replaces the file. Throws Error (input) when it cannot be written there.
  void begin(const Header& header) override;
  bool resume(const Header& header, std::uint64_t rows, const KnownRow* last) override;
  // Allocates nothing once rows have their usual length. Rows reach the file when the buffer is full and about once a
  // second. Throws Error (run) when the disk is full; the file is then cut back to its last complete row, and the sink
  // accepts no further rows.
  void write(Time t, const Columns& row) override;
  void flush() override;
  // Never throws after a failure that has been reported.
  void end() override;

 private:
  struct Cell {
    Type type = Type::Float64;
    std::uint32_t index = 0;  // in the column of its type
  };
  static constexpr std::size_t buffer_size = std::size_t{64} * 1024;

  void open(int how);
  void close() noexcept;
  void set_up(const Header& header);
  void format(Time t, const Columns& row);
  void store_row();
  void flush_when_due();
  void put(const char* data, std::size_t size);  // all of it, or Error (run) with the file cut to a complete row
  [[noreturn]] void fail(int error, const char* data, std::size_t written);

  std::filesystem::path path_;
  std::string name_;  // for messages
  int fd_ = -1;
  bool owns_fd_ = false;
  bool failed_ = false;
  bool regular_ = false;
  std::uint64_t file_size_ = 0;  // what we have written: whole rows
  std::vector<Cell> cells_;
  std::string row_;                 // the row at hand
  std::unique_ptr<char[]> buffer_;  // complete rows; stays in place for emergency_
  std::size_t used_ = 0;
  os::EmergencyFlush emergency_;
  // The clock is looked at once per `stride_` rows, a number that follows the pace of the run.
  std::uint32_t stride_ = 1;
  std::uint32_t rows_left_ = 1;
  std::chrono::steady_clock::time_point last_look_{};
  std::chrono::steady_clock::time_point last_flush_{};
};

}  // namespace consort::record
