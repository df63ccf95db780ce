#include "describe/signals.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error.hpp"

namespace consort::describe {

SignalSet::SignalSet(const Description& description, std::span<const VariableId> choice,
                     std::span<const std::uint64_t> sizes)
    : choice_(choice.begin(), choice.end()) {
  CONSORT_ASSERT(sizes.empty() || sizes.size() == choice.size());
  std::array<int, type_count> group_of{};
  group_of.fill(-1);
  constexpr std::uint64_t most_elements = 1U << 30;
  for (std::size_t i = 0; i < choice.size(); ++i) {
    const Variable& v = description[choice[i]];
    const std::uint64_t count = sizes.empty() ? description.element_count(v) : sizes[i];
    int& group_index = group_of.at(static_cast<std::size_t>(v.type));
    if (group_index < 0) {
      group_index = static_cast<int>(groups_.size());
      groups_.push_back({v.type, {}, {}, {0}, {}});
    }
    Group& group = groups_[static_cast<std::size_t>(group_index)];
    const std::uint32_t first = group.offsets.back();
    require(count <= most_elements - first,
            "the chosen variables have more than {} elements; '{}' of '{}' alone has {}", most_elements, v.name,
            description.model_name, count);
    places_.push_back({v.type, first, static_cast<std::uint32_t>(count)});
    group.variables.push_back(choice[i]);
    group.references.push_back(v.reference);
    group.offsets.push_back(first + static_cast<std::uint32_t>(count));
    if (v.negated) {
      has_negated_ = true;
      for (std::uint32_t e = 0; e < count; ++e) group.negated.push_back(first + e);
    }
  }
  std::sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) { return a.type < b.type; });
}

Columns SignalSet::make_columns() const {
  Columns columns;
  for (const auto& group : groups_) {
    with_type(group.type, [&]<class T>() { columns.column<T>().resize(group.elements()); });
  }
  return columns;
}

void SignalSet::turn_around(Columns& columns, const Offsets& at) const {
  for (const auto& group : groups_) {
    if (group.negated.empty()) continue;
    with_type(group.type, [&]<class T>() {
      T* const column = columns.column<T>().data() + at[static_cast<std::size_t>(group.type)];
      if constexpr (std::is_same_v<T, Bool>) {
        for (const auto e : group.negated) column[e] = !column[e];
      } else if constexpr (std::is_integral_v<T>) {
        // Negate as unsigned: the smallest signed number has no positive counterpart.
        for (const auto e : group.negated)
          column[e] = static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(column[e]));
      } else if constexpr (std::is_floating_point_v<T>) {
        for (const auto e : group.negated) column[e] = -column[e];
      }
    });
  }
}

std::string element_name(const Description& description, const Variable& variable, std::uint64_t element) {
  if (!variable.is_array()) return std::string(variable.name);
  const auto dimensions = description.dimensions_of(variable);
  std::vector<std::uint64_t> index(dimensions.size());
  for (std::size_t d = dimensions.size(); d-- > 0;) {
    std::uint64_t size = dimensions[d].size;
    if (dimensions[d].is_reference) {
      const VariableId id = description.find(dimensions[d].reference, Type::UInt64);
      const Value* s = id == no_variable ? nullptr : description.start(description[id]);
      size = s != nullptr && s->type() == Type::UInt64 && s->size() == 1 ? s->elements<std::uint64_t>()[0] : 1;
    }
    size = std::max<std::uint64_t>(size, 1);
    index[d] = d == 0 ? element + 1 : element % size + 1;
    element /= size;
  }
  return fmt::format("{}[{}]", variable.name, fmt::join(index, ","));
}

}  // namespace consort::describe
