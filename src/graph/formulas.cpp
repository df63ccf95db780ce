#include "graph/formulas.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "graph/known_measures.hpp"
#include "graph/measures.hpp"

namespace consort::graph {

namespace {

std::optional<expr::Unit> unit_of(const std::optional<describe::Measure>& measure, bool relative = false) {
  if (!measure || !measure->base) return std::nullopt;
  expr::Unit unit{std::string(measure->name), *measure->base};
  if (relative) unit.base.offset = 0;
  return unit;
}

expr::Kind kind_of(Type type) {
  if (is_float(type)) return expr::Kind::real;
  return type == Type::Boolean ? expr::Kind::boolean : expr::Kind::integer;
}

class NamesOfSystem final : public expr::Resolver {
 public:
  NamesOfSystem(const FormulaSetup& setup, std::vector<Source>& sources) : setup_(setup), sources_(sources) {}

  [[nodiscard]] std::optional<expr::Operand> find(std::string_view name) const override {
    const auto& all = setup_.expression.operands;
    const auto known = std::find_if(all.begin(), all.end(), [&](const Operand& o) { return o.name == name; });
    if (known == all.end() || !known->port) return std::nullopt;
    return known->port->unit != no_unit ? variable(*known) : connector(*known);
  }

  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> all;
    const auto& system = *setup_.expression.system;
    for (const auto& c : system.connectors) all.push_back(c.name);
    for (const auto& inner : system.systems)
      for (const auto& c : inner.connectors) all.push_back(inner.name + "." + c.name);
    for (const auto& unit : setup_.flat.units) {
      if (unit.systems.back() != &system) continue;
      for (const auto& v : unit.description->variables)
        all.push_back(fmt::format("{}.{}", unit.component->name, v.name));
    }
    return all;
  }

  [[nodiscard]] std::optional<describe::BaseUnit> unit(std::string_view name) const override {
    const System* const systems[] = {setup_.expression.system};
    const auto measure = find_measure(systems, name);
    return measure ? measure->base : std::nullopt;
  }
  [[nodiscard]] std::string nearest_unit(std::string_view name) const override { return nearest_measure(name); }

 private:
  std::uint32_t add(Source source) const {
    require(sources_.size() < Formula::most_operands,
            "an expression reads at most {} variables; divide it among several connectors", Formula::most_operands);
    sources_.push_back(std::move(source));
    return static_cast<std::uint32_t>(sources_.size() - 1);
  }

  [[nodiscard]] std::optional<expr::Operand> variable(const Operand& operand) const {
    const auto& port = *operand.port;
    const auto& unit = setup_.flat.units[port.unit];
    const auto& d = *unit.description;
    if (!has_variable(d, port.connector)) return std::nullopt;
    Source source;
    source.from = find_elements(setup_.flat, port.unit, port.connector, setup_.starts[port.unit],
                                fmt::format("'{}'", operand.name));
    const auto& v = d[source.from.variable];
    require(source.from.count == 1, "'{}' is an array; name one of its elements, such as {}[1]", operand.name,
            operand.name);
    require(is_scalar_like(v.type) && v.type != Type::Clock, "'{}' is a {} and has no number", operand.name,
            name_of(v.type));
    expr::Operand known;
    known.kind = kind_of(v.type);
    known.discrete = v.variability != describe::Variability::continuous;
    known.unit = unit_of(measure_of(d, v), v.relative_quantity);
    known.slot = add(source);
    return known;
  }

  static bool has_variable(const describe::Description& d, std::string_view name) {
    return d.find(name) != describe::no_variable || d.find(split_indices(name).first) != describe::no_variable;
  }

  [[nodiscard]] std::optional<expr::Operand> connector(const Operand& operand) const {
    const auto& node = setup_.flat.nodes[operand.port->node];
    const auto causality = node.connector->causality;
    if (causality == describe::Causality::parameter || causality == describe::Causality::structural_parameter) {
      const auto& value = setup_.flat.parameter_values[operand.port->node];
      require(value.has_value(),
              "the parameter '{}' has no value; give it one where it is declared ({}: {{value: 1}}), or set it",
              operand.name, operand.name);
      const System* const systems[] = {node.system};
      return expr::Operand::constant(*value, unit_of(find_measure(systems, node.connector->unit)));
    }
    const auto traced = setup_.trace(*operand.port);
    expr::Operand known;
    known.unit = unit_of(traced.measure);
    if (const auto& from = traced.source.from; from.unit != no_unit) {
      const auto& v = (*setup_.flat.units[from.unit].description)[from.variable];
      known.kind = kind_of(v.type);
      known.discrete = v.variability != describe::Variability::continuous;
    } else {
      const auto type = setup_.flat.nodes[traced.source.external].connector->type.value_or(Type::Float64);
      known.kind = kind_of(type);
      known.discrete = !is_float(type);
    }
    known.slot = add(traced.source);
    return known;
  }

  const FormulaSetup& setup_;
  std::vector<Source>& sources_;
};

}  // namespace

std::shared_ptr<const FormulaLink> make_formula(const FormulaSetup& setup) {
  auto formula = std::make_shared<FormulaLink>();
  const NamesOfSystem names(setup, formula->sources);
  expr::CompileOptions options;
  options.expected = setup.expected;
  options.target = unit_of(setup.target);
  formula->text = setup.expression.text;
  formula->program = expr::compile(setup.expression.tree, names, options);
  return formula;
}

}  // namespace consort::graph
