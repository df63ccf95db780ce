// Start values that the user gives by name, as text: looked up, read by type, and what they make of array sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/value.hpp"
#include "describe/description.hpp"
#include "describe/signals.hpp"

namespace consort::describe {

class StartValues {
 public:
  // What is to be set: `values[i]` has as many elements as the variable, or one for all of them.
  struct Set {
    std::vector<VariableId> variables;
    std::vector<Value> values;
    [[nodiscard]] bool empty() const { return variables.empty(); }
  };

  // Later values of the same variable replace earlier ones. Throws Error (input): what cannot be set, and why.
  void add(const Description& description, VariableId variable, Value value);
  [[nodiscard]] bool contains(VariableId variable) const;

  [[nodiscard]] const Set& structural() const { return structural_; }  // for configuration mode
  [[nodiscard]] const Set& others() const { return others_; }
  // The structural parameters that are sizes, by value reference.
  [[nodiscard]] const std::unordered_map<ValueReference, std::uint64_t>& sizes() const { return sizes_; }

  // A SignalSet whose arrays have the sizes that the structural parameters given here make them.
  [[nodiscard]] SignalSet signals(const Description& description, std::span<const VariableId> choice) const;
  [[nodiscard]] std::uint64_t element_count(const Description& description, const Variable& variable) const;
  [[nodiscard]] std::string element_name(const Description& description, const Variable& variable,
                                         std::uint64_t element) const;
  // The row-major place of the element with these 1-based indices; none when there is no such element.
  [[nodiscard]] std::optional<std::uint64_t> element_at(const Description& description, const Variable& variable,
                                                        std::span<const std::uint64_t> indices) const;
  // All of an array when elements from `first` on are given: the others are those given before, else those of the
  // description. Throws Error (input) when they have no values.
  [[nodiscard]] Value merged(const Description& description, VariableId variable, std::uint64_t first,
                             const Value& elements) const;
  // One of the sets as columns: throws Error (input) when the number of values does not fit the variable.
  [[nodiscard]] Columns columns(const Description& description, const Set& set, const SignalSet& signals) const;

 private:
  [[nodiscard]] std::uint64_t dimension(const Description& description, const Dimension& d) const;

  Set structural_;
  Set others_;
  std::unordered_map<ValueReference, std::uint64_t> sizes_;
};

// One start value from its text, read by the variable's type (enumerations also by the name of an item), arrays from
// values separated by white space. Throws Error (input) that names the variable.
[[nodiscard]] Value read_start_value(const Description& description, const Variable& variable, std::string_view text);

// Names are looked up, texts read. Throws Error (input): unknown names with the nearest, what cannot be set and why,
// bad texts, a variable given twice.
[[nodiscard]] StartValues resolve_start_values(const Description& description,
                                               const std::vector<std::pair<std::string, std::string>>& texts);

}  // namespace consort::describe
