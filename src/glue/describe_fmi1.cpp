#include <string>

#include "consort/model/units.hpp"
#include "glue/description.hpp"
#include "glue/description_parts.hpp"
#include "glue/xml.hpp"

namespace consort::glue {
namespace {

const char* fmi1_element(model::Kind kind) {
  switch (kind) {
    case model::Kind::float32:
    case model::Kind::float64: return "Real";
    case model::Kind::boolean: return "Boolean";
    case model::Kind::string: return "String";
    case model::Kind::enumeration: return "Enumeration";
    default: return "Integer";
  }
}

const char* causality_of(const model::Variable& v) {
  if (v.causality == model::Causality::input) return "input";
  if (v.causality == model::Causality::output) return "output";
  return "internal";
}

const char* variability_of(const model::Variable& v) {
  if (v.causality == model::Causality::structural_parameter) return "constant";
  switch (v.variability) {
    case model::Variability::constant: return "constant";
    case model::Variability::fixed:
    case model::Variability::tunable: return "parameter";
    case model::Variability::discrete: return "discrete";
    case model::Variability::continuous: break;
  }
  return "continuous";
}

class Fmi1Writer {
 public:
  Fmi1Writer(const Exported& exported, const DescriptionOptions& options)
      : model_(exported, model::Layout::Style::scalars), options_(options) {}

  std::string write() {
    const model::Info& info = model_.exported.definition->info;
    xml_.open("fmiModelDescription")
        .attribute("fmiVersion", "1.0")
        .attribute("modelName", model_.exported.name)
        .attribute("modelIdentifier", model_.exported.name)
        .attribute("guid", model_.token)
        .optional("description", info.description)
        .attribute("version", info.version)
        .attribute("generationTool", options_.generation_tool)
        .attribute("variableNamingConvention", "structured")
        .attribute("numberOfContinuousStates", model_.layout.states().size())
        .attribute("numberOfEventIndicators", model_.layout.indicators().size());
    write_base_units();
    write_types();
    write_experiment(xml_, info, false);
    if (options_.co_simulation) write_annotation(xml_);
    xml_.open("ModelVariables");
    for (std::uint32_t reference = 1; reference < model_.layout.slots().size(); ++reference) {
      if (model_.layout.slots()[reference].kind != model::Kind::binary) write_variable(reference);
    }
    xml_.close();
    if (options_.co_simulation) write_implementation();
    return xml_.close().text();
  }

 private:
  void write_base_units() {
    const auto units = model_.units();
    if (units.empty()) return;
    xml_.open("UnitDefinitions");
    for (const UsedUnit& used : units) {
      const model::Unit unit = model::parse_unit(used.name);
      xml_.open("BaseUnit").attribute("unit", used.name);
      for (const std::string& name : used.display_units) {
        const model::Unit display = model::parse_unit(name);
        xml_.open("DisplayUnitDefinition")
            .attribute("displayUnit", name)
            .attribute("offset", (unit.offset - display.offset) / display.factor)
            .attribute("gain", unit.factor / display.factor)
            .close();
      }
      xml_.close();
    }
    xml_.close();
  }

  void write_types() {
    const auto enumerations = model_.enumerations();
    if (enumerations.empty()) return;
    xml_.open("TypeDefinitions");
    for (const model::Variable* v : enumerations) {
      xml_.open("Type").attribute("name", model_.type_name(*v));
      xml_.open("EnumerationType").attribute("min", 1).attribute("max", v->items.count);
      for (const std::string_view item : v->items) xml_.open("Item").attribute("name", item).close();
      xml_.close().close();
    }
    xml_.close();
  }

  void write_variable(std::uint32_t reference) {
    const model::Slot& slot = model_.layout.slots()[reference];
    const model::Variable& v = model_.variable(slot);
    xml_.open("ScalarVariable")
        .attribute("name", model_.name(slot))
        .attribute("valueReference", reference)
        .optional("description", v.description)
        .attribute("variability", variability_of(v))
        .attribute("causality", causality_of(v));
    xml_.open(fmi1_element(v.kind));
    if (v.kind == model::Kind::enumeration) xml_.attribute("declaredType", model_.type_name(v));
    write_numbers(xml_, model_, slot);
    if (model_.has_start(slot)) xml_.attribute("start", model_.start(slot));
    xml_.close();
    write_direct_dependency(reference);
    xml_.close();
  }

  // DirectDependency lists only inputs: FMI 1.0 for Model Exchange, 3.3.
  void write_direct_dependency(std::uint32_t reference) {
    const model::Variable& output = model_.variable(model_.layout.slots()[reference]);
    const Dependencies known = dependencies_of(model_, reference);
    if (output.causality != model::Causality::output || !known.declared) return;
    xml_.open("DirectDependency");
    for (const std::uint32_t dependency : known.references) {
      const model::Slot& slot = model_.layout.slots()[dependency];
      if (model_.variable(slot).causality != model::Causality::input || slot.kind == model::Kind::binary) continue;
      xml_.open("Name").content(model_.name(slot));
    }
    xml_.close();
  }

  void write_implementation() {
    xml_.open("Implementation").open("CoSimulation_StandAlone");
    xml_.open("Capabilities")
        .attribute("canHandleVariableCommunicationStepSize", true)
        .attribute("canHandleEvents", true)
        .attribute("canRejectSteps", false)
        .attribute("canInterpolateInputs", true)
        .attribute("maxOutputDerivativeOrder", 1)
        .attribute("canRunAsynchronuously", false)
        .attribute("canSignalEvents", false)
        .attribute("canBeInstantiatedOnlyOncePerProcess", false)
        .attribute("canNotUseMemoryManagementFunctions", true)
        .close();
    xml_.close().close();
  }

  DescribedModel model_;
  const DescriptionOptions& options_;
  Xml xml_;
};

}  // namespace

std::string describe_fmi1(const Exported& exported, const DescriptionOptions& options) {
  return Fmi1Writer(exported, options).write();
}

}  // namespace consort::glue
