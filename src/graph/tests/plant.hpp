// Builders for short descriptions, a catalogue of them, and functions that look routes up.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "graph/compile.hpp"

namespace consort::graph {

class Plant {
 public:
  describe::VariableId add(std::string_view name, describe::Causality causality, Type type = Type::Float64,
                           std::string_view unit = {}) {
    describe::Variable v;
    v.name = d.arena().store(name);
    v.reference = static_cast<ValueReference>(d.variables.size());
    v.type = type;
    v.causality = causality;
    v.variability = is_float(type) ? describe::Variability::continuous : describe::Variability::discrete;
    v.initial = causality == describe::Causality::output ? describe::Initial::calculated : describe::Initial::exact;
    if (causality == describe::Causality::parameter) v.variability = describe::Variability::fixed;
    if (!unit.empty()) v.unit = measure(unit);
    d.variables.push_back(v);
    return static_cast<describe::VariableId>(d.variables.size() - 1);
  }
  Plant& input(std::string_view name, Type type = Type::Float64, std::string_view unit = {}) {
    add(name, describe::Causality::input, type, unit);
    return *this;
  }
  Plant& parameter(std::string_view name, Type type = Type::Float64, std::string_view unit = {}) {
    add(name, describe::Causality::parameter, type, unit);
    return *this;
  }
  Plant& output(std::string_view name, Type type = Type::Float64, std::string_view unit = {}) {
    const auto id = add(name, describe::Causality::output, type, unit);
    d.structure.outputs.push_back({id, false, {}});
    return *this;
  }
  // Declares the dependencies of the last output.
  Plant& depends_on(const std::vector<std::string_view>& names) {
    auto& unknown = d.structure.outputs.back();
    unknown.declared = true;
    unknown.dependencies = {static_cast<std::uint32_t>(d.structure.dependencies.size()),
                            static_cast<std::uint32_t>(names.size())};
    for (const auto name : names)
      for (describe::VariableId v = 0; v < d.variables.size(); ++v)
        if (d.variables[v].name == name) d.structure.dependencies.push_back({v, describe::DependencyKind::dependent});
    return *this;
  }
  Plant& sized(const std::vector<std::uint64_t>& sizes) {  // the last variable
    auto& v = d.variables.back();
    v.dimensions = {static_cast<std::uint32_t>(d.dimensions.size()), static_cast<std::uint32_t>(sizes.size())};
    for (const auto size : sizes) d.dimensions.push_back({size, 0, false});
    return *this;
  }
  describe::Variable& last() { return d.variables.back(); }
  Plant& define(std::string_view unit, describe::BaseUnit base) {
    d.units[measure(unit)].base = base;
    return *this;
  }

  describe::Description d;

 private:
  describe::MeasureId measure(std::string_view unit) {
    for (describe::MeasureId i = 0; i < d.units.size(); ++i)
      if (d.units[i].name == unit) return i;
    describe::Measure m;
    m.name = d.arena().store(unit);
    d.units.push_back(std::move(m));
    return static_cast<describe::MeasureId>(d.units.size() - 1);
  }
};

class Shelf {
 public:
  Plant& add(const std::string& source) {
    auto& plant = plants_[source];
    plant = std::make_unique<Plant>();
    return *plant;
  }
  [[nodiscard]] Plan compile(const System& system, const CompileOptions& options = {}) {
    for (auto& [name, plant] : plants_)
      if (std::exchange(finished_[name], true) == false) plant->d.finish();
    const Catalogue catalogue = [this](const Component& c) -> const describe::Description& {
      const auto found = plants_.find(c.source.string());
      if (found == plants_.end()) throw input_error("there is no '{}'; add it to the shelf", c.source.string());
      return found->second->d;
    };
    return graph::compile(system, catalogue, options);
  }
  [[nodiscard]] std::string error(const System& system, const CompileOptions& options = {}) {
    try {
      static_cast<void>(compile(system, options));
    } catch (const Error& e) {
      EXPECT_EQ(e.fault(), Fault::input);
      return e.what();
    }
    ADD_FAILURE() << "compiled without an error";
    return {};
  }

