#include "engine/readable.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"

namespace consort::engine {

using describe::VariableId;

namespace {

// Returns the reason if they cannot be read; else an empty text.
std::string refusal(unit::Variables& unit, const describe::StartValues& starts, std::span<const VariableId> variables) {
  const auto signals = starts.signals(unit.description(), variables);
  Columns values = signals.make_columns();
  return unit.try_get(signals, values);
}

}  // namespace

std::vector<Unreadable> unreadable(unit::Variables& unit, const describe::StartValues& starts,
                                   std::span<const VariableId> variables) {
  std::vector<Unreadable> found;
  if (variables.empty() || refusal(unit, starts, variables).empty()) return found;
  for (const auto& id : variables) {
    const auto& v = unit.description()[id];
    if (v.causality == describe::Causality::output) continue;
    const std::string why = refusal(unit, starts, std::span(&id, 1));
    if (why.empty()) continue;
    found.push_back({id, fmt::format("'{}' of unit '{}' is not recorded, because the unit refuses to read it ({})",
                                     v.name, unit.name(), why)});
  }
  return found;
}

}  // namespace consort::engine
