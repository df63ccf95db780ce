#include "engine/start_values.hpp"

#include "base/error.hpp"

namespace consort::engine {

void apply_structural(const StartValues& starts, unit::Variables& unit) {
  const auto& set = starts.structural();
  if (set.empty()) return;
  const auto signals = starts.signals(unit.description(), set.variables);
  Columns columns = starts.columns(unit.description(), set, signals);
  require_in_unit(unit.name(), unit.configure(signals, columns),
                  "unit '{}' has no configuration mode, so its structural parameters cannot be changed", unit.name());
}

namespace {

void apply_set(const StartValues& starts, const StartValues::Set& set, unit::Variables& unit) {
  if (set.empty()) return;
  const auto signals = starts.signals(unit.description(), set.variables);
  Columns columns = starts.columns(unit.description(), set, signals);
  unit.set(signals, columns);
}

}  // namespace

void apply(const StartValues& starts, unit::Variables& unit) { apply_set(starts, starts.others(), unit); }

void apply_inputs(const StartValues& starts, unit::Variables& unit) {
  const auto& all = starts.others();
  StartValues::Set inputs;
  for (std::size_t i = 0; i < all.variables.size(); ++i) {
    if (unit.description()[all.variables[i]].causality != describe::Causality::input) continue;
    inputs.variables.push_back(all.variables[i]);
    inputs.values.push_back(all.values[i]);
  }
  apply_set(starts, inputs, unit);
}

}  // namespace consort::engine
