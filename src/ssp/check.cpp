#include "ssp/check.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <unordered_set>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "graph/indices.hpp"
#include "graph/known_measures.hpp"
#include "graph/measures.hpp"

namespace consort::ssp {

using describe::Causality;

namespace {

// Splits "file:12" into file and line.
std::pair<std::string, std::uint32_t> place_of(const std::string& where) {
  const auto colon = where.rfind(':');
  if (colon == std::string::npos) return {where, 0};
  std::uint32_t line = 0;
  std::from_chars(where.data() + colon + 1, where.data() + where.size(), line);
  return {where.substr(0, colon), line};
}

class Checker {
 public:
  Checker(const graph::Catalogue& catalogue, Diagnostics& diagnostics)
      : catalogue_(catalogue), diagnostics_(diagnostics) {}

  void operator()(const graph::System& system) {
    systems_.push_back(&system);
    for (const auto& c : system.connectors) check_unit(c, nullptr);
    for (const auto& component : system.components) check(component);
    for (const auto& inner : system.systems) (*this)(inner);
    systems_.pop_back();
  }

 private:
  void check(const graph::Component& component) {
    const describe::Description* d = nullptr;
    try {
      d = &catalogue_(component);
    } catch (const Error& problem) {
      std::error_code failed;
      if (!std::filesystem::exists(component.source, failed)) return;  // reported by the reader
      const auto [file, line] = place_of(component.where);
      diagnostics_.add({Severity::error, file, line, "SSP 2.0, 5.4: sources of components", problem.what()});
      return;
    }
    for (const auto& connector : component.connectors) check(component, *d, connector);
  }

  void check(const graph::Component& component, const describe::Description& d, const graph::Connector& c) {
    const auto [file, line] = place_of(c.where);
    const auto add = [&, &shown = file, at = line](Severity severity, const char* rule, std::string message) {
      diagnostics_.add({severity, shown, at, rule, std::move(message)});
    };
    // SSP 1.0 has no arrays, but the name of a connector may be that of an array element.
    auto id = d.find(c.name);
    if (const auto array = d.find(graph::split_indices(c.name).first);
        id == describe::no_variable && array != describe::no_variable && d[array].is_array())
      id = array;
    if (id == describe::no_variable) {
      std::vector<std::string_view> names;
      for (const auto& v : d.variables) names.push_back(v.name);
      return add(
          Severity::warning, "SSP 2.0, 5.2.1: connectors match variables",
          fmt::format("the component '{}' has no variable '{}'{}", component.name, c.name, suggestion(c.name, names)));
    }
    const auto& v = d[id];
    const bool into = c.causality == Causality::input || c.causality == Causality::parameter;
    const bool is_into = v.causality == Causality::input || v.causality == Causality::parameter;
    if (c.causality != Causality::local && into != is_into && v.causality != Causality::local)
      add(Severity::warning, "SSP 2.0, 5.2.1: kinds match causalities",
          fmt::format("the connector '{}' of '{}' is {}, but the variable is {}", c.name, component.name,
                      describe::name_of(c.causality), describe::name_of(v.causality)));
    if (c.type && *c.type != v.type && !(is_float(*c.type) && is_float(v.type)) &&
        !(*c.type == Type::Int32 && v.type == Type::Enumeration) &&
        !(*c.type == Type::Enumeration && v.type == Type::Int32) && !(*c.type == Type::Binary && v.type == Type::Int32))
      add(Severity::warning, "SSP 2.0, 5.2.1: types match",
          fmt::format("the connector '{}' of '{}' is {}, but the variable is {}; the variable's type is used", c.name,
                      component.name, name_of(*c.type), name_of(v.type)));
    check_unit(c, &d);
    const auto said = graph::find_measure(systems_, c.unit);
    const auto own = graph::measure_of(d, v);
    if (said && own && graph::fit(*own, *said, false).fit == graph::Fit::clash)
      add(Severity::error, "SSP 2.0, 5.2.1: units match",
          fmt::format("the connector '{}' of '{}' has the unit '{}', but the variable has '{}'; correct the unit",
                      c.name, component.name, said->name, own->name));
  }

  // `d`: of the unit that the connector belongs to; null for a connector of a system.
  void check_unit(const graph::Connector& c, const describe::Description* d) {
    const auto said = graph::find_measure(systems_, c.unit);
    const auto is_said = [&](const describe::Measure& m) { return m.name == c.unit; };
    if (!said || said->base || (d != nullptr && std::any_of(d->units.begin(), d->units.end(), is_said))) return;
    const auto [file, line] = place_of(c.where);
    diagnostics_.add(
        {Severity::warning, file, line, "SSP 2.0, 5.2.1: units are defined",
         fmt::format("the unit '{}' of the connector '{}' is not defined{}; numbers are passed as they are", c.unit,
                     c.name, graph::nearest_measure(c.unit))});
  }

  const graph::Catalogue& catalogue_;
  Diagnostics& diagnostics_;
  std::vector<const graph::System*> systems_;
};

}  // namespace

void check_connectors(const graph::System& system, const graph::Catalogue& catalogue, Diagnostics& diagnostics) {
  Checker(catalogue, diagnostics)(system);
}

}  // namespace consort::ssp
