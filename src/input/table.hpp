// Inputs over time from a table, as in the FMI cross-check: comma separated, time first, quoted names in the header.
//
//   "time","u","mode"
//   0,0,1
//   2,4,1
//   2,0,2        a repeated time is an event: u jumps from 4 to 0, mode becomes 2
//   3,1,2
//
// Continuous floats are interpolated linearly between rows; all other variables keep the value of the last row. Before
// the first and after the last row, all values are those of that row. A clock ticks only at rows with the value 1.
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

#include "base/csv.hpp"
#include "base/diagnostic.hpp"
#include "base/time.hpp"
#include "base/value.hpp"
#include "describe/description.hpp"

namespace consort::input {

// Selects the limit at a jump. Before: the values just before t; after: those just after t.
enum class Side : std::uint8_t { before, after };

struct TableOptions {
  // Columns of variables that cannot be set while the unit runs are skipped with a Diagnostic instead of an error.
  bool allow_unsettable = false;
  // Columns with unknown names are skipped.
  bool allow_unknown = false;
  // Values of structural parameters that differ from their start values; they determine the sizes of arrays.
  std::unordered_map<ValueReference, std::uint64_t> structural{};
};

// Immutable after reading: threads may share a table, but each needs its own Cursor.
class InputTable {
 public:
  // Remembers the last row found, so that lookups in order of time take constant time.
  class Cursor {
    friend class InputTable;
    std::size_t row_ = 0;
  };

  InputTable() = default;  // no variables, no rows

  // A column names a scalar variable, or an element of an array by 1-based indices ("u[1]", "A[2,3]"); every element of
  // an array needs a column. Throws Error (input) with line and column if the text is not a table for this description.
  // `diagnostics` may be null.
  [[nodiscard]] static InputTable read(const std::filesystem::path& path, const describe::Description& description,
                                       const TableOptions& options = {}, Diagnostics* diagnostics = nullptr);
  // The same for cells that were read already.
  [[nodiscard]] static InputTable from(CsvTable cells, const describe::Description& description,
                                       const TableOptions& options = {}, Diagnostics* diagnostics = nullptr);
  // The same for a text; `name` is used instead of the file in messages.
  [[nodiscard]] static InputTable parse(std::string_view text, std::string name,
                                        const describe::Description& description, const TableOptions& options = {},
                                        Diagnostics* diagnostics = nullptr);

  // In the order of declaration. In at(), each variable occupies its elements (row-major) in the column of its type.
  [[nodiscard]] const std::vector<describe::VariableId>& variables() const { return variables_; }
  // Number of elements per variable.
  [[nodiscard]] const std::vector<std::uint64_t>& sizes() const { return sizes_; }
  [[nodiscard]] std::size_t rows() const { return times_.size(); }
  [[nodiscard]] const std::vector<Time>& times() const { return times_; }

  // All values at t, in the layout of variables(). The first call resizes `values`; later calls allocate only for texts
  // and binaries longer than any before. Columns of types that the table does not have are not changed.
  void at(Time t, Side side, Cursor& cursor, Columns& values) const;
  // The slopes of the Float64 elements in the order of their column: 0 for discrete elements and outside of the rows.
  void slopes(Time t, Side side, Cursor& cursor, std::vector<double>& slopes) const;
  // The first event after t: a repeated time, a change of a discrete value, or a tick. nullopt: none.
  [[nodiscard]] std::optional<Time> next_event_after(Time t) const;

 private:
  friend class TableBuilder;
  struct Linear {
    Type type = Type::Float64;  // or Float32
    std::uint32_t index = 0;    // in the column of its type
  };
  // Position of t among the rows, seen from one side. Discrete values are those of row `left`; continuous ones go
  // linearly from `left` to `right`. Outside of the table, both are the same row.
  struct Place {
    std::size_t left = 0;
    std::size_t right = 0;
    double fraction = 0;  // from 0 at `left` to 1 at `right`
  };
  [[nodiscard]] Place place(Time t, Side side, Cursor& cursor) const;
  // The last row whose time is <= t. t must not be before the first row.
  [[nodiscard]] std::size_t locate(Time t, Cursor& cursor) const;
  [[nodiscard]] std::size_t first_row_of(Time t, std::size_t last) const;
  template <class T>
  [[nodiscard]] double line(const Place& place, std::uint32_t index) const;
  void tick(Time t, Side side, const Cursor& cursor, std::vector<Tick>& ticks) const;
  [[nodiscard]] std::size_t width(Type type) const { return widths_[static_cast<std::size_t>(type)]; }

  std::vector<describe::VariableId> variables_;
  std::vector<std::uint64_t> sizes_;
  std::vector<Time> times_;
  Columns cells_;                                 // per type: all rows in order
  std::vector<Type> types_;                       // types that occur
  std::array<std::size_t, type_count> widths_{};  // elements per row
  std::vector<Linear> linear_;
  std::vector<Time> events_;
};

}  // namespace consort::input
