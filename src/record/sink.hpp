// The interface of outputs for the rows of a run. The file of a sink is valid at every moment: all rows recorded before
// a failure stay readable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "base/value.hpp"

namespace consort::record {

// One recorded signal: a scalar, or one element of an array ("x[1]", "A[2,3]").
struct Signal {
  std::string name;
  Type type = Type::Float64;
  std::string unit;
  std::string description;
  bool discrete = false;  // held between rows instead of interpolated linearly
  std::string group{};    // the unit of the signal; empty: run of a single FMU
};

// A fact about the run that a format may store: ("model", "BouncingBall"), ("stop time", "3"), …
struct Fact {
  std::string name;
  std::string value;
};

// Name of the fact that identifies a run: only runs continued from its checkpoints have the same value.
inline constexpr const char* run_fact = "run";

struct Header {
  std::vector<Signal> signals;
  std::vector<Fact> facts;
};

// A small table about the whole run, such as the report per connection. All columns have the same number of entries.
struct Table {
  struct Column {
    std::string name;
    std::vector<double> numbers{};
    std::vector<std::string> texts{};  // used instead of numbers if is_text
    bool is_text = false;
  };
  std::string name;
  std::vector<Column> columns;

  [[nodiscard]] std::size_t rows() const {
    if (columns.empty()) return 0;
    return columns.front().is_text ? columns.front().texts.size() : columns.front().numbers.size();
  }
};

// Rows of numbers in a buffer. Each row begins with its time; the elements of a type begin at its offset, in the order
// of the signals in the header.
struct RowBatch {
  const std::byte* first = nullptr;
  std::size_t stride = 0;  // bytes from row to row
  std::size_t count = 0;
  std::array<std::size_t, type_count> offsets{};  // from the beginning of a row
};

// A row that an existing result must contain to be continued by a run.
struct KnownRow {
  Time t = 0;
  Columns values{};
};

class Sink {
 public:
  virtual ~Sink() = default;
  // Call once, before the first row.
  virtual void begin(const Header& header) = 0;
  // Call instead of begin(): keeps the first `rows` rows of the existing result, drops the others and appends. Returns
  // false and does nothing if there is no result; call begin() then. Throws Error (input) if the result has other
  // signals, too few rows or belongs to another run, as far as the format can tell from its facts or from the last kept
  // row `last` (null: unknown). Also throws Error (input) if the format cannot resume.
  virtual bool resume(const Header&, std::uint64_t /*rows*/, const KnownRow* /*last*/) { return false; }
  // `row` holds one element per signal: in the column of its type, in the order of the signals in the header. Times
  // must not decrease; rows of equal time are event iterations, in order.
  virtual void write(Time t, const Columns& row) = 0;
  // Writes many rows at once. Returns false if the sink does not support batches; write() is then called per row.
  virtual bool write_batch(const RowBatch&) { return false; }
  // Writes all buffered rows to the file. Throws Error (run) if the disk is full.
  virtual void flush() = 0;
  // Adds a table. Call after the last row and before end(), any number of times with different names. Formats without
  // support for tables ignore it.
  virtual void add_table(const Table&) {}
  // Call once, after the last row, also after a failure.
  virtual void end() = 0;
  // Messages to the user about data that the format cannot store; complete after begin().
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
};

}  // namespace consort::record
