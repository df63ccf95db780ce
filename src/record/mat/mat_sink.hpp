// Rows as a MAT file (version 4) in Dymola's trajectory layout, which Dymola, OpenModelica, Matlab and Python read.
//
//   Aclass       'Atrajectory', '1.1', '', 'binTrans'
//   name         one column of characters per variable, the first is 'time'
//   description  likewise, "text [unit]"
//   dataInfo     [4 × variables] table, column, interpolation, extrapolation
//   data_1       [1 × 2] the first and the last time
//   data_2       [variables × rows] all trajectories, in double precision
//
// data_2 is the last matrix, so that rows are appended; their number in its header is set after they are in the file.
// The file is valid at every moment, also after kill -9; between the two there may be bytes behind the last matrix,
// which readers that look for matrices by name do not meet.
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
  // Nothing is touched before begin().
  explicit MatSink(std::filesystem::path path);
  // Writes what is left, if it can: call end() to hear about failures.
  ~MatSink() override;
  MatSink(const MatSink&) = delete;
  MatSink& operator=(const MatSink&) = delete;

  // Creates or replaces the file. Strings and binaries are left out. Throws Error (input) when the file cannot be
  // written there.
  void begin(const Header& header) override;
  // Dymola's layout says how many rows there are in front of them: it goes on in new files only.
  bool resume(const Header& header, std::uint64_t rows, const KnownRow* last) override;
  // Allocates nothing. Rows reach the file when 64 KiB of them wait and about once a second. Throws Error (run) when
  // the disk is full; what was flushed before is intact, and the sink accepts no further rows.
  void write(Time t, const Columns& row) override;
  void flush() override;
  // Never throws after a failure that has been reported.
  void end() override;
  // Names the signals that were left out.
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  struct Cell {
    Type type = Type::Float64;
    std::uint32_t index = 0;  // in the column of its type
  };

  void put(std::uint64_t offset, const void* data, std::size_t size);
  [[nodiscard]] std::vector<std::size_t> choose(const Header& header);

  std::filesystem::path path_;
  Descriptor file_;
  bool failed_ = false;
  std::vector<Cell> cells_;
  std::vector<std::string> left_out_;
  std::vector<double> buffer_;  // whole rows
  std::size_t used_ = 0;        // of it
  std::uint64_t rows_ = 0;      // in the file
  std::uint64_t end_ = 0;       // of the last row in the file
  std::uint64_t times_at_ = 0;  // where data_1 begins
  std::uint64_t count_at_ = 0;  // where the number of rows is
  FlushClock clock_;
};

}  // namespace consort::record
