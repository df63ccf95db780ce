// Where rows of a run go. A sink is a valid file at every moment: whatever was recorded up to a failure stays readable.
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
  bool discrete = false;  // holds between rows instead of moving linearly
  std::string group{};    // the unit that it belongs to; empty when a single FMU was run
};

// Facts about the run that a format may keep: ("model", "BouncingBall"), ("stop time", "3"), …
struct Fact {
  std::string name;
  std::string value;
};

// The name of a fact that is the same for a run and for those that go on from its checkpoints, and no other.
inline constexpr const char* run_fact = "run";

struct Header {
  std::vector<Signal> signals;
  std::vector<Fact> facts;
};

// A small table about the run as a whole, as what a report says per connection. All columns have equally many entries.
struct Table {
  struct Column {
    std::string name;
    std::vector<double> numbers{};
    std::vector<std::string> texts{};  // instead of numbers
    bool is_text = false;
  };
  std::string name;
  std::vector<Column> columns;

  [[nodiscard]] std::size_t rows() const {
    if (columns.empty()) return 0;
    return columns.front().is_text ? columns.front().texts.size() : columns.front().numbers.size();
  }
};

// Rows of numbers as they lie in a buffer: each begins with its time; the elements of a type stand at its offset, in
// the order of the header's signals.
struct RowBatch {
  const std::byte* first = nullptr;
  std::size_t stride = 0;  // from row to row, in bytes
  std::size_t count = 0;
  std::array<std::size_t, type_count> offsets{};  // from the begin of a row
};

// A row that a result must have, so that it is the one that a run goes on with.
struct KnownRow {
  Time t = 0;
  Columns values{};
};

class Sink {
 public:
  virtual ~Sink() = default;
  // Once, before the first row.
  virtual void begin(const Header& header) = 0;
  // Instead of begin(): goes on behind the first `rows` rows of what is there, and drops the rest. False, and nothing
  // has happened, when there is nothing: then begin() is called. Throws Error (input) when what is there has other
  // signals or fewer rows or comes from another run, as far as the format can tell by its facts or by the last of the
  // rows (null: not known), and when the format cannot go on.
  virtual bool resume(const Header&, std::uint64_t /*rows*/, const KnownRow* /*last*/) { return false; }
  // `row` holds one element per signal: in the column of its type, in the order of the header's signals. Times do not
  // decrease; equal times are event iterations in order.
  virtual void write(Time t, const Columns& row) = 0;
  // The same for many rows at once. Sinks that gain nothing by it return false, and are given the rows one by one.
  virtual bool write_batch(const RowBatch&) { return false; }
  // Everything written so far reaches the file. Throws Error (run) when the disk is full.
  virtual void flush() = 0;
  // Any number of tables of different names, after the last row and before end(); formats that have no place for them
  // leave them out.
  virtual void add_table(const Table&) {}
  // Once, after the last row, also after a failure.
  virtual void end() = 0;
  // What the format could not keep, in plain words for the user; complete after begin().
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
};

}  // namespace consort::record
