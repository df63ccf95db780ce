#include "expr/table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consort::expr {

Table::Table(const std::string& name, std::vector<double> x, std::vector<double> y, std::optional<Unit> unit_of_x,
             std::optional<Unit> unit_of_y)
    : x_(std::move(x)), y_(std::move(y)), unit_of_x_(std::move(unit_of_x)), unit_of_y_(std::move(unit_of_y)) {
  require(!x_.empty() && x_.size() == y_.size(),
          "table {}: {} values of x and {} of y; give as many of each, and at least one row", quote(name), x_.size(),
          y_.size());
  for (std::size_t i = 0; i < x_.size(); ++i) {
    require(std::isfinite(x_[i]) && std::isfinite(y_[i]), "table {}, row {}: ({}, {}) is not finite; correct the row",
            quote(name), i + 1, x_[i], y_[i]);
    if (i > 0 && !(x_[i] > x_[i - 1]))
      throw input_error("table {}, row {}: x = {} does not grow after {}; sort the rows by x and use each x once",
                        quote(name), i + 1, x_[i], x_[i - 1]);
  }
}

std::size_t Table::row_before(double x) const {
  return static_cast<std::size_t>(std::upper_bound(x_.begin(), x_.end(), x) - x_.begin()) - 1;
}

double Table::value(double x) const {
  if (std::isnan(x)) return x;
  if (x <= x_.front()) return y_.front();
  if (x >= x_.back()) return y_.back();
  const auto i = row_before(x);
  return std::lerp(y_[i], y_[i + 1], (x - x_[i]) / (x_[i + 1] - x_[i]));
}

double Table::slope(double x) const {
  if (std::isnan(x)) return x;
  if (x < x_.front() || x >= x_.back()) return 0;
  const auto i = row_before(x);
  return (y_[i + 1] - y_[i]) / (x_[i + 1] - x_[i]);
}

}  // namespace consort::expr
