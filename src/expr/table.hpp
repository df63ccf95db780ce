// A table of two columns, interpolated linearly: table(name, x) in expressions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "describe/measure.hpp"

namespace consort::expr {

// A unit of measure by its name and definition.
struct Unit {
  std::string name;
  describe::BaseUnit base;
};

class Table {
 public:
  // Throws Error (input), with `name` (the table's, or that of its file), unless there are as many y as x, at least one
  // of each, all finite, and x grows from row to row. The units of the columns are optional; numbers of a column
  // without a unit stay as they are.
  Table(const std::string& name, std::vector<double> x, std::vector<double> y, std::optional<Unit> unit_of_x = {},
        std::optional<Unit> unit_of_y = {});

  // Before the first and after the last row the values are those of that row. NaN for NaN.
  [[nodiscard]] double value(double x) const;
  // At a row, the slope to the right of it; 0 outside of the rows.
  [[nodiscard]] double slope(double x) const;

  [[nodiscard]] const std::vector<double>& x() const { return x_; }
  [[nodiscard]] const std::vector<double>& y() const { return y_; }
  [[nodiscard]] const std::optional<Unit>& unit_of_x() const { return unit_of_x_; }
  [[nodiscard]] const std::optional<Unit>& unit_of_y() const { return unit_of_y_; }

 private:
  [[nodiscard]] std::size_t row_before(double x) const;  // the last row at or before x, which lies inside the rows

  std::vector<double> x_;
  std::vector<double> y_;
  std::optional<Unit> unit_of_x_;
  std::optional<Unit> unit_of_y_;
};

}  // namespace consort::expr
