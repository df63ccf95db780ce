#include "fmi/v1/description.hpp"

#include <string_view>
#include <vector>

#include "fmi/description_reader.hpp"

namespace consort::fmi::v1 {

using namespace describe;

namespace {

class Parser {
 public:
  Parser(const XmlDocument& document, Description& description, Diagnostics& diagnostics)
      : root_(document.root()), r_(document, description, diagnostics), d_(description) {}

  void run() {
    r_.model_attributes(root_);
    d_.instantiation_token = r_.text(root_, "guid", true, "FMI 1.0, 3.1: guid");
    interfaces();
    units();
    types();
    r_.default_experiment(root_.child("DefaultExperiment"));
    r_.annotations(root_.child("VendorAnnotations"), "name");
    variables();
    d_.finish();
    structure();
    if (const auto a = root_.attribute("numberOfContinuousStates")) d_.continuous_states = r_.natural(root_, a, 0);
    if (const auto a = root_.attribute("numberOfEventIndicators")) d_.event_indicators = r_.natural(root_, a, 0);
  }

 private:
  static constexpr const char* variable_rule = "FMI 1.0, 3.4: ScalarVariable";

  // --- interfaces: with <Implementation> an FMU of FMI 1.0 is for Co-Simulation, otherwise for Model Exchange

  void interfaces() {
    Interface i;
    i.model_identifier = r_.text(root_, "modelIdentifier", true, "schema");
    const auto implementation = root_.child("Implementation");
    if (!implementation) {
      i.type = InterfaceType::model_exchange;
      i.event_mode = true;
      d_.interfaces.push_back(std::move(i));
      return;
    }
    i.type = InterfaceType::co_simulation;
    i.needs_completed_integrator_step = false;
    auto kind = implementation.child("CoSimulation_StandAlone");
    if (!kind) kind = implementation.child("CoSimulation_Tool");
    if (!kind)
      r_.report(Severity::warning, implementation, "schema",
                "<Implementation> has neither StandAlone nor Tool; taken as stand-alone");
    if (std::string_view(kind.name()) == "CoSimulation_Tool") {
      i.needs_execution_tool = true;
      const auto model = kind.child("Model");
      i.entry_point = model.attribute("entryPoint").value();
      i.mime_type = model.attribute("type").value();
    }
    capabilities(kind.child("Capabilities"), i);
    d_.interfaces.push_back(std::move(i));
  }

  void capabilities(pugi::xml_node node, Interface& i) {
    for (const auto a : node.attributes()) {
      switch (xml_key(a.name())) {
        case xml_key("canHandleVariableCommunicationStepSize"): i.variable_step = r_.boolean(node, a, false); break;
        case xml_key("canHandleEvents"): break;  // reported by the unit's doStep itself
        case xml_key("canRejectSteps"): i.can_reject_steps = r_.boolean(node, a, false); break;
        case xml_key("canInterpolateInputs"): i.interpolates_inputs = r_.boolean(node, a, false); break;
        case xml_key("maxOutputDerivativeOrder"): i.max_output_derivative_order = r_.natural(node, a, 0); break;
        case xml_key("canRunAsynchronuously"): i.runs_asynchronously = r_.boolean(node, a, false); break;
        case xml_key("canSignalEvents"): i.can_signal_events = r_.boolean(node, a, false); break;
        case xml_key("canBeInstantiatedOnlyOncePerProcess"):
          i.only_once_per_process = r_.boolean(node, a, false);
          break;
        case xml_key("canNotUseMemoryManagementFunctions"): i.no_memory_management = r_.boolean(node, a, false); break;
        default: r_.unknown_attribute(node, a);
      }
    }
  }

  // --- units and types

  // <BaseUnit unit="K"><DisplayUnitDefinition displayUnit="degC" gain="1" offset="-273.15"/></BaseUnit>
  void units() {
    for (const auto node : root_.child("UnitDefinitions").children("BaseUnit")) {
      const MeasureId id = r_.unit(node, node.attribute("unit").value(), false);
      d_.units[id].line = r_.line(node);
      for (const auto display : node.children("DisplayUnitDefinition")) {
        DisplayUnit unit;
        unit.name = r_.keep(display.attribute("displayUnit").value());
        unit.factor = r_.optional_number(display, "gain").value_or(1.0);
        unit.offset = r_.optional_number(display, "offset").value_or(0.0);
        d_.units[id].display_units.push_back(unit);
      }
    }
  }

  static std::optional<Type> type_of_element(std::string_view name) {
    if (name.ends_with("Type")) name.remove_suffix(4);
    if (name == "Real") return Type::Float64;
    if (name == "Integer") return Type::Int32;
    if (name == "Boolean") return Type::Boolean;
    if (name == "String") return Type::String;
    if (name == "Enumeration") return Type::Enumeration;
    return std::nullopt;
  }

