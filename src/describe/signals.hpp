// A selection of variables and the place of each element in Columns. This is the layout of every block of values that
// crosses a unit's boundary. Made once; each get or set then takes one call per type.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/value.hpp"
#include "describe/description.hpp"

namespace consort::describe {

// The start of a part in larger Columns, per type.
using Offsets = std::array<std::uint32_t, type_count>;

class SignalSet {
 public:
  // All selected variables of one type, in the order of the selection.
  struct Group {
    Type type = Type::Float64;
    std::vector<VariableId> variables;
    std::vector<ValueReference> references;
    std::vector<std::uint32_t> offsets;  // of each variable's first element in the column, then the end
    std::vector<std::uint32_t> negated;  // elements whose sign is inverted (FMI 1 negated aliases)
    [[nodiscard]] std::size_t elements() const { return offsets.back(); }
  };

  SignalSet() = default;
  // `sizes` has the number of elements of each selected variable, for changed structural parameters; empty: as
  // described.
  SignalSet(const Description& description, std::span<const VariableId> choice,
            std::span<const std::uint64_t> sizes = {});

  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  [[nodiscard]] const std::vector<VariableId>& choice() const { return choice_; }
  [[nodiscard]] bool empty() const { return choice_.empty(); }
  // The group of type Float64; null: no Float64 variable is selected.
  [[nodiscard]] const Group* reals() const {
    for (const auto& group : groups_)
      if (group.type == Type::Float64) return &group;
    return nullptr;
  }
  [[nodiscard]] std::size_t real_elements() const { return reals() == nullptr ? 0 : reals()->elements(); }
  [[nodiscard]] Columns make_columns() const;  // sized, all values zero
  // Inverts the sign (numbers) or the truth value (Booleans) of negated aliases. Call after a get and before a set.
  void negate(Columns& columns, const Offsets& at = {}) const {
    if (has_negated_) turn_around(columns, at);
  }

  // The place of a selected variable's elements: column type and first element.
  struct Place {
    Type type = Type::Float64;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  [[nodiscard]] Place place(std::size_t index_in_choice) const { return places_[index_in_choice]; }

 private:
  std::vector<VariableId> choice_;
  std::vector<Place> places_;
  std::vector<Group> groups_;
  bool has_negated_ = false;

  void turn_around(Columns& columns, const Offsets& at) const;
};

// "x" for a scalar; "x[1]", "A[2,3]" (1-based, row-major) for an element of an array.
[[nodiscard]] std::string element_name(const Description& description, const Variable& variable, std::uint64_t element);

}  // namespace consort::describe
