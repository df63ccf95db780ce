#include "engine/table_feed.hpp"

#include <algorithm>

#include "engine/unit_view.hpp"

namespace consort::engine {

namespace {

bool moves(const describe::Variable& v) {
  return v.type == Type::Float64 && v.variability == describe::Variability::continuous;
}

}  // namespace

TableFeed::TableFeed(const graph::Plan& plan, const input::InputTable& table, Duration near, bool slopes)
    : plan_(&plan), table_(&table), near_(near), slopes_(slopes) {
  const auto& unit = plan.units.front();
  const auto& d = *unit.description;
  const describe::SignalSet all(d, table.variables(),
                                table.sizes());  // with array sizes of this run
  values_ = midway_ = all.make_columns();
  const auto& inputs = unit.inputs.choice();
  std::vector<std::size_t> clocks;
  for (std::size_t i = 0; i < table.variables().size(); ++i) {
    const auto& v = d[table.variables()[i]];
    if (v.type == Type::Clock) {
      clocks.push_back(i);
      continue;
    }
    const auto at = std::lower_bound(inputs.begin(), inputs.end(), table.variables()[i]);
    const auto to = unit.inputs.place(static_cast<std::size_t>(at - inputs.begin()));
    const auto from = all.place(i);
    copies_.push_back(
        {v.type, from.first, unit.first_input[static_cast<std::size_t>(v.type)] + to.first, from.count, moves(v)});
  }
  ticks_ = Ticks(d, all, clocks, table.sizes());
}

std::vector<std::string> TableFeed::targets(const std::string& unit, const describe::Description& d,
                                            const input::InputTable& table) {
  std::vector<std::string> paths;
  for (const auto id : table.variables())
    if (d[id].type != Type::Clock) paths.push_back(unit + "." + std::string(d[id].name));
  return paths;
}

bool TableFeed::has_continuous(const describe::Description& d, const input::InputTable& table) {
  return std::any_of(table.variables().begin(), table.variables().end(), [&](auto id) { return moves(d[id]); });
}

Time TableFeed::event_at(Time t) const {
  const Time latest = t + near_;
  for (auto event = table_->next_event_after(t); event && *event <= latest; event = table_->next_event_after(t))
    t = *event;
  return t;
}

void TableFeed::write(const Columns& values, couple::RunState& state) const {
  for (const auto& copy : copies_) {
    with_type(copy.type, [&]<class T>() {
      std::copy_n(values.column<T>().begin() + copy.from, copy.count,
                  state.signals.inputs.column<T>().begin() + copy.to);
    });
  }
}

void TableFeed::at_point(couple::RunState& state) {
  if (empty()) return;
  table_->at(event_at(state.t), input::Side::after, cursor_, values_);
  write(values_, state);
}

void TableFeed::begin_step(const couple::Interval& interval, couple::RunState&) {
  if (empty()) return;
  const Time from = event_at(interval.t);
  table_->at(from, input::Side::after, cursor_, values_);
  if (slopes_) return table_->slopes(from, input::Side::after, cursor_, table_slopes_);
  table_->at(from + interval.h / 2, input::Side::before, cursor_, midway_);
  for (const auto& copy : copies_)
    if (copy.moves)
      std::copy_n(midway_.column<double>().begin() + copy.from, copy.count,
                  values_.column<double>().begin() + copy.from);
}

void TableFeed::apply(couple::RunState& state) const {
  if (empty()) return;
  write(values_, state);
  if (!slopes_) return;
  auto& signals = state.signals;
  const auto width = signals.inputs.column<double>().size();
  for (const auto& copy : copies_) {
    if (!copy.moves) continue;
    for (std::uint32_t e = 0; e < copy.count; ++e) {
      signals.derivatives[copy.to + e] = table_slopes_[copy.from + e];
      for (int m = 1; m < signals.highest; ++m)
        signals.derivatives[static_cast<std::size_t>(m) * width + copy.to + e] = 0;
    }
  }
}

void TableFeed::tick(const couple::RunState& state, fleet::Fleet& fleet) {
  if (empty()) return;
  table_->at(event_at(state.t), input::Side::after, cursor_, values_);
  UnitView unit(*plan_, fleet, 0);
  ticks_.set(unit, values_);
}

Time TableFeed::next_event(const couple::RunState& state) const {
  return empty() ? fleet::never : table_->next_event_after(state.t + near_).value_or(fleet::never);
}

}  // namespace consort::engine