  void types() {
    for (const auto node : root_.child("TypeDefinitions").children("Type")) {
      TypeDefinition t;
      t.name = r_.keep(node.attribute("name").value());
      t.description = r_.keep(node.attribute("description").value());
      t.line = r_.line(node);
      for (const auto kind : node.children()) {
        if (const auto type = type_of_element(kind.name()))
          type_body(kind, *type, t);
        else
          r_.unknown_element(kind);
      }
      d_.types.push_back(std::move(t));
    }
  }

  void type_body(pugi::xml_node node, Type type, TypeDefinition& t) {
    t.type = type;
    if (const auto a = node.attribute("unit")) t.unit = r_.unit(node, a.value(), false);
    for (const auto a : node.attributes()) {
      switch (xml_key(a.name())) {
        case xml_key("unit"): break;
        case xml_key("quantity"): t.quantity = r_.keep(a.value()); break;
        case xml_key("displayUnit"): t.display_unit = r_.display_unit(node, t.unit, a.value()); break;
        case xml_key("relativeQuantity"): t.relative_quantity = r_.boolean(node, a, false); break;
        case xml_key("min"): t.min = r_.number(node, a, t.min); break;
        case xml_key("max"): t.max = r_.number(node, a, t.max); break;
        case xml_key("nominal"): t.nominal = r_.number(node, a, 1.0), t.has_nominal = true; break;
        default: r_.unknown_attribute(node, a);
      }
    }
    std::int64_t value = 0;  // FMI 1.0: items count from 1
    for (const auto item : node.children("Item")) {
      t.items.push_back(
          {r_.keep(item.attribute("name").value()), r_.keep(item.attribute("description").value()), ++value});
    }
  }

  // --- variables

  void variables() {
    const auto list = root_.child("ModelVariables");
    for (const auto node : list.children()) {
      if (std::string_view(node.name()) == "ScalarVariable")
        variable(node);
      else
        r_.unknown_element(node);
    }
  }

  void variable(pugi::xml_node node) {
    Variable v;
    v.line = r_.line(node);
    std::string_view causality = "internal";
    std::string_view variability = "continuous";
    bool has_variability = false;
    bool has_reference = false;
    for (const auto a : node.attributes()) {
      switch (xml_key(a.name())) {
        case xml_key("name"): v.name = r_.keep(a.value()); break;
        case xml_key("valueReference"): v.reference = r_.natural(node, a, 0), has_reference = true; break;
        case xml_key("description"): v.description = r_.keep(a.value()); break;
        case xml_key("causality"): causality = a.value(); break;
        case xml_key("variability"): variability = a.value(), has_variability = true; break;
        case xml_key("alias"): alias(node, a, v); break;
        default: r_.unknown_attribute(node, a);
      }
    }
    if (v.name.empty()) r_.report(Severity::warning, node, variable_rule, "a variable has no name");
    if (!has_reference)
      r_.report(Severity::error, node, variable_rule, "variable '{}' has no valueReference; 0 is used", v.name);
    bool fixed_given = false, fixed = true, has_type = false;
    for (const auto child : node.children()) {
      if (const auto type = type_of_element(child.name()); type && !has_type) {
        has_type = true;
        variable_type(child, *type, v, fixed_given, fixed);
      } else if (std::string_view(child.name()) == "DirectDependency") {
        direct_dependencies_.push_back({static_cast<VariableId>(d_.variables.size()), child});
      } else {
        r_.unknown_element(child);
      }
    }
    if (!has_type) r_.report(Severity::error, node, variable_rule, "variable '{}' has no type; Real is used", v.name);
    if (!has_variability && v.type != Type::Float64) variability = "discrete";
    map_up(node, v, causality, variability, fixed);
    d_.variables.push_back(v);
  }

  void alias(pugi::xml_node node, pugi::xml_attribute a, Variable& v) {
    const std::string_view kind = a.value();
    v.alias = kind == "alias" || kind == "negatedAlias";
    v.negated = kind == "negatedAlias";
    if (!v.alias && kind != "noAlias")
      r_.report(Severity::warning, node, "schema", "alias=\"{}\" is not known; it is taken as noAlias", kind);
  }

