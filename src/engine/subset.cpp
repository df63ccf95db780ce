#include "engine/subset.hpp"

#include <algorithm>

namespace consort::engine {

Subset::Subset(const describe::Description& description, const describe::SignalSet& all,
               std::span<const std::size_t> members, std::span<const std::uint64_t> sizes) {
  std::vector<describe::VariableId> choice;
  std::vector<std::uint64_t> chosen_sizes;
  for (const std::size_t i : members) {
    choice.push_back(all.choice()[i]);
    chosen_sizes.push_back(sizes[i]);
    from_.push_back(all.place(i).first);
  }
  signals_ = describe::SignalSet(description, choice, chosen_sizes);
  values_ = signals_.make_columns();
}

void Subset::set(unit::Variables& unit, const Columns& values) {
  if (empty()) return;
  for (std::size_t i = 0; i < from_.size(); ++i) {
    const auto to = signals_.place(i);
    with_type(to.type, [&]<class T>() {
      std::copy_n(values.column<T>().begin() + from_[i], to.count, values_.column<T>().begin() + to.first);
    });
  }
  unit.set(signals_, values_);
}

Ticks::Ticks(const describe::Description& description, const describe::SignalSet& all,
             std::span<const std::size_t> clocks, std::span<const std::uint64_t> sizes) {
  for (const std::size_t& clock : clocks) {
    clocks_.emplace_back(description, all, std::span(&clock, 1), sizes);
    from_.push_back(all.place(clock).first);
  }
}

void Ticks::set(unit::Variables& unit, const Columns& values) {
  for (std::size_t i = 0; i < clocks_.size(); ++i) {
    if (values.column<Tick>()[from_[i]]) clocks_[i].set(unit, values);
  }
}

}  // namespace consort::engine
