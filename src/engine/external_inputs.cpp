#include "engine/external_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "couple/point.hpp"

namespace consort::engine {

ExternalInputs::ExternalInputs(const graph::Plan& plan, CsvTable table, std::string_view element, Duration near,
                               bool polynomials)
    : plan_(&plan), near_(near), polynomials_(polynomials), description_(std::make_shared<describe::Description>()) {
  auto& d = *description_;
  d.model_name = plan.name;
  for (std::uint32_t s = 0; s < plan.externals.size(); ++s) {
    const auto& signal = plan.externals[s];
    if (signal.element_path() != element) continue;
    signals_.push_back(s);
    describe::Variable v;
    v.name = d.arena().store(signal.column);
    v.reference = static_cast<ValueReference>(d.variables.size());
    v.type = signal.type;
    v.causality = describe::Causality::input;
    v.variability = signal.discrete ? describe::Variability::discrete : describe::Variability::continuous;
    if (signal.count != 1) {
      v.dimensions = {static_cast<std::uint32_t>(d.dimensions.size()), 1};
      d.dimensions.push_back({signal.count, 0, false});
    }
    d.variables.push_back(v);
  }
  d.finish();
  table_ = std::make_shared<input::InputTable>(
      input::InputTable::from(std::move(table), d, {.allow_unknown = !element.empty()}));
  find_lines(plan);
}

// Finds the inputs that the table drives, and their scaling.
void ExternalInputs::find_lines(const graph::Plan& plan) {
  slopes_.resize(plan.output_count[float64]);
  std::vector<bool> is_external(slopes_.size(), false);
  for (const auto id : table_->variables()) {
    const auto& signal = this->signal(id);
    if (signal.type != Type::Float64) continue;
    for (std::uint32_t e = 0; e < signal.count; ++e) is_external[signal.element + e] = true;
  }
  const auto continuous = couple::continuous_inputs(plan);
  for (std::uint32_t input = 0; input < plan.input_count[float64]; ++input) {
    const auto source = plan.sources[float64][input];
    if (source == graph::no_source || !is_external[source] || !continuous[input]) continue;
    const auto scaling = plan.scaling_of(input);
    lines_.push_back({input, source, scaling.factor, scaling.offset});
  }
}

namespace {

// Divides a table into intervals in which a straight line from the beginning to any row is near all rows in between. A
// row is near if the line's slope is within the limits that the earlier rows set for each element.
class Chords {
 public:
  // `near`: by element; elements with a negative distance are left out.
  explicit Chords(std::vector<double> near) : near_(std::move(near)), low_(near_.size()), high_(near_.size()) {}
  void begin(Time t, const std::vector<double>& values) {
    t_ = t;
    values_ = values;
    std::fill(low_.begin(), low_.end(), -std::numeric_limits<double>::infinity());
    std::fill(high_.begin(), high_.end(), std::numeric_limits<double>::infinity());
  }
  // False if the line to this row is far from an earlier one: the interval has to end at the row before.
  bool reaches(Time t, const std::vector<double>& values) {
    const Duration h = t - t_;
    if (h <= 0) return true;
    for (std::size_t i = 0; i < near_.size(); ++i) {
      const double slope = (values[i] - values_[i]) / h;
      if (near_[i] >= 0 && (slope < low_[i] || slope > high_[i])) return false;
    }
    for (std::size_t i = 0; i < near_.size(); ++i) {
      low_[i] = std::max(low_[i], (values[i] - near_[i] - values_[i]) / h);
      high_[i] = std::min(high_[i], (values[i] + near_[i] - values_[i]) / h);
    }
    return true;
  }

 private:
  std::vector<double> near_;
  Time t_ = 0;
  std::vector<double> values_, low_, high_;
};

}  // namespace

void ExternalInputs::find_corners() {
  std::vector<double> low, high;
  input::InputTable::Cursor cursor;
  for (const Time t : table_->times()) {
    table_->at(t, input::Side::after, cursor, values_);
    const auto& values = values_.column<double>();
    if (low.empty()) low = high = values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      low[i] = std::min(low[i], values[i]);
      high[i] = std::max(high[i], values[i]);
    }
  }
  std::vector<double> range(low.size());
  for (std::size_t i = 0; i < range.size(); ++i) range[i] = high[i] - low[i];
  find_bends(range);
  find_ends_of_chords(range);
  std::sort(corners_.begin(), corners_.end());
  corners_.erase(std::unique(corners_.begin(), corners_.end()), corners_.end());
}

// Rows at which the slope changes.
void ExternalInputs::find_bends(const std::vector<double>& range) {
  constexpr double smooth = 1e-3;  // maximum change of direction within an interval, relative to the range
  const auto& times = table_->times();
  input::InputTable::Cursor cursor;
  std::vector<double> before, after;
  for (std::size_t row = 1; row + 1 < times.size(); ++row) {
    const Duration interval = std::min(times[row] - times[row - 1], times[row + 1] - times[row]);
    table_->slopes(times[row], input::Side::before, cursor, before);
    table_->slopes(times[row], input::Side::after, cursor, after);
    for (std::size_t i = 0; i < before.size() && i < range.size(); ++i) {
      if (std::abs(after[i] - before[i]) * interval <= smooth * range[i]) continue;
      corners_.push_back(times[row]);
      break;
    }
  }
}