 private:
  std::map<std::string, std::unique_ptr<Plant>> plants_;
  std::map<std::string, bool> finished_;
};

// SI definitions that the tests use.
inline constexpr describe::BaseUnit kelvin{{0, 0, 0, 0, 1, 0, 0, 0}, 1, 0};
inline constexpr describe::BaseUnit celsius{{0, 0, 0, 0, 1, 0, 0, 0}, 1, 273.15};
inline constexpr describe::BaseUnit fahrenheit{{0, 0, 0, 0, 1, 0, 0, 0}, 5.0 / 9, 273.15 - 32 * 5.0 / 9};
inline constexpr describe::BaseUnit pascal{{1, -1, -2, 0, 0, 0, 0, 0}, 1, 0};
inline constexpr describe::BaseUnit bar{{1, -1, -2, 0, 0, 0, 0, 0}, 1e5, 0};
inline constexpr describe::BaseUnit metre{{0, 1, 0, 0, 0, 0, 0, 0}, 1, 0};
inline constexpr describe::BaseUnit radian{{0, 0, 0, 0, 0, 0, 0, 1}, 1, 0};
inline constexpr describe::BaseUnit degree{{0, 0, 0, 0, 0, 0, 0, 1}, 0.017453292519943295, 0};

// The position of a variable's element in a column of the plan.
struct Place {
  Type type = Type::Float64;
  std::uint32_t element = 0;
};
inline Place place_of(const Plan& plan, std::string_view path, bool input, std::uint32_t element = 0) {
  const auto [unit, variable] = plan.require_variable(path);
  const auto& u = plan.units[unit];
  const auto& set = input ? u.inputs : u.outputs;
  for (std::size_t i = 0; i < set.choice().size(); ++i) {
    if (set.choice()[i] != variable) continue;
    const auto place = set.place(i);
    const auto& first = input ? u.first_input : u.first_output;
    return {place.type, first[static_cast<std::size_t>(place.type)] + place.first + element};
  }
  ADD_FAILURE() << path << " is not in the plan";
  return {};
}

// The start value of a variable in the plan, as text; "-" when none was set.
inline std::string start(const Plan& plan, std::string_view path) {
  const auto [unit, variable] = plan.require_variable(path);
  const auto& set = plan.units[unit].starts.others();
  for (std::size_t i = 0; i < set.variables.size(); ++i)
    if (set.variables[i] == variable) return set.values[i].text();
  return "-";
}

// The route of an input element, from whichever table of the plan holds it.
struct Route {
  Place source;
  double factor = 1;
  double offset = 0;
  const Conversion* conversion = nullptr;
};
inline std::optional<Route> route_of(const Plan& plan, std::string_view input, std::uint32_t element = 0) {
  const Place to = place_of(plan, input, true, element);
  const auto source = plan.sources[static_cast<std::size_t>(to.type)][to.element];
  std::optional<Route> route;
  if (source != no_source) {
    route = Route{{to.type, source}};
    for (const auto& s : plan.scalings)
      if (to.type == Type::Float64 && s.input == to.element) route->factor = s.factor, route->offset = s.offset;
  }
  for (const auto& c : plan.conversions) {
    if (c.to != to.type || c.input != to.element) continue;
    EXPECT_FALSE(route.has_value()) << input << " is routed twice";
    route = Route{{c.from, c.source}, c.factor, c.offset, &c};
  }
  return route;
}
inline bool comes_from(const Plan& plan, std::string_view input, std::string_view output, std::uint32_t to = 0,
                       std::uint32_t from = 0) {
  const auto route = route_of(plan, input, to);
  const Place source = place_of(plan, output, false, from);
  return route && route->source.type == source.type && route->source.element == source.element;
}

}  // namespace consort::graph
