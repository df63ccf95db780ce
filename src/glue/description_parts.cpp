#include "glue/description_parts.hpp"

#include <cmath>

#include "consort/model/units.hpp"

namespace consort::glue {

const char* name_of(model::Causality causality) {
  switch (causality) {
    case model::Causality::parameter: return "parameter";
    case model::Causality::calculated_parameter: return "calculatedParameter";
    case model::Causality::input: return "input";
    case model::Causality::output: return "output";
    case model::Causality::local: return "local";
    case model::Causality::structural_parameter: break;
  }
  return "structuralParameter";
}

const char* name_of(model::Variability variability) {
  switch (variability) {
    case model::Variability::constant: return "constant";
    case model::Variability::fixed: return "fixed";
    case model::Variability::tunable: return "tunable";
    case model::Variability::discrete: return "discrete";
    case model::Variability::continuous: break;
  }
  return "continuous";
}

const char* name_of(model::Initial initial) {
  switch (initial) {
    case model::Initial::exact: return "exact";
    case model::Initial::approx: return "approx";
    case model::Initial::calculated: return "calculated";
    case model::Initial::none: break;
  }
  return "";
}

void write_units(Xml& xml, const DescribedModel& model, const char* base_element) {
  static constexpr const char* base_names[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
  const auto units = model.units();
  if (units.empty()) return;
  xml.open("UnitDefinitions");
  for (const UsedUnit& used : units) {
    const model::Unit unit = model::parse_unit(used.name);
    xml.open("Unit").attribute("name", used.name).open(base_element);
    for (std::size_t i = 0; i < 8; ++i) {
      if (unit.exponents[i] != 0) xml.attribute(base_names[i], static_cast<int>(unit.exponents[i]));
    }
    if (unit.factor != 1) xml.attribute("factor", unit.factor);
    if (unit.offset != 0) xml.attribute("offset", unit.offset);
    xml.close();
    for (const std::string& name : used.display_units) {
      const model::Unit display = model::parse_unit(name);
      xml.open("DisplayUnit").attribute("name", name);
      if (display.factor != unit.factor) xml.attribute("factor", unit.factor / display.factor);
      const double offset = (unit.offset - display.offset) / display.factor;
      if (offset != 0) xml.attribute("offset", offset);
      xml.close();
    }
    xml.close();
  }
  xml.close();
}

void write_log_categories(Xml& xml) {
  xml.open("LogCategories");
  for (const LogCategoryText& category : log_categories) {
    xml.open("Category").attribute("name", category.name).attribute("description", category.description).close();
  }
  xml.close();
}

void write_experiment(Xml& xml, const model::Info& info, bool with_step) {
  xml.open("DefaultExperiment").attribute("startTime", 0.0).attribute("stopTime", info.stop_time);
  if (with_step) xml.attribute("stepSize", info.step);
  xml.close();
}

void write_annotation(Xml& xml) {
  xml.open("VendorAnnotations").open("Tool").attribute("name", "Consort");
  xml.open("InputDerivatives").attribute("highestOrder", model::polynomial_order).close();
  xml.close().close();
}

void write_numbers(Xml& xml, const DescribedModel& model, const model::Slot& slot) {
  const model::Variable& v = model.variable(slot);
  const bool is_real = v.kind == model::Kind::float64 || v.kind == model::Kind::float32;
  if (v.kind == model::Kind::string || v.kind == model::Kind::boolean || v.kind == model::Kind::binary) return;
  xml.optional("quantity", v.quantity);
  if (is_real) xml.optional("unit", model.unit(slot)).optional("displayUnit", v.display_unit);
  const auto bound = [&](const char* name, double value) {
    if (!std::isfinite(value)) return;
    if (is_real) {
      xml.attribute(name, value);
    } else {
      xml.attribute(name, static_cast<std::int64_t>(value));
    }
  };
  bound("min", v.min);
  bound("max", v.max);
  if (is_real && v.nominal > 0) xml.attribute("nominal", v.nominal);
}

std::uint32_t state_of_rate(const model::Layout& layout, std::uint32_t rate) {
  for (const std::uint32_t state : layout.states()) {
    if (layout.rate_of(state) == rate) return state;
  }
  return 0;
}

// FMI 2.0, 2.2.8; FMI 3.0, 2.4.8: initial unknowns are outputs, derivatives, states and calculated parameters whose
// `initial` is not exact.
Unknowns::Unknowns(const DescribedModel& model) {
  for (std::uint32_t reference = 1; reference < model.layout.slots().size(); ++reference) {
    const model::Variable& v = model.variable(model.layout.slots()[reference]);
    const bool is_output = v.causality == model::Causality::output;
    if (is_output) outputs.push_back(reference);
    if (v.is_rate) rates.push_back(reference);
    if (v.initial != model::Initial::calculated) continue;
    if (is_output || v.is_rate || v.is_state() || v.causality == model::Causality::calculated_parameter) {
      initial.push_back(reference);
    }
  }
}

Dependencies dependencies_of(const DescribedModel& model, std::uint32_t reference) {
  const model::Variable& v = model.variable(model.layout.slots()[reference]);
  if (v.is_state()) return {true, {reference}};
  if (!v.dependencies_declared) return {};
  return {true, model.references(v.dependencies)};
}

}  // namespace consort::glue
