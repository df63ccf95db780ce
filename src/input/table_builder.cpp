#include "input/table_builder.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <tuple>

#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consort::input {

using describe::Variable;

InputTable TableBuilder::build() {
  read_header();
  check_sources();
  lay_out();
  read_times();
  read_cells();
  find_events();
  return std::move(table_);
}

// --- the header: elements of the columns

void TableBuilder::read_header() {
  const std::string& first = csv_.header().front();
  const describe::VariableId named = description_.find(first);
  require(named == describe::no_variable || !description_[named].is_settable_at_run_time(),
          "{}: the first column must be the time, but '{}' is a variable of the model; put a column \"time\" before it",
          csv_.name(), first);
  for (std::size_t column = 1; column < csv_.columns(); ++column) add_source(column);
  std::sort(sources_.begin(), sources_.end(), [](const Source& a, const Source& b) {
    return std::tie(a.variable, a.element, a.column) < std::tie(b.variable, b.element, b.column);
  });
}

void TableBuilder::add_source(std::size_t column) {
  const std::string& name = csv_.header()[column];
  if (options_.allow_unknown && description_.find(name) == describe::no_variable) return;
  Source source = address(name);
  source.column = column;
  const Variable& v = description_[source.variable];
  if (v.is_settable_at_run_time()) {
    sources_.push_back(source);
    return;
  }
  const std::string what = fmt::format("'{}' cannot be set while the model runs (causality {}, variability {})", name,
                                       describe::name_of(v.causality), describe::name_of(v.variability));
  if (!options_.allow_unsettable) {
    throw input_error("{}: column {}: {}; remove the column, or give the value as a start value", csv_.name(),
                      column + 1, what);
  }
  if (diagnostics_ != nullptr) {
    diagnostics_->add(
        {Severity::warning, csv_.name(), 1, "input table: settable variables", what + "; column ignored"});
  }
}

// The whole name is tried first because a scalar's name may end in brackets ("u[1]" in FMI 1 and 2).
TableBuilder::Source TableBuilder::address(std::string_view name) const {
  const describe::VariableId whole = description_.find(name);
  if (whole != describe::no_variable) {
    const Variable& v = description_[whole];
    require(!v.is_array(), "{}: '{}' is an array of {} elements; give each a column: '{}[1]', …", csv_.name(), name,
            element_count(v), name);
    return {whole, 0, 0};
  }
  const std::size_t open = name.rfind('[');
  if (open != std::string_view::npos && name.back() == ']') {
    const describe::VariableId id = description_.find(trim(name.substr(0, open)));
    if (id != describe::no_variable && description_[id].is_array()) {
      const std::string_view indices = name.substr(open + 1, name.size() - open - 2);
      return {id, element(name, indices, description_[id]), 0};
    }
  }
  try {
    return {description_.require_variable(name), 0, 0};  // throws
  } catch (const Error& error) {
    throw input_error("{}: header: {}", csv_.name(), error.what());
  }
}

// FMI 3.0, 2.2.6.1: row-major order, so the last index changes fastest.
std::uint64_t TableBuilder::element(std::string_view name, std::string_view indices, const Variable& v) const {
  const auto dimensions = description_.dimensions_of(v);
  const auto parts = split(indices, ',');
  require(parts.size() == dimensions.size(),
          "{}: '{}' has {} indices, but the variable has {} dimensions; correct the header", csv_.name(), name,
          parts.size(), dimensions.size());
  std::uint64_t element = 0;
  for (std::size_t d = 0; d < parts.size(); ++d) {
    const std::string_view part = trim(parts[d]);
    const std::uint64_t size = size_of(dimensions[d]);
    std::uint64_t index = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    require(error == std::errc() && end == part.data() + part.size() && index >= 1 && index <= size,
            "{}: '{}': the index '{}' is not between 1 and {}; correct the header", csv_.name(), name, part, size);
    element = element * size + (index - 1);
  }
  return element;
}

std::uint64_t TableBuilder::size_of(const describe::Dimension& dimension) const {
  if (!dimension.is_reference) return dimension.size;
  if (const auto given = options_.structural.find(dimension.reference); given != options_.structural.end())
    return given->second;
  const describe::VariableId id = description_.find(dimension.reference, Type::UInt64);
  if (id == describe::no_variable) return 0;
  const Value* start = description_.start(description_[id]);
  return start == nullptr || start->size() != 1 ? 0 : start->elements<std::uint64_t>().front();
}

std::uint64_t TableBuilder::element_count(const Variable& v) const {
  if (options_.structural.empty()) return description_.element_count(v);
  // A bound that keeps the product from overflowing; no file has so many columns.
  constexpr std::uint64_t most = 1U << 30;
  std::uint64_t count = 1;
  for (const auto& dimension : description_.dimensions_of(v))
    count = std::min(most, count * std::min(most, size_of(dimension)));
  return count;
}

void TableBuilder::check_sources() const {
  for (std::size_t i = 1; i < sources_.size(); ++i) {
    const Source& a = sources_[i - 1];
    const Source& b = sources_[i];
    require(a.variable != b.variable || a.element != b.element,
            "{}: columns {} ('{}') and {} ('{}') give values to the same variable; remove one of them", csv_.name(),
            a.column + 1, csv_.header()[a.column], b.column + 1, csv_.header()[b.column]);
  }
  for (std::size_t i = 0; i < sources_.size();) {
    const describe::VariableId id = sources_[i].variable;
    std::size_t end = i;
    while (end < sources_.size() && sources_[end].variable == id) ++end;
    const Variable& v = description_[id];
    require(end - i == element_count(v),
            "{}: the array '{}' has {} elements, but only {} of them have a column; add the others", csv_.name(),
            v.name, element_count(v), end - i);
    i = end;
  }
}

