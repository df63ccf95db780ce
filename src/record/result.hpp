// A complete run in memory: filled by MemorySink or by the readers of result files.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.hpp"
#include "record/sink.hpp"

namespace consort::record {

class Result {
 public:
  struct Trajectory {
    Signal signal;
    std::vector<double> numbers;     // one per row, unless the type is String or Binary (Booleans: 0 and 1)
    std::vector<std::string> texts;  // one per row for String and Binary (hexadecimal)
    [[nodiscard]] bool is_text() const { return signal.type == Type::String || signal.type == Type::Binary; }
  };

  std::vector<Time> time;
  std::vector<Trajectory> trajectories;  // in the order of the header
  std::vector<Fact> facts;
  std::vector<Table> tables;  // filled by MemorySink and by readers of formats with tables

  [[nodiscard]] std::size_t rows() const { return time.size(); }
  [[nodiscard]] const Trajectory* find(std::string_view name) const;  // null: no such signal
  // Throws Error (input) that suggests similar names if there is no such signal.
  [[nodiscard]] const Trajectory& operator[](std::string_view name) const;
};

// Collects rows in a Result, which must outlive the sink.
class MemorySink : public Sink {
 public:
  // `goes_on`: resume() succeeds, although the result does not contain the rows before the checkpoint.
  explicit MemorySink(Result& result, bool goes_on = false) : result_(result), goes_on_(goes_on) {}
  void begin(const Header& header) override;
  bool resume(const Header& header, std::uint64_t, const KnownRow*) override {
    if (goes_on_) begin(header);
    return goes_on_;
  }
  void write(Time t, const Columns& row) override;
  void flush() override {}
  void add_table(const Table& table) override { result_.tables.push_back(table); }
  void end() override {}

 private:
  Result& result_;
  bool goes_on_;
};

}  // namespace consort::record
