#include "input/table.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "input/table_builder.hpp"

namespace consort::input {

InputTable InputTable::read(const std::filesystem::path& path, const describe::Description& description,
                            const TableOptions& options, Diagnostics* diagnostics) {
  return from(read_csv(path), description, options, diagnostics);
}

InputTable InputTable::from(CsvTable cells, const describe::Description& description, const TableOptions& options,
                            Diagnostics* diagnostics) {
  return TableBuilder(std::move(cells), description, options, diagnostics).build();
}

InputTable InputTable::parse(std::string_view text, std::string name, const describe::Description& description,
                             const TableOptions& options, Diagnostics* diagnostics) {
  return from(parse_csv(std::string(text), std::move(name)), description, options, diagnostics);
}

// --- position of t

std::size_t InputTable::locate(Time t, Cursor& cursor) const {
  constexpr int near = 4;
  std::size_t row = std::min(cursor.row_, times_.size() - 1);
  if (times_[row] <= t) {
    for (int i = 0; i < near && row + 1 < times_.size() && times_[row + 1] <= t; ++i) ++row;
  }
  const bool found = times_[row] <= t && (row + 1 == times_.size() || times_[row + 1] > t);
  if (!found) row = static_cast<std::size_t>(std::upper_bound(times_.begin(), times_.end(), t) - times_.begin()) - 1;
  cursor.row_ = row;
  return row;
}

std::size_t InputTable::first_row_of(Time t, std::size_t last) const {
  if (last == 0 || times_[last - 1] < t) return last;
  return static_cast<std::size_t>(std::lower_bound(times_.begin(), times_.end(), t) - times_.begin());
}

InputTable::Place InputTable::place(Time t, Side side, Cursor& cursor) const {
  CONSORT_ASSERT(!std::isnan(t));
  if (t < times_.front()) return {};
  std::size_t left = locate(t, cursor);
  if (times_[left] == t && side == Side::before) {
    const std::size_t right = first_row_of(t, left);
    return right == 0 ? Place{} : Place{right - 1, right, 1};
  }
  const std::size_t right = std::min(left + 1, times_.size() - 1);
  if (left == right) return {left, left, 0};
  return {left, right, (t - times_[left]) / (times_[right] - times_[left])};
}

// --- values

template <class T>
double InputTable::line(const Place& place, std::uint32_t index) const {
  const std::vector<T>& cells = cells_.column<T>();
  const std::size_t stride = width(type_of<T>);
  const auto from = static_cast<double>(cells[place.left * stride + index]);
  const auto to = static_cast<double>(cells[place.right * stride + index]);
  if (place.fraction == 0) return from;  // exact at the time of a row
  if (place.fraction == 1) return to;
  return from + place.fraction * (to - from);
}

void InputTable::at(Time t, Side side, Cursor& cursor, Columns& values) const {
  if (times_.empty()) return;
  const Place here = place(t, side, cursor);
  for (const Type type : types_) {
    with_type(type, [&]<class T>() {
      const auto row = cells_.column<T>().begin() + static_cast<std::ptrdiff_t>(here.left * width(type));
      values.column<T>().resize(width(type));
      std::copy_n(row, width(type), values.column<T>().begin());
    });
  }
  for (const Linear& linear : linear_) {
    if (linear.type == Type::Float64) {
      values.column<double>()[linear.index] = line<double>(here, linear.index);
    } else {
      values.column<float>()[linear.index] = static_cast<float>(line<float>(here, linear.index));
    }
  }
  if (width(Type::Clock) > 0) tick(t, side, cursor, values.column<Tick>());
}

void InputTable::tick(Time t, Side side, const Cursor& cursor, std::vector<Tick>& ticks) const {
  std::fill(ticks.begin(), ticks.end(), Tick(false));
  const std::size_t last = cursor.row_;
  if (side == Side::before || times_[last] != t) return;
  for (std::size_t row = first_row_of(t, last); row <= last; ++row) {
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      if (cells_.column<Tick>()[row * ticks.size() + i]) ticks[i] = true;
    }
  }
}

void InputTable::slopes(Time t, Side side, Cursor& cursor, std::vector<double>& slopes) const {
  slopes.assign(width(Type::Float64), 0.0);
  if (times_.empty()) return;
  const Place here = place(t, side, cursor);
  if (here.left == here.right) return;
  const Duration length = times_[here.right] - times_[here.left];
  const std::vector<double>& cells = cells_.column<double>();
  const std::size_t stride = slopes.size();
  for (const Linear& linear : linear_) {
    if (linear.type != Type::Float64) continue;
    const double rise = cells[here.right * stride + linear.index] - cells[here.left * stride + linear.index];
    slopes[linear.index] = rise / length;
  }
}

std::optional<Time> InputTable::next_event_after(Time t) const {
  const auto next = std::upper_bound(events_.begin(), events_.end(), t);
  if (next == events_.end()) return std::nullopt;
  return *next;
}

}  // namespace consort::input
