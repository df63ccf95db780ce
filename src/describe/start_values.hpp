// Start values given by name and text: look-up, conversion by type, and their effect on array sizes.
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
  // Values to set: `values[i]` has as many elements as the variable, or one element for all of them.
  struct Set {
    std::vector<VariableId> variables;
    std::vector<Value> values;
    [[nodiscard]] bool empty() const { return variables.empty(); }
  };

  // A later value of a variable replaces the earlier one. Throws Error (input) with the reason if the variable cannot
  // be set.
  void add(const Description& description, VariableId variable, Value value);
  [[nodiscard]] bool contains(VariableId variable) const;

  [[nodiscard]] const Set& structural() const { return structural_; }  // for configuration mode
  [[nodiscard]] const Set& others() const { return others_; }
  // The values of structural parameters that define sizes, by value reference.
  [[nodiscard]] const std::unordered_map<ValueReference, std::uint64_t>& sizes() const { return sizes_; }

  // A SignalSet whose arrays have the sizes given by these structural parameters.
  [[nodiscard]] SignalSet signals(const Description& description, std::span<const VariableId> choice) const;
  [[nodiscard]] std::uint64_t element_count(const Description& description, const Variable& variable) const;
  [[nodiscard]] std::string element_name(const Description& description, const Variable& variable,
                                         std::uint64_t element) const;
  // The row-major position of the element with these 1-based indices; nullopt if there is no such element.
  [[nodiscard]] std::optional<std::uint64_t> element_at(const Description& description, const Variable& variable,
                                                        std::span<const std::uint64_t> indices) const;
  // The whole array, with `elements` from position `first` on. The other elements are those added before, else those of
  // the description. Throws Error (input) if they have no values.
  [[nodiscard]] Value merged(const Description& description, VariableId variable, std::uint64_t first,
                             const Value& elements) const;
  // One of the sets as columns. Throws Error (input) if the number of values does not match the variable.
  [[nodiscard]] Columns columns(const Description& description, const Set& set, const SignalSet& signals) const;

 private:
  [[nodiscard]] std::uint64_t dimension(const Description& description, const Dimension& d) const;

  Set structural_;
  Set others_;
  std::unordered_map<ValueReference, std::uint64_t> sizes_;
};

// Reads one start value by the variable's type (enumerations also by the name of an item; array elements separated by
// white space). Throws Error (input) that names the variable.
[[nodiscard]] Value read_start_value(const Description& description, const Variable& variable, std::string_view text);

// Looks up the names and reads the texts. Throws Error (input) for an unknown name (with the nearest names), a variable
// that cannot be set (with the reason), an invalid text, a duplicate variable.
[[nodiscard]] StartValues resolve_start_values(const Description& description,
                                               const std::vector<std::pair<std::string, std::string>>& texts);

}  // namespace consort::describe
