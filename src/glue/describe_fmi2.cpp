#include <array>
#include <cmath>
#include <string>

#include "glue/description.hpp"
#include "glue/description_parts.hpp"
#include "glue/xml.hpp"

namespace consort::glue {
namespace {

// FMI 2.0, 2.2.7: the valid combinations. Constants are not parameters there, and structural parameters become
// constants.
struct Words {
  const char* causality;
  const char* variability;
  const char* initial;  // empty: no attribute
};

Words words_of(const model::Variable& v) {
  Words words{name_of(v.causality), name_of(v.variability), name_of(v.initial)};
  if (v.causality == model::Causality::structural_parameter) words = {"local", "constant", "exact"};
  if (v.causality == model::Causality::parameter && v.variability == model::Variability::constant) {
    words.causality = "local";
  }
  return words;
}

const char* fmi2_element(model::Kind kind) {
  switch (kind) {
    case model::Kind::float32:
    case model::Kind::float64: return "Real";
    case model::Kind::boolean: return "Boolean";
    case model::Kind::string: return "String";
    case model::Kind::enumeration: return "Enumeration";
    default: return "Integer";
  }
}

class Fmi2Writer {
 public:
  Fmi2Writer(const Exported& exported, const DescriptionOptions& options)
      : model_(exported, model::Layout::Style::scalars), options_(options) {
    // FMI 2.0 has no type for binaries; all other slots get the next index, to which ModelStructure refers.
    indices_.assign(model_.layout.slots().size(), 0);
    std::size_t index = 1;  // the time
    for (std::uint32_t reference = 0; reference < indices_.size(); ++reference) {
      if (reference == 0 || model_.layout.slots()[reference].kind != model::Kind::binary) indices_[reference] = index++;
    }
  }

  std::string write() {
    write_root();
    if (options_.model_exchange) write_model_exchange();
    if (options_.co_simulation) write_co_simulation();
    write_units(xml_, model_, "BaseUnit");
    write_types();
    write_log_categories(xml_);
    write_experiment(xml_, model_.exported.definition->info, true);
    if (options_.co_simulation) write_annotation(xml_);
    write_variables();
    write_structure();
    return xml_.close().text();
  }

 private:
  void write_root() {
    const model::Info& info = model_.exported.definition->info;
    xml_.open("fmiModelDescription")
        .attribute("fmiVersion", "2.0")
        .attribute("modelName", model_.exported.name)
        .attribute("guid", model_.token)
        .optional("description", info.description)
        .attribute("version", info.version)
        .attribute("generationTool", options_.generation_tool)
        .attribute("variableNamingConvention", "structured")
        .attribute("numberOfEventIndicators", model_.layout.indicators().size());
  }

  void write_capabilities() {
    xml_.attribute("canNotUseMemoryManagementFunctions", true)
        .attribute("canGetAndSetFMUstate", true)
        .attribute("canSerializeFMUstate", true)
        .attribute("providesDirectionalDerivative", true)
        .close();
  }

  void write_model_exchange() {
    xml_.open("ModelExchange")
        .attribute("modelIdentifier", model_.exported.name)
        .attribute("completedIntegratorStepNotNeeded", model_.exported.definition->completed == nullptr);
    write_capabilities();
  }

  void write_co_simulation() {
    xml_.open("CoSimulation")
        .attribute("modelIdentifier", model_.exported.name)
        .attribute("canHandleVariableCommunicationStepSize", true)
        .attribute("canInterpolateInputs", true)
        .attribute("maxOutputDerivativeOrder", 1);
    write_capabilities();
  }

  void write_types() {
    const auto enumerations = model_.enumerations();
    if (enumerations.empty()) return;
    xml_.open("TypeDefinitions");
    for (const model::Variable* v : enumerations) {
      xml_.open("SimpleType").attribute("name", model_.type_name(*v)).open("Enumeration");
      int value = 0;
      for (const std::string_view item : v->items) {
        xml_.open("Item").attribute("name", item).attribute("value", ++value).close();
      }
      xml_.close().close();
    }
    xml_.close();
  }

  void write_variables() {
    xml_.open("ModelVariables");
    xml_.open("ScalarVariable")
        .attribute("name", "time")
        .attribute("valueReference", 0)
        .attribute("description", "simulation time")
        .attribute("causality", "independent")
        .attribute("variability", "continuous");
    xml_.open("Real").close().close();
    for (std::uint32_t reference = 1; reference < indices_.size(); ++reference) {
      if (indices_[reference] != 0) write_variable(reference);
    }
    xml_.close();
  }

  void write_variable(std::uint32_t reference) {
    const model::Slot& slot = model_.layout.slots()[reference];
    const model::Variable& v = model_.variable(slot);
    const Words words = words_of(v);
    xml_.open("ScalarVariable")
        .attribute("name", model_.name(slot))
        .attribute("valueReference", reference)
        .optional("description", v.description)
        .attribute("causality", words.causality)
        .attribute("variability", words.variability)
        .optional("initial", words.initial);
    xml_.open(fmi2_element(v.kind));
    if (v.kind == model::Kind::enumeration) xml_.attribute("declaredType", model_.type_name(v));
    write_numbers(xml_, model_, slot);
    if (model_.has_start(slot)) xml_.attribute("start", model_.start(slot));
    if (v.is_rate) xml_.attribute("derivative", indices_[state_of_rate(model_.layout, reference)]);
    xml_.close().close();
  }

  void write_structure() {
    xml_.open("ModelStructure");
    const Unknowns unknowns(model_);
    write_unknowns("Outputs", unknowns.outputs, true);
    write_unknowns("Derivatives", unknowns.rates, true);
    write_unknowns("InitialUnknowns", unknowns.initial, false);
    xml_.close();
  }

  void write_unknowns(const char* element, const std::vector<std::uint32_t>& references, bool with_dependencies) {
    bool any = false;
    for (const std::uint32_t reference : references) {
      if (indices_[reference] == 0) continue;
      if (!any) xml_.open(element);
      any = true;
      xml_.open("Unknown").attribute("index", indices_[reference]);
      const Dependencies known = dependencies_of(model_, reference);
      if (with_dependencies && known.declared) xml_.attribute("dependencies", list_of(known.references));
      xml_.close();
    }
    if (any) xml_.close();
  }

  [[nodiscard]] std::string list_of(const std::vector<std::uint32_t>& references) const {
    std::string text;
    for (const std::uint32_t reference : references) {
      if (indices_[reference] == 0) continue;
      if (!text.empty()) text += ' ';
      text += std::to_string(indices_[reference]);
    }
    return text;
  }

  DescribedModel model_;
  const DescriptionOptions& options_;
  std::vector<std::size_t> indices_;  // in ModelVariables, from 1; 0: not contained
  Xml xml_;
};

}  // namespace

std::string describe_fmi2(const Exported& exported, const DescriptionOptions& options) {
  return Fmi2Writer(exported, options).write();
}

}  // namespace consort::glue