void TableBuilder::lay_out() {
  for (const Source& source : sources_) {
    const Variable& v = description_[source.variable];
    if (source.element == 0) {
      table_.variables_.push_back(source.variable);
      table_.sizes_.push_back(element_count(v));
    }
    std::size_t& width = table_.widths_[static_cast<std::size_t>(v.type)];
    if (is_float(v.type) && v.variability == describe::Variability::continuous) {
      table_.linear_.push_back({v.type, static_cast<std::uint32_t>(width)});
    }
    ++width;
  }
  for (std::size_t i = 0; i < type_count; ++i) {
    if (table_.widths_[i] > 0) table_.types_.push_back(static_cast<Type>(i));
  }
}

// --- the rows

void TableBuilder::read_times() {
  require(csv_.rows() > 0, "{}: the table has a header but no rows; add at least one", csv_.name());
  std::vector<Time>& times = table_.times_;
  times.resize(csv_.rows());
  for (std::size_t row = 0; row < csv_.rows(); ++row) {
    times[row] = csv_.number(row, 0);
    if (!std::isfinite(times[row])) csv_.refuse(row, 0, "the time must be a finite number");
    if (row > 0 && times[row] < times[row - 1]) {
      csv_.refuse(row, 0,
                  fmt::format("the time goes back from {} to {}; sort the rows by time", times[row - 1], times[row]));
    }
  }
}

void TableBuilder::read_cells() {
  for (const Type type : table_.types_) {
    with_type(type, [&]<class T>() { table_.cells_.column<T>().resize(csv_.rows() * table_.width(type)); });
  }
  std::array<std::size_t, type_count> next{};
  for (const Source& source : sources_) {
    const Type type = description_[source.variable].type;
    with_type(type, [&]<class T>() { read_column<T>(source, next[static_cast<std::size_t>(type)]++); });
  }
}

template <class T>
void TableBuilder::read_column(const Source& source, std::size_t index) {
  std::vector<T>& cells = table_.cells_.column<T>();
  const std::size_t width = table_.width(type_of<T>);
  for (std::size_t row = 0; row < csv_.rows(); ++row) cells[row * width + index] = cell<T>(row, source);
}

template <class T>
T TableBuilder::cell(std::size_t row, const Source& source) const {
  if constexpr (std::is_same_v<T, EnumValue>) {
    return item(row, source);
  } else if constexpr (std::is_base_of_v<Bool, T>) {
    if (iequals(csv_.cell(row, source.column), "true")) return true;
    if (iequals(csv_.cell(row, source.column), "false")) return false;
    const auto value = whole_number<std::uint8_t>(row, source.column);
    if (value > 1) csv_.refuse(row, source.column, "expected 0, 1, true or false");
    return value == 1;
  } else if constexpr (std::is_integral_v<T>) {
    return whole_number<T>(row, source.column);
  } else {
    return csv_.element<T>(row, source.column);
  }
}

// Some tools write whole numbers as "1", others as "1.0000000000000000E+00".
template <class T>
T TableBuilder::whole_number(std::size_t row, std::size_t column) const {
  const std::string_view text = csv_.cell(row, column);
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  const double number = csv_.number(row, column);
  // Both bounds are exact as doubles because the largest T plus 1 is a power of two.
  const double below = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (std::nearbyint(number) != number || number >= below ||
      number < static_cast<double>(std::numeric_limits<T>::min())) {
    csv_.refuse(row, column, fmt::format("'{}' is not a whole number that fits {}", text, name_of(type_of<T>)));
  }
  return static_cast<T>(number);
}

EnumValue TableBuilder::item(std::size_t row, const Source& source) const {
  const std::string_view text = csv_.cell(row, source.column);
  const std::uint32_t type = description_[source.variable].declared_type;
  std::vector<std::string_view> names;
  if (type != describe::no_type) {
    for (const auto& candidate : description_.types[type].items) {
      if (candidate.name == text) return candidate.value;
      names.push_back(candidate.name);
    }
  }
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return whole_number<std::int64_t>(row, source.column);
  csv_.refuse(row, source.column,
              fmt::format("'{}' is neither a number nor an item of the enumeration ({}){}", text,
                          fmt::join(names, ", "), suggestion(text, names)));
}

// --- events

template <class T>
void TableBuilder::mark_changes(std::vector<bool>& event) const {
  const std::vector<T>& cells = table_.cells_.column<T>();
  const std::size_t width = table_.width(type_of<T>);
  std::vector<bool> linear(width, false);
  for (const auto& l : table_.linear_) {
    if (l.type == type_of<T>) linear[l.index] = true;
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (linear[i % width]) continue;
    if constexpr (std::is_same_v<T, Tick>) {
      if (cells[i]) event[i / width] = true;
    } else {
      if (i >= width && cells[i] != cells[i - width]) event[i / width] = true;
    }
  }
}

void TableBuilder::find_events() {
  const std::vector<Time>& times = table_.times_;
  std::vector<bool> event(times.size(), false);
  for (std::size_t row = 1; row < times.size(); ++row) event[row] = times[row] == times[row - 1];
  for (const Type type : table_.types_) {
    with_type(type, [&]<class T>() { mark_changes<T>(event); });
  }
  for (std::size_t row = 0; row < times.size(); ++row) {
    if (event[row] && (table_.events_.empty() || table_.events_.back() != times[row]))
      table_.events_.push_back(times[row]);
  }
}

}  // namespace consort::input
