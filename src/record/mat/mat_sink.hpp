// Writes rows as a MAT file (version 4) in the trajectory layout of Dymola, which Dymola, OpenModelica, Matlab and
// Python can read.
//
//   Aclass       'Atrajectory', '1.1', '', 'binTrans'
//   name         one column of characters per variable, the first is 'time'
//   description  likewise, "text [unit]"
//   dataInfo     [4 × variables] table, column, interpolation, extrapolation
//   data_1       [1 × 2] the first and the last time
//   data_2       [variables × rows] all trajectories, in double precision
//
// data_2 is the last matrix, so that rows can be appended. The number of rows in its header is updated after the rows
// were written. The file is valid at every moment, also after kill -9. Between these two writes, there may be bytes
// after the last matrix; readers that look up matrices by name do not reach them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "record/flush_clock.hpp"
#include "record/sink.hpp"

namespace consort::record {

class MatSink : public Sink {
 public:
  // No file is touched before begin().
  explicit MatSink(std::filesystem::path path);
  // Writes the remaining rows if possible and ignores errors; call end() to get them.
  ~MatSink() override;
  MatSink(const MatSink&) = delete;
  MatSink& operator=(const MatSink&) = delete;

  // Creates or replaces the file. Strings and binaries are omitted. Throws Error (input) if the file cannot be written.
  void begin(const Header& header) override;
  // MAT files cannot be resumed: throws Error (input) if the file exists.
  bool resume(const Header& header, std::uint64_t rows, const KnownRow* last) override;
  // Does not allocate. Rows are written to the file when 64 KiB are buffered and about once a second. Throws Error
  // (run) if the disk is full; rows flushed before are intact, and the sink accepts no further rows.
  void write(Time t, const Columns& row) override;
  void flush() override;
  // Does not throw if an earlier failure was already reported.
  void end() override;
  // Names the omitted signals.
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  struct Cell {
    Type type = Type::Float64;
    std::uint32_t index = 0;  // index in the column of its type
  };

  void put(std::uint64_t offset, const void* data, std::size_t size);
  [[nodiscard]] std::vector<std::size_t> choose(const Header& header);

  std::filesystem::path path_;
  Descriptor file_;
  bool failed_ = false;
  std::vector<Cell> cells_;
  std::vector<std::string> left_out_;
  std::vector<double> buffer_;  // whole rows
  std::size_t used_ = 0;        // of the buffer
  std::uint64_t rows_ = 0;      // number of rows in the file
  std::uint64_t end_ = 0;       // end of the last row in the file
  std::uint64_t times_at_ = 0;  // offset of the values of data_1
  std::uint64_t count_at_ = 0;  // offset of the number of rows
  FlushClock clock_;
};

}  // namespace consort::record
