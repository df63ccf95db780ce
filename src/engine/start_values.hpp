// Start values that the user gives by name, as text, turned into set calls.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "describe/signals.hpp"
#include "unit/unit.hpp"

namespace consort::engine {

class StartValues {
 public:
  // Sets structural parameters in configuration mode; does nothing when there are none.
  void apply_structural(unit::Variables& unit);
  // Sets all others; before initialization.
  void apply(unit::Variables& unit);

  // A SignalSet whose arrays have the sizes that the structural parameters given here make them.
  [[nodiscard]] describe::SignalSet signals(const describe::Description& description,
                                            std::span<const describe::VariableId> choice) const;
  [[nodiscard]] std::uint64_t element_count(const describe::Description& description,
                                            const describe::Variable& variable) const;
  [[nodiscard]] std::string element_name(const describe::Description& description, const describe::Variable& variable,
                                         std::uint64_t element) const;

 private:
  friend StartValues resolve_start_values(const describe::Description&,
                                          const std::vector<std::pair<std::string, std::string>>&);
  [[nodiscard]] std::uint64_t dimension(const describe::Description& description, const describe::Dimension& d) const;

  struct Set {
    std::vector<describe::VariableId> variables;
    std::vector<Value> values;
    void apply(unit::Variables& unit, const StartValues& all, bool structural);
  };
  Set structural_;
  Set others_;
  std::unordered_map<ValueReference, std::uint64_t> sizes_;
};

// Names are looked up, texts read by the variable's type (enumerations also by the name of an item), arrays from values
// separated by white space. Throws Error (input): unknown names with the nearest, what cannot be set and why, bad
// texts.
[[nodiscard]] StartValues resolve_start_values(const describe::Description& description,
                                               const std::vector<std::pair<std::string, std::string>>& texts);

}  // namespace consort::engine
