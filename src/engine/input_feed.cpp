#include "engine/input_feed.hpp"

namespace consort::engine {

InputFeed::InputFeed(unit::Unit& unit, const input::InputTable& table) : unit_(&unit), table_(&table) {
  const auto& d = unit.description();
  // The table knows the sizes that arrays have in this run.
  all_ = describe::SignalSet(d, table.variables(), table.sizes());
  values_ = all_.make_columns();
  midway_ = values_;
  std::vector<std::size_t> continuous, no_clocks, clocks;
  for (std::size_t i = 0; i < table.variables().size(); ++i) {
    const auto& v = d[table.variables()[i]];
    (v.type == Type::Clock ? clocks : no_clocks).push_back(i);
    if (v.type != Type::Float64 || v.variability != describe::Variability::continuous) {
      all_are_continuous_ = false;
      continue;
    }
    continuous.push_back(i);
    const auto place = all_.place(i);
    for (std::uint32_t e = 0; e < place.count; ++e)
      continuous_.push_back({v.reference, place.first + e, v.negated ? -1.0 : 1.0});
    // Arrays have no input derivatives: FMI 1.0 and 2.0 have no arrays, FMI 3.0 has no such call.
    slope_references_.push_back(v.reference);
  }
  slopes_.resize(slope_references_.size());
  has_clocks_ = !clocks.empty();
  if (!all_are_continuous_) only_continuous_ = Subset(d, all_, continuous, table.sizes());
  if (has_clocks_) without_clocks_ = Subset(d, all_, no_clocks, table.sizes());
  ticks_ = Ticks(d, all_, clocks, table.sizes());
  takes_slopes_ = !continuous_.empty() && unit.input_order() > 0;
  slope_orders_.assign(slope_references_.size(), 1);
}

void InputFeed::set_all(Time t) {
  if (all_.empty()) return;
  table_->at(t, input::Side::after, cursor_, values_);
  if (!has_clocks_) return unit_->set(all_, values_);
  // What belongs to a clock may be set when it is active.
  if (unit_->events() != nullptr) ticks_.set(*unit_, values_);
  without_clocks_.set(*unit_, values_);
}

void InputFeed::set_initial(Time t) {
  if (!has_clocks_) return set_all(t);
  table_->at(t, input::Side::after, cursor_, values_);
  without_clocks_.set(*unit_, values_);
}

void InputFeed::set_for_step(Time t, Duration h) {
  if (all_.empty()) return;
  const bool events = unit_->events() != nullptr;
  if (events && continuous_.empty()) return;
  read(t, h);
  if (events && !all_are_continuous_) {
    only_continuous_.set(*unit_, values_);
  } else if (has_clocks_) {
    without_clocks_.set(*unit_, values_);
  } else {
    unit_->set(all_, values_);
  }
  if (!takes_slopes_ || h <= 0) return;
  table_->slopes(t, input::Side::after, cursor_, table_slopes_);
  for (std::size_t i = 0; i < continuous_.size(); ++i)
    slopes_[i] = continuous_[i].sign * table_slopes_[continuous_[i].place];
  unit_->set_input_derivatives(slope_references_, slope_orders_, slopes_);
}

void InputFeed::read(Time t, Duration h) {
  table_->at(t, input::Side::after, cursor_, values_);
  if (takes_slopes_ || continuous_.empty()) return;
  table_->at(t + h / 2, input::Side::before, cursor_, midway_);
  for (const auto& c : continuous_) values_.column<double>()[c.place] = midway_.column<double>()[c.place];
}

}  // namespace consort::engine
