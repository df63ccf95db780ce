#include "report/grouped_lines.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace consort::report {

namespace {

// A line without its names, and the first name.
struct Shape {
  std::string text;
  std::string name;
};

Shape shape_of(std::string_view line) {
  Shape shape;
  if (const auto colon = line.find(": "); colon != line.npos && line.find('\'') > colon) {
    shape.name = line.substr(0, colon);
    line.remove_prefix(colon);
  }
  while (!line.empty()) {
    const auto begin = line.find('\'');
    const auto end = begin == line.npos ? line.npos : line.find('\'', begin + 1);
    if (end == line.npos) break;
    shape.text += line.substr(0, begin + 1);
    if (shape.name.empty()) shape.name = line.substr(begin, end + 1 - begin);
    line.remove_prefix(end);
  }
  shape.text += line;
  return shape;
}

}  // namespace

std::vector<std::string> grouped(const std::vector<std::string>& lines) {
  struct Group {
    std::string shape;
    std::string first;
    std::vector<std::string> names{};  // of the other lines
  };
  std::vector<Group> groups;
  for (const auto& line : lines) {
    auto shape = shape_of(line);
    const auto known =
        std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.shape == shape.text; });
    if (known == groups.end()) {
      groups.push_back({std::move(shape.text), line});
    } else if (!shape.name.empty()) {
      known->names.push_back(std::move(shape.name));
    }
  }
  std::vector<std::string> result;
  for (auto& g : groups)
    result.push_back(g.names.empty() ? std::move(g.first)
                                     : fmt::format("{} (and the same {} times more: {})", g.first, g.names.size(),
                                                   some_of(g.names, 3)));
  return result;
}

}  // namespace consort::report
