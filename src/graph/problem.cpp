#include "graph/problem.hpp"

#include <regex>

#include <fmt/format.h>

#include "base/text.hpp"

namespace consort::graph {

Diagnostic diagnostic_of(const std::string& where, const Error& problem) {
  static const std::regex place(R"(^(.+?):(\d{1,9})(:\d+)?$)");
  static const std::regex placed(R"(^([^:\n]+):(\d{1,9})(:\d+)?: )");
  Diagnostic d{Severity::error, where, 0, "system", problem.what()};
  std::smatch found;
  if (where.empty() && std::regex_search(d.message, found, placed)) {
    d.file = found[1];
    d.line = static_cast<std::uint32_t>(std::stoul(found[2]));
    d.message = found.suffix();
  } else if (std::regex_match(where, found, place)) {
    d.file = found[1];
    d.line = static_cast<std::uint32_t>(std::stoul(found[2]));
    if (const auto in_text = d.message.find(" (" + where + ")"); in_text != std::string::npos)
      d.message.erase(in_text, where.size() + 3);
  }
  return d;
}

std::string nearest_path(std::string_view path,
                         const std::vector<std::pair<std::string_view, const describe::Description*>>& units) {
  std::vector<std::string_view> names;
  for (const auto& [name, description] : units) {
    names.push_back(name);
    for (auto dot = path.find('.');; dot = path.find('.', dot + 1)) {
      const auto head = path.substr(0, dot == std::string_view::npos ? 0 : dot);
      const auto variable = head.empty() ? path : path.substr(dot + 1);
      const bool ends = head.empty() || name == head || name.ends_with("." + std::string(head));
      if (ends && description->find(variable) != describe::no_variable)
        return fmt::format("; did you mean '{}.{}'?", name, variable);
      if (dot == std::string_view::npos) break;
    }
  }
  return suggestion(path.substr(0, path.find('.')), names);
}

}  // namespace consort::graph
