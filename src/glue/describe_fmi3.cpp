#include <string>

#include "glue/description.hpp"
#include "glue/description_parts.hpp"
#include "glue/xml.hpp"

namespace consort::glue {
namespace {

const char* fmi3_element(model::Kind kind) {
  static constexpr const char* names[] = {"Float32", "Float64", "Int8",   "UInt8",   "Int16",  "UInt16", "Int32",
                                          "UInt32",  "Int64",   "UInt64", "Boolean", "String", "Binary", "Enumeration"};
  return names[static_cast<std::size_t>(kind)];
}

bool is_float64(const model::Variable& v) { return v.kind == model::Kind::float64; }

class Fmi3Writer {
 public:
  Fmi3Writer(const Exported& exported, const DescriptionOptions& options)
      : model_(exported, model::Layout::Style::arrays), options_(options) {}

  std::string write() {
    const model::Info& info = model_.exported.definition->info;
    xml_.open("fmiModelDescription")
        .attribute("fmiVersion", "3.0")
        .attribute("modelName", model_.exported.name)
        .attribute("instantiationToken", model_.token)
        .optional("description", info.description)
        .attribute("version", info.version)
        .attribute("generationTool", options_.generation_tool)
        .attribute("variableNamingConvention", "structured");
    if (options_.model_exchange) write_model_exchange();
    if (options_.co_simulation) write_co_simulation();
    write_units(xml_, model_, "BaseUnit");
    write_types();
    write_log_categories(xml_);
    write_experiment(xml_, info, true);
    write_variables();
    write_structure();
    return xml_.close().text();
  }

 private:
  void write_capabilities() {
    xml_.attribute("canGetAndSetFMUState", true)
        .attribute("canSerializeFMUState", true)
        .attribute("providesDirectionalDerivatives", true)
        .attribute("providesAdjointDerivatives", true);
  }

  void write_model_exchange() {
    xml_.open("ModelExchange").attribute("modelIdentifier", model_.exported.name);
    write_capabilities();
    xml_.attribute("needsCompletedIntegratorStep", model_.exported.definition->completed != nullptr).close();
  }

  void write_co_simulation() {
    const model::Definition& definition = *model_.exported.definition;
    xml_.open("CoSimulation").attribute("modelIdentifier", model_.exported.name);
    write_capabilities();
    xml_.attribute("canHandleVariableCommunicationStepSize", true)
        .attribute("maxOutputDerivativeOrder", 1)
        .attribute("providesIntermediateUpdate", true)
        .attribute("mightReturnEarlyFromDoStep", definition.event != nullptr)
        .attribute("canReturnEarlyAfterIntermediateUpdate", true)
        .attribute("hasEventMode", true)
        .close();
  }

  void write_types() {
    const auto enumerations = model_.enumerations();
    if (enumerations.empty()) return;
    xml_.open("TypeDefinitions");
    for (const model::Variable* v : enumerations) {
      xml_.open("EnumerationType").attribute("name", model_.type_name(*v));
      int value = 0;
      for (const std::string_view item : v->items) {
        xml_.open("Item").attribute("name", item).attribute("value", ++value).close();
      }
      xml_.close();
    }
    xml_.close();
  }

  void write_variables() {
    xml_.open("ModelVariables");
    xml_.open("Float64")
        .attribute("name", "time")
        .attribute("valueReference", 0)
        .attribute("description", "simulation time")
        .attribute("causality", "independent")
        .attribute("variability", "continuous")
        .close();
    for (std::uint32_t reference = 1; reference < model_.layout.slots().size(); ++reference) write_variable(reference);
    xml_.close();
  }

  void write_variable(std::uint32_t reference) {
    const model::Slot& slot = model_.layout.slots()[reference];
    const model::Variable& v = model_.variable(slot);
    // FMI 3.0, 2.4.7.4: a parameter is fixed or tunable, so a constant is local.
    const bool constant = v.causality == model::Causality::parameter && v.variability == model::Variability::constant;
    xml_.open(fmi3_element(v.kind))
        .attribute("name", model_.name(slot))
        .attribute("valueReference", reference)
        .optional("description", v.description)
        .attribute("causality", constant ? "local" : name_of(v.causality))
        .attribute("variability", name_of(v.variability))
        .optional("initial", name_of(v.initial));
    const bool moves = is_float64(v) && v.variability == model::Variability::continuous;
    if (moves && (v.causality == model::Causality::input || v.causality == model::Causality::output || v.is_state())) {
      xml_.attribute("intermediateUpdate", true);
    }
    if (v.kind == model::Kind::enumeration) xml_.attribute("declaredType", model_.type_name(v));
    if (v.kind == model::Kind::binary) {
      xml_.attribute("maxSize", v.element_size - static_cast<std::uint32_t>(sizeof(std::uint32_t)));
    }
    write_numbers(xml_, model_, slot);
    const bool by_elements = v.kind == model::Kind::string || v.kind == model::Kind::binary;
    const std::size_t elements = model::element_count(*model_.exported.definition, v, model_.specimen);
    if (v.is_rate) xml_.attribute("derivative", state_of_rate(model_.layout, reference));
    if (model_.has_start(slot) && !by_elements) xml_.attribute("start", starts(slot, elements));
    write_dimensions(v);
    if (model_.has_start(slot) && by_elements) {
      for (std::size_t i = 0; i < elements; ++i) {
        xml_.open("Start").attribute("value", model_.start(slot, i)).close();
      }
    }
    xml_.close();
  }

  [[nodiscard]] std::string starts(const model::Slot& slot, std::size_t elements) const {
    std::string text;
    for (std::size_t i = 0; i < elements; ++i) {
      if (i > 0) text += ' ';
      text += model_.start(slot, i);
    }
    return text;
  }

  void write_dimensions(const model::Variable& v) {
    if (v.sizes.count > 0) {
      for (const std::string_view member : v.sizes) {
        xml_.open("Dimension").attribute("valueReference", model_.references({&member, 1}).front()).close();
      }
      return;
    }
    if (v.rank >= 1) xml_.open("Dimension").attribute("start", v.rows).close();
    if (v.rank == 2) xml_.open("Dimension").attribute("start", v.columns).close();
  }

  void write_structure() {
    xml_.open("ModelStructure");
    const Unknowns unknowns(model_);
    write_unknowns("Output", unknowns.outputs, true);
    write_unknowns("ContinuousStateDerivative", unknowns.rates, true);
    write_unknowns("InitialUnknown", unknowns.initial, false);
    write_unknowns("EventIndicator", model_.layout.indicators(), false);
    xml_.close();
  }

  void write_unknowns(const char* element, const std::vector<std::uint32_t>& references, bool with_dependencies) {
    for (const std::uint32_t reference : references) {
      xml_.open(element).attribute("valueReference", reference);
      const Dependencies known = dependencies_of(model_, reference);
      if (with_dependencies && known.declared) {
        std::string list;
        for (const std::uint32_t dependency : known.references) {
          if (!list.empty()) list += ' ';
          list += std::to_string(dependency);
        }
        xml_.attribute("dependencies", list);
      }
      xml_.close();
    }
  }

  DescribedModel model_;
  const DescriptionOptions& options_;
  Xml xml_;
};

}  // namespace

std::string describe_fmi3(const Exported& exported, const DescriptionOptions& options) {
  return Fmi3Writer(exported, options).write();
}

}  // namespace consort::glue