// Rows between which no step can pass over a feature of a table with many rows: a step sees only the table's values at
// its ends, so a step over a whole period of an oscillation sees none of it.
void ExternalInputs::find_ends_of_chords(const std::vector<double>& range) {
  constexpr double most = 1e-2;  // distance of a table from straight lines, relative to the range
  std::vector<double> near(range.size());
  std::transform(range.begin(), range.end(), near.begin(), [](double r) { return most * r; });
  std::size_t i = 0;
  for (const auto id : table_->variables()) {
    const auto& signal = this->signal(id);
    if (signal.type != Type::Float64) continue;
    if (signal.discrete) std::fill_n(near.begin() + static_cast<std::ptrdiff_t>(i), signal.count, -1.0);
    i += signal.count;
  }
  Chords chords(std::move(near));
  input::InputTable::Cursor cursor;
  const auto begin = [&](Time t) {
    table_->at(t, input::Side::after, cursor, values_);
    chords.begin(t, values_.column<double>());
  };
  const auto& times = table_->times();
  const auto bends = corners_;
  begin(times.front());
  for (std::size_t row = 1; row < times.size(); ++row) {
    table_->at(times[row], input::Side::before, cursor, later_);
    if (!chords.reaches(times[row], later_.column<double>())) {
      corners_.push_back(times[row - 1]);
      begin(times[row - 1]);
      chords.reaches(times[row], later_.column<double>());
    }
    const auto event = table_->next_event_after(times[row - 1]);
    if ((event && *event <= times[row]) || std::binary_search(bends.begin(), bends.end(), times[row]))
      begin(times[row]);
  }
}

Time ExternalInputs::next_corner(const couple::RunState& state) const {
  const auto next = std::upper_bound(corners_.begin(), corners_.end(), state.t + near_);
  if (next == corners_.end()) return fleet::never;
  return *next;
}

Time ExternalInputs::next_event(const couple::RunState& state) const {
  return table_ ? table_->next_event_after(state.t + near_).value_or(fleet::never) : fleet::never;
}

Time ExternalInputs::event_at(Time t) const {
  const auto event = table_->next_event_after(t - near_);
  return event && *event <= t + near_ ? *event : t;
}

void ExternalInputs::write(const Columns& values, couple::RunState& state) const {
  std::array<std::uint32_t, type_count> at{};
  for (const auto id : table_->variables()) {
    const auto& signal = this->signal(id);
    auto& from = at[static_cast<std::size_t>(signal.type)];
    with_type(signal.type, [&]<class T>() {
      for (std::uint32_t e = 0; e < signal.count; ++e)
        state.signals.outputs.column<T>()[signal.element + e] = values.column<T>()[from + e];
    });
    from += signal.count;
  }
}

void ExternalInputs::at_point(couple::RunState& state) {
  if (!table_) return;
  table_->at(event_at(state.t), input::Side::after, cursor_, values_);
  write(values_, state);
}

void ExternalInputs::begin_step(const couple::Interval& interval, couple::RunState& state) {
  if (!table_) return;
  const Time t = interval.t;
  const Time end = interval.end;
  const bool polynomials = polynomials_;
  if (!table_) return;
  table_->at(event_at(t), input::Side::after, cursor_, values_);
  table_->at(event_at(end), input::Side::before, cursor_, later_);
  const auto event = table_->next_event_after(t + near_);
  const bool jumps = event && *event < end - near_;
  if (polynomials) {
    find_slopes(jumps ? 0 : 1 / (end - t));
  } else if (!jumps) {  // held values are equal at both ends of the step, unless an event lies inside
    const auto mean = [](auto& a, const auto& b) {
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = (a[i] + b[i]) / 2;
    };
    mean(values_.column<double>(), later_.column<double>());
    mean(values_.column<float>(), later_.column<float>());
  }
  write(values_, state);
}

void ExternalInputs::find_slopes(double per_second) {
  const auto& from = values_.column<double>();
  const auto& to = later_.column<double>();
  std::size_t i = 0;
  for (const auto id : table_->variables()) {
    const auto& signal = this->signal(id);
    if (signal.type != Type::Float64) continue;
    for (std::uint32_t e = 0; e < signal.count; ++e, ++i) slopes_[signal.element + e] = (to[i] - from[i]) * per_second;
  }
}

void ExternalInputs::apply(couple::RunState& state) const {
  auto& signals = state.signals;
  if (signals.highest == 0) return;
  const auto width = signals.inputs.column<double>().size();
  auto& inputs = signals.inputs.column<double>();
  const auto& outputs = signals.outputs.column<double>();
  for (const auto& line : lines_) {
    inputs[line.input] = line.factor * outputs[line.source] + line.offset;
    signals.derivatives[line.input] = line.factor * slopes_[line.source];
    for (int m = 1; m < signals.highest; ++m) signals.derivatives[static_cast<std::size_t>(m) * width + line.input] = 0;
  }
}

}  // namespace consort::engine
