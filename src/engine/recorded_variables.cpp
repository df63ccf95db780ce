#include "engine/recorded_variables.hpp"

#include "base/error.hpp"

namespace consort::engine {

using describe::VariableId;

bool matches(std::string_view text, std::string_view pattern) {
  std::size_t t = 0;
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++t;
      ++p;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<VariableId> recorded_variables(const describe::Description& d, std::span<const std::string> names) {
  std::vector<VariableId> chosen;
  std::vector<bool> has(d.variables.size(), false);
  const auto add = [&](VariableId v) {
    if (!has[v]) chosen.push_back(v);
    has[v] = true;
  };
  for (VariableId v = 0; v < d.variables.size() && names.empty(); ++v)
    if (d[v].causality == describe::Causality::output && d[v].type != Type::Clock) add(v);
  for (const auto& name : names) {
    if (const VariableId v = d.find(name); v != describe::no_variable) {
      require_setting("record.variables", d[v].type != Type::Clock,
                      "'{}' is a clock, which has no value between its ticks; record the variables that change with it",
                      name);
      add(v);
      continue;
    }
    bool found = false;
    for (VariableId v = 0; v < d.variables.size(); ++v) {
      if (d[v].type == Type::Clock || d[v].causality == describe::Causality::independent) continue;
      if (!matches(d[v].name, name)) continue;
      add(v);
      found = true;
    }
    if (!found) static_cast<void>(d.require_variable(name));
  }
  return chosen;
}

}  // namespace consort::engine
