#include "engine/table_course.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace consort::engine {

TableCourse::TableCourse(unit::Variables& variables, const input::InputTable& table)
    : variables_(variables), table_(table) {
  const auto& d = variables.description();
  all_ = describe::SignalSet(d, table.variables(), table.sizes());
  values_ = all_.make_columns();
  std::vector<std::size_t> continuous, no_clocks, clocks;
  for (std::size_t i = 0; i < table.variables().size(); ++i) {
    const auto& v = d[table.variables()[i]];
    if (is_float(v.type) && v.variability == describe::Variability::continuous) continuous.push_back(i);
    (v.type == Type::Clock ? clocks : no_clocks).push_back(i);
  }
  continuous_ = Subset(d, all_, continuous, table.sizes());
  without_clocks_ = Subset(d, all_, no_clocks, table.sizes());
  ticks_ = Ticks(d, all_, clocks, table.sizes());
}

void TableCourse::set_continuous(Time t, bool after) {
  if (continuous_.empty()) return;
  table_.at(t, after ? input::Side::after : input::Side::before, cursor_, values_);
  continuous_.set(variables_, values_);
}

void TableCourse::set_all(Time t) {
  table_.at(t, input::Side::after, cursor_, values_);
  ticks_.set(variables_, values_);
  without_clocks_.set(variables_, values_);
}

void TableCourse::set_initial(Time t) {
  table_.at(t, input::Side::after, cursor_, values_);
  without_clocks_.set(variables_, values_);
}

bool TableCourse::drives(describe::VariableId id) const {
  const auto& all = table_.variables();
  return std::find(all.begin(), all.end(), id) != all.end();
}

Time TableCourse::next_event_after(Time t) const { return table_.next_event_after(t).value_or(solve::never); }

}  // namespace consort::engine