  void variable_type(pugi::xml_node node, Type type, Variable& v, bool& fixed_given, bool& fixed) {
    v.type = type;
    bool quantity = false, display = false, min = false, max = false;
    pugi::xml_attribute start;
    const auto unit = node.attribute("unit");
    if (unit) v.unit = r_.unit(node, unit.value(), false);
    for (const auto a : node.attributes()) {
      switch (xml_key(a.name())) {
        case xml_key("unit"): break;
        case xml_key("declaredType"): v.declared_type = r_.declared_type(node, a.value(), variable_rule); break;
        case xml_key("quantity"): v.quantity = r_.keep(a.value()), quantity = true; break;
        case xml_key("displayUnit"): display = true; break;
        case xml_key("relativeQuantity"): v.relative_quantity = r_.boolean(node, a, false); break;
        case xml_key("min"): v.min = r_.number(node, a, v.min), min = true; break;
        case xml_key("max"): v.max = r_.number(node, a, v.max), max = true; break;
        case xml_key("nominal"): v.nominal = r_.number(node, a, 1.0), v.has_nominal = true; break;
        case xml_key("start"): start = a; break;
        case xml_key("fixed"): fixed = r_.boolean(node, a, true), fixed_given = true; break;
        default: r_.unknown_attribute(node, a);
      }
    }
    r_.inherit(v, quantity, static_cast<bool>(unit), display, min, max);
    if (display) v.display_unit = r_.display_unit(node, v.unit, node.attribute("displayUnit").value());
    if (start) r_.start(node, v, start.value());
    if (fixed_given && !start)
      r_.report(Severity::warning, node, variable_rule, "'{}' has fixed=true but no start value", v.name);
  }

  // Maps the terms of FMI 1.0 to those of FMI 3.0. In FMI 1.0 parameter is a variability, here it is a causality.
  void map_up(pugi::xml_node node, Variable& v, std::string_view causality, std::string_view variability, bool fixed) {
    if (causality == "input")
      v.causality = Causality::input;
    else if (causality == "output")
      v.causality = Causality::output;
    else if (causality != "internal" && causality != "none") {
      r_.report(Severity::warning, node, "schema", "causality=\"{}\" is not known; it is taken as internal", causality);
    }
    const bool has_start = v.start != no_start;
    if (variability == "constant") {
      v.variability = Variability::constant;
    } else if (variability == "parameter") {
      v.variability = Variability::fixed;
      if (v.causality == Causality::local)
        v.causality = has_start ? Causality::parameter : Causality::calculated_parameter;
    } else if (variability == "discrete") {
      v.variability = Variability::discrete;
    } else {
      if (variability != "continuous")
        r_.report(Severity::warning, node, "schema", "variability=\"{}\" is not known; it is taken as continuous",
                  variability);
      v.variability = Variability::continuous;
    }
    if (v.causality == Causality::input)
      v.initial = Initial::none;
    else
      v.initial = !has_start ? Initial::calculated : fixed ? Initial::exact : Initial::approx;
    v.declares_initial = has_start;
  }

  // --- structure: <DirectDependency> of an output names the inputs on which it depends

  void structure() {
    std::size_t next = 0;
    for (std::size_t i = 0; i < d_.variables.size(); ++i) {
      if (d_.variables[i].causality != Causality::output) continue;
      Unknown u{static_cast<VariableId>(i), false, {}};
      while (next < direct_dependencies_.size() && direct_dependencies_[next].variable < i) ++next;
      if (next < direct_dependencies_.size() && direct_dependencies_[next].variable == i) {
        direct_dependency(direct_dependencies_[next].node, u);
      }
      d_.structure.outputs.push_back(u);
    }
  }

  void direct_dependency(pugi::xml_node node, Unknown& u) {
    auto& all = d_.structure.dependencies;
    u.declared = true;
    u.dependencies.begin = static_cast<std::uint32_t>(all.size());
    for (const auto name : node.children("Name")) {
      const VariableId id = d_.find(name.text().as_string());
      if (id == no_variable) {
        r_.report(Severity::warning, name, "FMI 1.0, 3.4: DirectDependency",
                  "'{}' depends on '{}', which is not a variable; it is taken to depend on every input",
                  d_.variables[u.variable].name, name.text().as_string());
        u.declared = false;
        all.resize(u.dependencies.begin);
        return;
      }
      all.push_back({id, DependencyKind::dependent});
    }
    u.dependencies.count = static_cast<std::uint32_t>(all.size() - u.dependencies.begin);
  }

  struct DirectDependency {
    VariableId variable;
    pugi::xml_node node;
  };

  pugi::xml_node root_;
  DescriptionReader r_;
  Description& d_;
  std::vector<DirectDependency> direct_dependencies_;
};

}  // namespace

void read_description(const XmlDocument& document, Description& description, Diagnostics& diagnostics) {
  Parser(document, description, diagnostics).run();
}

}  // namespace consort::fmi::v1
