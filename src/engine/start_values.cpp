#include "engine/start_values.hpp"

#include "base/error.hpp"

namespace consort::engine {

void apply_structural(const StartValues& starts, unit::Variables& unit) {
  const auto& set = starts.structural();
  if (set.empty()) return;
  const auto signals = starts.signals(unit.description(), set.variables);
  Columns columns = starts.columns(unit.description(), set, signals);
  require(unit.configure(signals, columns),
          "unit '{}' has no configuration mode, so its structural parameters cannot be changed", unit.name());
}

void apply(const StartValues& starts, unit::Variables& unit) {
  const auto& set = starts.others();
  if (set.empty()) return;
  const auto signals = starts.signals(unit.description(), set.variables);
  Columns columns = starts.columns(unit.description(), set, signals);
  unit.set(signals, columns);
}

}  // namespace consort::engine
