// Inputs over time from a table, as in the FMI cross-check: comma separated, time first, quoted names in the header.
//
//   "time","u","mode"
//   0,0,1
//   2,4,1
//   2,0,2        a repeated time is an event: u jumps from 4 to 0, mode becomes 2
//   3,1,2
//
// Continuous floats move linearly from row to row; everything else holds the value of the last row. Before the first
// and after the last row all values stay what they are there. A clock ticks at the rows that say 1 and at no other
// time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/time.hpp"
#include "base/value.hpp"
#include "describe/description.hpp"

namespace consort::input {

// Which limit is meant where values jump. Before: the values on the way to t; after: those on the way from it.
enum class Side : std::uint8_t { before, after };

struct TableOptions {
  // Columns of variables that cannot be set while the unit runs are left out with a Diagnostic instead of refused.
  bool allow_unsettable = false;
  // Structural parameters that will have other values than their start values: the arrays have the sizes of these.
  std::unordered_map<ValueReference, std::uint64_t> structural{};
};

// Immutable after reading: may be shared by threads, each with a Cursor of its own.
class InputTable {
 public:
  // Remembers where the last look-up was, so that times in order are found in constant time.
  class Cursor {
    friend class InputTable;
    std::size_t row_ = 0;
  };

  InputTable() = default;  // no variables, no rows

  // Columns name scalar variables, or elements of arrays by 1-based indices ("u[1]", "A[2,3]"), all of them. Throws
  // Error (input) with line and column for what is not a table for this description. `diagnostics` may be null.
  [[nodiscard]] static InputTable read(const std::filesystem::path& path, const describe::Description& description,
                                       const TableOptions& options = {}, Diagnostics* diagnostics = nullptr);
  // The same for a text; `name` stands for the file in messages.
  [[nodiscard]] static InputTable parse(std::string_view text, std::string name,
                                        const describe::Description& description, const TableOptions& options = {},
                                        Diagnostics* diagnostics = nullptr);

  // In the order of declaration. Each takes as many elements (row-major) of the column of its type as it has.
  [[nodiscard]] const std::vector<describe::VariableId>& variables() const { return variables_; }
  // Elements of each of them.
  [[nodiscard]] const std::vector<std::uint64_t>& sizes() const { return sizes_; }
  [[nodiscard]] std::size_t rows() const { return times_.size(); }
  [[nodiscard]] const std::vector<Time>& times() const { return times_; }

  // All values at t, in the layout of variables(); resizes `values` at the first call and allocates nothing later,
  // except for texts and binaries that are longer than all before. Columns of types that the table does not have are
  // not touched.
  void at(Time t, Side side, Cursor& cursor, Columns& values) const;
  // The slopes of the Float64 elements in the order of their column: 0 for those that hold and outside of the rows.
  void slopes(Time t, Side side, Cursor& cursor, std::vector<double>& slopes) const;
  // The first time after t at which something happens that is not continuous: a repeated time, a change of a value that
  // holds, a tick.
  [[nodiscard]] std::optional<Time> next_event_after(Time t) const;

 private:
  friend class TableBuilder;
  struct Linear {
    Type type = Type::Float64;  // or Float32
    std::uint32_t index = 0;    // in the column of its type
  };
  // Where t is among the rows, seen from one side. What holds has the value of `left`; lines go from `left` to `right`,
  // which are the same row outside of the table.
  struct Place {
    std::size_t left = 0;
    std::size_t right = 0;
    double fraction = 0;  // of the way from left to right
  };
  [[nodiscard]] Place place(Time t, Side side, Cursor& cursor) const;
  // The last row whose time is not after t, which is not before the first row.
  [[nodiscard]] std::size_t locate(Time t, Cursor& cursor) const;
  [[nodiscard]] std::size_t first_row_of(Time t, std::size_t last) const;
  template <class T>
  [[nodiscard]] double line(const Place& place, std::uint32_t index) const;
  void tick(Time t, Side side, const Cursor& cursor, std::vector<Tick>& ticks) const;
  [[nodiscard]] std::size_t width(Type type) const { return widths_[static_cast<std::size_t>(type)]; }

  std::vector<describe::VariableId> variables_;
  std::vector<std::uint64_t> sizes_;
  std::vector<Time> times_;
  Columns cells_;                                 // per type: rows one after another
  std::vector<Type> types_;                       // those that occur
  std::array<std::size_t, type_count> widths_{};  // elements per row
  std::vector<Linear> linear_;
  std::vector<Time> events_;
};

}  // namespace consort::input
