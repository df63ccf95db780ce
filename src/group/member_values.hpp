// Values of single variables of a member, of any type.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/value.hpp"
#include "describe/variable.hpp"
#include "fmi/instance.hpp"

namespace consort::group {

[[nodiscard]] inline Value read_value(fmi::Instance& instance, const describe::Variable& variable,
                                      std::size_t elements) {
  return with_type(variable.type, [&]<class T>() {
    std::vector<T> values(elements);
    instance.get<T>(std::span(&variable.reference, 1), std::span<T>(values));
    return Value(std::move(values));
  });
}

inline void write_value(fmi::Instance& instance, const describe::Variable& variable, const Value& value) {
  with_type(variable.type, [&]<class T>() {
    const auto& elements = value.elements<T>();
    instance.set<T>(std::span(&variable.reference, 1), std::span<const T>(elements.data(), elements.size()));
  });
}

}  // namespace consort::group
