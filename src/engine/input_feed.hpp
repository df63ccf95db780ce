// Hands the values of an input table to a unit: all of them at initialization and at events, and before every step what
// the unit may be given there.
#pragma once

#include <vector>

#include "describe/signals.hpp"
#include "engine/subset.hpp"
#include "input/table.hpp"
#include "unit/unit.hpp"

namespace consort::engine {

class InputFeed {
 public:
  InputFeed() = default;  // feeds nothing
  InputFeed(unit::Unit& unit, const input::InputTable& table);

  // Every input, right after t: in event mode, or where a unit has none.
  void set_all(Time t);
  // The same without clocks, which tick in event mode only (FMI 3.0, 2.3.3): before and in initialization.
  void set_initial(Time t);
  // For the step from t to t + h. A unit that takes input derivatives gets value and slope at t; every other one the
  // mean of each continuous input over the step (half a step better than holding the value at t), and what is discrete
  // as it is at t. With event mode, what is not continuous changes in event mode only (FMI 3.0, 4.2.3); without it,
  // clocks do not tick.
  void set_for_step(Time t, Duration h);

  [[nodiscard]] std::optional<Time> next_event_after(Time t) const {
    return table_ == nullptr ? std::nullopt : table_->next_event_after(t);
  }
  // Whether continuous inputs are held at their mean during steps.
  [[nodiscard]] bool holds_means() const { return !continuous_.empty() && !takes_slopes_; }
  // Whether clocks have columns.
  [[nodiscard]] bool has_clocks() const { return has_clocks_; }

 private:
  void read(Time t, Duration h);

  unit::Unit* unit_ = nullptr;
  const input::InputTable* table_ = nullptr;
  input::InputTable::Cursor cursor_;
  describe::SignalSet all_;
  Columns values_;
  Columns midway_;  // the same in the middle of the step

  // One entry per continuous Float64 element.
  struct Continuous {
    ValueReference reference = 0;
    std::uint32_t place = 0;  // in the Float64 column of all_
    double sign = 1.0;        // -1 for the negated aliases of FMI 1.0
  };
  std::vector<Continuous> continuous_;
  Subset only_continuous_;  // for units in event mode
  Subset without_clocks_;   // used when there are clocks
  Ticks ticks_;
  bool all_are_continuous_ = true;
  bool has_clocks_ = false;

  bool takes_slopes_ = true;  // until the unit says no
  std::vector<double> table_slopes_;
  std::vector<ValueReference> slope_references_;
  std::vector<std::int32_t> slope_orders_;
  std::vector<double> slopes_;
};

}  // namespace consort::engine
