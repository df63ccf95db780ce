// Rows of every type for the tests of sinks and readers: the content of row i is a function of i.
#pragma once

#include <cmath>
#include <string>

#include "record/sink.hpp"

namespace consort::record::testing_rows {

inline Header every_type() {
  Header header;
  header.facts = {{"model", "Ünits"}, {"stop time", "3"}, {"hash of wheel.fmu", "0123abcd"}};
  for (const char* const unit : {"wheel", "chassis/left"}) {
    for (std::size_t i = 0; i < type_count; ++i) {
      const auto type = static_cast<Type>(i);
      const std::string name(name_of(type));
      header.signals.push_back({std::string(unit) + "." + name + "[1]", type, is_float(type) ? "m/s" : "",
                                "the " + name + " of a unit", !is_float(type), unit});
      header.signals.push_back({std::string(unit) + "." + name + "[2]", type, "", "", false, unit});
    }
  }
  return header;
}

// The k-th number of row i, small enough for every type.
inline double number_at(std::size_t i, std::size_t k, Type type) {
  if (type == Type::Float64) return std::sin(static_cast<double>(i) + 0.1 * static_cast<double>(k));
  if (type == Type::Float32) return static_cast<double>(static_cast<float>(0.25 * static_cast<double>(i + k)));
  if (type == Type::Boolean || type == Type::Clock) return static_cast<double>((i + k) % 2);
  return static_cast<double>((i + 3 * k) % 100);
}
inline std::string text_at(std::size_t i, std::size_t k) {
  return (i + k) % 3 == 0 ? std::string() : "tëxt \"" + std::to_string(i) + "\", " + std::to_string(k);
}
inline Binary binary_at(std::size_t i, std::size_t k) {
  return Binary((i + k) % 4, static_cast<std::uint8_t>(i % 256));
}

// `count` elements of every type.
inline Columns row_at(std::size_t i, std::size_t count = 4) {
  Columns row;
  for_each_type([&]<class T>() {
    auto& column = row.column<T>();
    for (std::size_t k = 0; k < count; ++k) {
      if constexpr (std::is_same_v<T, std::string>) {
        column.push_back(text_at(i, k));
      } else if constexpr (std::is_same_v<T, Binary>) {
        column.push_back(binary_at(i, k));
      } else if constexpr (std::is_base_of_v<Bool, T>) {
        column.push_back(T(number_at(i, k, type_of<T>) != 0));
      } else if constexpr (std::is_same_v<T, EnumValue>) {
        column.push_back(EnumValue(static_cast<std::int64_t>(number_at(i, k, type_of<T>))));
      } else {
        column.push_back(static_cast<T>(number_at(i, k, type_of<T>)));
      }
    }
  });
  return row;
}

inline Header numbers(std::size_t units, std::size_t signals) {
  Header header;
  for (std::size_t u = 0; u < units; ++u) {
    const std::string unit = "u" + std::to_string(u);
    for (std::size_t s = 0; s < signals; ++s)
      header.signals.push_back({unit + ".x" + std::to_string(s), Type::Float64, "m", "", false, unit});
  }
  return header;
}

// Every element of row i is i.
inline Columns count_row(std::size_t i, std::size_t width) {
  Columns row;
  row.column<double>().assign(width, static_cast<double>(i));
  return row;
}

}  // namespace consort::record::testing_rows
