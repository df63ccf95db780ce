#include "ssp/parameters.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace consort::ssp {

namespace {

bool is_text(TypeKind kind) {
  return kind == TypeKind::string || kind == TypeKind::enumeration || kind == TypeKind::binary;
}

// The number ("2") of an item if the set defines the enumeration; empty otherwise.
std::string number_of(const ParameterSet& set, const Parameter& p) {
  if (p.kind != TypeKind::enumeration || p.values.size() != 1) return {};
  for (const auto& enumeration : set.enumerations) {
    if (enumeration.name != p.enumeration) continue;
    for (const auto& item : enumeration.items)
      if (item.name == p.values.front()) return fmt::format("{}", item.value);
  }
  return {};
}

graph::Setting setting_of(const ParameterSet& set, const Parameter& p, const std::string& shown) {
  graph::Setting s;
  s.lenient = true;
  s.where = fmt::format("{}:{}", shown, p.line.number);
  if (is_text(p.kind) && p.values.size() != 1) {
    s.elements = p.values;
  } else {
    s.value = fmt::format("{}", fmt::join(p.values, " "));
  }
  for (const auto& d : p.dimensions)
    if (d.size) s.dimensions.push_back(*d.size);
  s.number = number_of(set, p);
  s.unit = p.unit;
  const auto unit = std::find_if(set.units.begin(), set.units.end(), [&](const auto& u) { return u.name == p.unit; });
  if (!p.unit.empty() && unit != set.units.end()) s.measure = base_unit_of(*unit);
  return s;
}

void check(const ParameterSet& set, const std::string& shown, Diagnostics& diagnostics) {
  std::unordered_map<std::string_view, std::uint32_t> lines;
  for (const auto& p : set.parameters) {
    const auto [first, is_new] = lines.emplace(p.name, p.line.number);
    if (!is_new)
      diagnostics.add({Severity::warning, shown, p.line.number, "SSP 2.0, 6.2: parameter names are unique",
                       fmt::format("the parameter '{}' is given twice (first in line {}); the last value is used",
                                   p.name, first->second)});
    const bool defined = p.unit.empty() || std::any_of(set.units.begin(), set.units.end(),
                                                       [&](const auto& u) { return u.name == p.unit; });
    if (!defined)
      diagnostics.add({Severity::warning, shown, p.line.number, "SSP 2.0, 6.2.1: units are defined in the same file",
                       fmt::format("the unit '{}' of the parameter '{}' is not defined in this file; a common unit of "
                                   "that name or that of the variable is used",
                                   p.unit, p.name)});
  }
}

void check(const ParameterMapping& mapping, const std::string& shown, Diagnostics& diagnostics) {
  std::unordered_map<std::string_view, std::uint32_t> lines;
  for (const auto& entry : mapping.entries) {
    const auto [first, is_new] = lines.emplace(entry.target, entry.line.number);
    if (!is_new)
      diagnostics.add({Severity::warning, shown, entry.line.number, "SSP 2.0, 7.1: targets of a mapping are unique",
                       fmt::format("'{}' is mapped to twice (first in line {}); the last entry is used", entry.target,
                                   first->second)});
  }
}

}  // namespace

describe::BaseUnit base_unit_of(const Unit& unit) {
  describe::BaseUnit base;
  for (std::size_t i = 0; i < base.exponents.size(); ++i)
    base.exponents[i] = static_cast<std::int8_t>(std::clamp<std::int64_t>(unit.base.exponents[i], -128, 127));
  base.factor = unit.base.factor;
  base.offset = unit.base.offset;
  return base;
}

graph::Transformation transformation_of(const Transformation& t) {
  switch (t.kind) {
    case Transformation::Kind::none: return {};
    case Transformation::Kind::linear: return graph::Linear{t.factor, t.offset};
    default: return graph::Mapping{t.entries, true};
  }
}

std::vector<graph::Setting> settings_of(const ParameterSet& set, const ParameterMapping* mapping,
                                        const std::string& prefix, const std::string& shown, Diagnostics& diagnostics) {
  check(set, shown, diagnostics);
  std::vector<graph::Setting> settings;
  if (mapping == nullptr) {
    for (const auto& p : set.parameters) {
      if (p.values.empty() && p.dimensions.empty() && p.kind != TypeKind::string) continue;
      settings.push_back(setting_of(set, p, shown));
      settings.back().name = prefix + p.name;
    }
    return settings;
  }
  check(*mapping, shown, diagnostics);
  std::unordered_map<std::string, const Parameter*> by_name;
  for (const auto& p : set.parameters) by_name[prefix + p.name] = &p;
  struct Missing {
    std::uint32_t line = 0;
    std::vector<std::string> targets;
  };
  std::map<std::string, Missing> missing;  // by source
  for (const auto& entry : mapping->entries) {
    const auto found = by_name.find(entry.source);
    if (found == by_name.end()) {
      auto& m = missing[entry.source];
      if (m.targets.empty()) m.line = entry.line.number;
      m.targets.push_back(quote(entry.target));
      continue;
    }
    auto& s = settings.emplace_back(setting_of(set, *found->second, shown));
    s.name = entry.target;
    s.convert_units = !entry.suppress_unit_conversion;
    s.transformation = transformation_of(entry.transformation);
  }
  constexpr std::size_t most = 3;
  for (const auto& [source, m] : missing)
    diagnostics.add({Severity::note, shown, m.line, "SSP 2.0, 7.1: sources of a mapping",
                     fmt::format("'{}' is mapped to {}{}, but no parameter has this name", source,
                                 fmt::join(std::span(m.targets).first(std::min(most, m.targets.size())), ", "),
                                 m.targets.size() > most ? fmt::format(" and {} more", m.targets.size() - most) : "")});
  return settings;
}

}  // namespace consort::ssp
