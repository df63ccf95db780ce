// Tables of items that are selected by name (solvers, steppers, controllers, …): plain arrays whose rows have a `name`.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consort {

// "jacobi, gauss-seidel, …" in the order of the table.
template <class Rows>
[[nodiscard]] std::string names_of(const Rows& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Finds a row by name. Throws Error (input) "there is no KIND 'NAME'" with the nearest names and a list of all names.
// `about` follows the name in the text; `key` is the setting that contained the name.
template <class Rows>
[[nodiscard]] const auto& find_row(const Rows& rows, std::string_view name, std::string_view kind,
                                   std::string_view about = {}, const char* key = "") {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
  if (found != rows.end()) return *found;
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  throw input_error("there is no {} '{}'{}{}; available: {}", kind, name, about, suggestion(name, names),
                    fmt::join(names, ", "))
      .of_setting(key);
}

}  // namespace consort
