#include "record/csv/csv_reader.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_set>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace consort::record {

namespace {

std::optional<double> truth(std::string_view cell) {
  if (iequals(cell, "true")) return 1.0;
  if (iequals(cell, "false")) return 0.0;
  return std::nullopt;
}

// Returns nullopt if the cell is not a number. An empty cell means that the value was not recorded.
std::optional<double> number(std::string_view cell) {
  if (cell.empty()) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error == std::errc() && end == cell.data() + cell.size()) return value;
  try {  // less common spellings
    return parse_element<double>(cell);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::vector<Time> times(const CsvTable& table) {
  std::vector<Time> time(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    time[row] = table.number(row, 0);
    if (!std::isfinite(time[row])) table.refuse(row, 0, "the time must be a finite number");
    if (row > 0 && time[row] < time[row - 1]) {
      table.refuse(row, 0,
                   fmt::format("the time goes back from {} to {}; sort the rows by time", time[row - 1], time[row]));
    }
  }
  return time;
}

Result::Trajectory texts(const CsvTable& table, std::size_t column) {
  Result::Trajectory trajectory;
  trajectory.signal = {table.header()[column], Type::String, "", "", true};
  trajectory.texts.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) trajectory.texts.emplace_back(table.cell(row, column));
  return trajectory;
}

Result::Trajectory trajectory(const CsvTable& table, std::size_t column) {
  Result::Trajectory trajectory;
  trajectory.signal.name = table.header()[column];
  trajectory.numbers.reserve(table.rows());
  std::size_t words = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::optional<double> value = truth(table.cell(row, column));
    if (value) {
      ++words;
    } else {
      value = number(table.cell(row, column));
    }
    if (!value) return texts(table, column);
    trajectory.numbers.push_back(*value);
  }
  if (words > 0 && words == table.rows()) {
    trajectory.signal.type = Type::Boolean;
    trajectory.signal.discrete = true;
  }
  return trajectory;
}

}  // namespace

Result read_csv_result(const std::filesystem::path& path) {
  const CsvTable table = read_csv(path);
  std::unordered_set<std::string_view> names;
  for (std::size_t column = 1; column < table.columns(); ++column) {
    require(names.insert(table.header()[column]).second,
            "{}: the header has the name '{}' twice; give each signal a unique name", table.name(),
            table.header()[column]);
  }
  Result result;
  result.time = times(table);
  result.trajectories.reserve(table.columns());
  for (std::size_t column = 1; column < table.columns(); ++column) {
    result.trajectories.push_back(trajectory(table, column));
  }
  return result;
}

}  // namespace consort::record
