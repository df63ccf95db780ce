// Units of measure by name, as a system and its units define them.
#pragma once

#include <optional>
#include <string_view>

#include "describe/measure.hpp"
#include "graph/flatten.hpp"

namespace consort::graph {

// Looks the name up in the systems around the unit (the innermost first), in the unit itself and in the common units.
// An unknown name gives a measure without a base. The name must outlive the result. nullopt for an empty name.
[[nodiscard]] std::optional<describe::Measure> find_measure(const FlatUnit& unit, std::string_view name);
[[nodiscard]] std::optional<describe::Measure> find_measure(std::span<const System* const> systems,
                                                            std::string_view name);
[[nodiscard]] std::optional<describe::Measure> measure_of(const describe::Description& description,
                                                          const describe::Variable& variable);

// Finds units of connectors that neither a system around them, nor a unit's description, nor the list of common units
// knows. Throws Error (input), or reports to `flat.problems`.
void check_measures(const Flat& flat);

enum class Fit : std::uint8_t { same, convertible, unknown, clash };
struct MeasureFit {
  Fit fit = Fit::same;
  describe::Conversion conversion{};
};
// Unknown: one of the two has no base and the names differ. Angles fit numbers without a unit.
[[nodiscard]] MeasureFit fit(const describe::Measure& from, const describe::Measure& to, bool relative);

}  // namespace consort::graph
